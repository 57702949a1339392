"""Measures how fast detection is, and what it survives.

    python -m benchmarks.detection [--only NAME] [--width PX] [--queued N] [--photos N] [--kills N]

NAME: overhead, queue, survival, hostile. Prints one JSON line per figure (`benchmarks/figures.py`).
`overhead` compares a request to the compute process with the bare ONNX Runtime call of the same model in the
same run. `queue` does so with photos that a running service detects, one alone and some in a row. Each line
of these two also has `decoding`, the ms in which libjpeg-turbo decodes the photo on one core, and
`ratio_with_decoding`, the figure divided by the sum of the bare calls and that: a request for one photo is
never faster than the sum. `survival` kills the service with signal 9 again and again as photos wait;
`hostile` feeds broken photos and models to a running service.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from benchmarks.figures import print_figure, print_skipped, time_calls
from service.detection.compute.compute_process import ComputeProcess
from shared import samples
from shared.images.cv import cv2
from shared.paths import program_command, program_folder
from shared.samples import View
from shared.wire.detection import REFERENCE_DIFFERENCE, ModelKind

ADMIN = {"username": "chief", "password": "correct-horse-battery"}
RATIO = 1.3
"""The most that a detection may take over the bare calls of its model."""
_ALONE = 5
"""The number of photos that are detected one by one."""


def yolox() -> Path | None:
    """The real detector beside the project or in WALKAROUND_TEST_MODELS; None where there is none."""
    folders = [Path(os.environ["WALKAROUND_TEST_MODELS"])] if "WALKAROUND_TEST_MODELS" in os.environ else []
    for folder in [*folders, program_folder().parent / "shared" / "models"]:
        if (folder / "yolox_nano.onnx").is_file():
            return folder / "yolox_nano.onnx"
    return None


def overhead(options: argparse.Namespace) -> None:
    """A warm request for a photo against the model call alone."""
    model = yolox()
    if model is None:
        print_skipped("overhead", "yolox_nano.onnx is not on this machine")
        return
    with tempfile.TemporaryDirectory() as folder:
        photo = Path(folder) / "photo.jpg"
        image = _photo(options.width)
        data = _jpeg(image)
        photo.write_bytes(data)
        settings = {"width": 416, "height": 416, "colour": "bgr", "values": "raw", "fit": "corner"}
        request = {
            "kind": ModelKind.YOLOX.value,
            "photo": str(photo),
            "model": str(model),
            "settings": {**settings, "sliced": 0},
            "labels": [],
        }
        bare = _bare(model)
        compute = ComputeProcess()
        try:
            for slices, label in ((0.0, "whole photo"), (4.0, "sliced photo")):
                request["settings"] = {**settings, "sliced": slices}
                runs = 1 if not slices else _slices(image.shape[1], image.shape[0])
                through_process = _median(
                    lambda: compute.ask(request, 300, lambda _: None), 3 if slices else 8
                )
                floor = runs * _median(bare, 10)
                name = f"overhead, {label} of {_megapixels(image)}"
                _overhead(name, through_process, floor, runs, _decoding(data, bool(slices)))
        finally:
            compute.close()


def _photo(width: int) -> NDArray[np.uint8]:
    """A photo of a panel, `width` px wide."""
    return samples.photograph(samples.draw_panel(width, width * 17 // 24, 4).image, View(noise=3), 4)[0]


def _megapixels(image: NDArray[np.uint8]) -> str:
    return f"{image.shape[0] * image.shape[1] / 1e6:.2g} MP"


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def _bare(model: Path) -> Callable[[], Any]:
    """One call of the model without anything around it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    inputs = {session.get_inputs()[0].name: np.full((1, 3, 416, 416), 114, np.float32)}
    return lambda: session.run(None, inputs)


def queue(options: argparse.Namespace) -> None:
    """Photos through a running service: one alone, and some in a row, each against the bare calls."""
    model = yolox()
    if model is None:
        print_skipped("queue", "yolox_nano.onnx is not on this machine")
        return
    image, bare = _photo(options.width), _bare(model)
    height, width = image.shape[:2]
    with service() as running:
        client = running.client
        for sliced, label in ((0.0, "whole"), (4.0, "sliced")):
            settings = {"model_name": label, "settings": json.dumps({"sliced": sliced})}
            answer = client.post("/detection/models", data=settings, files={"file": model.read_bytes()})
            model_id = _stored(answer)["model_id"]
            record = client.post("/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
            items = []
            # The service does not run a model twice on one photo, so each detection has a photo of its own.
            for number in range(options.queued + 1 + _ALONE):
                cv2.putText(image, str(number), (100, 100), cv2.FONT_HERSHEY_SIMPLEX, 3, (255,) * 3, 3)
                stored = _stored(_upload(client, f"{label} {number}.jpg", _jpeg(image)))
                items.append(_item(client, record, None, stored["file_id"], model_id))
            paths = iter([f"/inspection_item/{items.pop()}/detect?wait=60" for _ in range(1 + _ALONE)])
            runs = 1 if not sliced else _slices(width, height)
            before = _median(bare, 10)
            alone = _median(lambda paths=paths: client.post(next(paths)).raise_for_status(), _ALONE)  # type: ignore[misc]
            per_photo = _batch(client, record, options.queued)
            floor = runs * (before + _median(bare, 10)) / 2
            decoding = _decoding(_jpeg(image), bool(sliced))
            for kind, seconds in (("one alone", alone), (f"{options.queued} in a row", per_photo)):
                name = f"service, {label} photo of {_megapixels(image)}, {kind}"
                _overhead(name, seconds, floor, runs, decoding)


def _batch(client: httpx.Client, record: str, queued: int) -> float:
    """Seconds per photo of those that are queued, from the making of the first job to the end of the last."""
    batch_id = _stored(client.post("/detection/batches", json={"inspection_ids": [record]}))["batch_id"]
    while _stored(client.get(f"/detection/batches/{batch_id}"))["progress"] < 100:
        time.sleep(0.3)
    jobs = client.get("/detection/jobs", params={"batch_id": batch_id}).json()["data"]
    assert [job["state"] for job in jobs] == ["done"] * queued
    started = min(dt.datetime.fromisoformat(job["created_at"]) for job in jobs)
    ended = max(dt.datetime.fromisoformat(job["updated_at"]) for job in jobs)
    return (ended - started).total_seconds() / len(jobs)


def _decoding(jpeg: bytes, full: bool) -> float:
    """Seconds that libjpeg-turbo needs on one core to decode the photo, in full or at half its size."""
    data = np.frombuffer(jpeg, np.uint8)
    flag = cv2.IMREAD_COLOR if full else cv2.IMREAD_REDUCED_COLOR_2
    return _median(lambda: cv2.imdecode(data, flag), 10)


def _overhead(name: str, seconds: float, floor: float, calls: int, decoding: float) -> None:
    """Print a line in ms; the goal is `RATIO` times the floor, which is the time of `calls` bare calls."""
    print_figure(
        name,
        seconds * 1000,
        "ms",
        goal=round(RATIO * floor * 1000, 1),
        floor=floor * 1000,
        calls=calls,
        decoding=round(decoding * 1000, 2),
        ratio_with_decoding=round(seconds / (floor + decoding), 2),
    )


def _slices(width: int, height: int) -> int:
    from service.detection.onnx.detector import slices
    from service.detection.onnx.settings import DetectorSettings

    return len(list(slices(width, height, DetectorSettings(width=416, height=416))))


def _median(work: Callable[[], object], count: int) -> float:
    """Seconds."""
    return statistics.median(time_calls(work, count, warm_up=1)) / 1000


class Service:
    """A real service on a data directory, started and killed as often as wanted."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(timeout=120)

    def start(self) -> None:
        """Start it and log in."""
        environment = {**os.environ, "WALKAROUND_BCRYPT_COST": "4"}
        self._process = subprocess.Popen(
            program_command("serve", "--port", "0", "--data-dir", str(self._data_dir)),
            cwd=program_folder(),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        url = json.loads(self._process.stdout.readline())["url"]
        self.client.close()
        self.client = httpx.Client(base_url=f"{url}/api", timeout=120)
        needed = self.client.post("/auth/first-run", json={**ADMIN, "name": "主任"})
        answer = needed if needed.status_code == 200 else self.client.post("/auth/login", json=ADMIN)
        token = answer.json()["data"]["access_token"]
        self.client.headers["Authorization"] = f"Bearer {token}"

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End it in order."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(30)
        self.client.close()


@contextmanager
def service() -> Iterator[Service]:
    """A running service on a fresh data directory."""
    with tempfile.TemporaryDirectory() as folder:
        running = Service(Path(folder) / "data")
        running.start()
        try:
            yield running
        finally:
            running.stop()


def _upload(client: httpx.Client, name: str, data: bytes) -> httpx.Response:
    return client.post("/files", files={"file": (name, data)})


def _item(
    client: httpx.Client,
    inspection_id: str,
    reference: dict[str, Any] | None,
    photo_id: str,
    model_id: str = REFERENCE_DIFFERENCE,
) -> str:
    body: dict[str, Any] = {"item_name": "panel", "inspection_id": inspection_id, "model_id": model_id}
    if reference is not None:
        file = {"download_url": reference["download_url"]}
        body["item_point"] = {"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "fileInfo": file}
    item_id: str = client.post("/inspection_item/create", json=body).json()["item_id"]
    client.post(f"/inspection_item/{item_id}/photos", json={"file_id": photo_id})
    return item_id


def _stored(answer: httpx.Response) -> dict[str, Any]:
    answer.raise_for_status()
    body: dict[str, Any] = answer.json()
    inner: dict[str, Any] = body.get("data", body)
    return inner


def _one_more(client: httpx.Client, record: str) -> None:
    """Wait until a photo more has its result than now, or none waits for one."""

    def ended() -> tuple[int, int]:
        jobs = client.get("/detection/jobs", params={"inspection_id": record}).json()["data"]
        return sum(job["state"] not in ("queued", "running") for job in jobs), len(jobs)

    before, _ = ended()
    while True:
        now, total = ended()
        if now > before or now == total:
            return
        time.sleep(0.1)


def survival(options: argparse.Namespace) -> None:
    """Queued photos, the service killed again and again: each has exactly one finished result."""
    scene = samples.draw_scene(640, 480, 3, kinds=("added",), view=View(rotation=2, noise=2))
    with service() as running:
        client = running.client
        reference = _stored(_upload(client, "reference.png", bytes(cv2.imencode(".png", scene.reference)[1])))
        photo = _stored(_upload(client, "photo.png", bytes(cv2.imencode(".png", scene.photo)[1])))
        record = client.post("/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
        items = [_item(client, record, reference, photo["file_id"]) for _ in range(options.photos)]
        client.post(f"/inspection/{record}/detect").raise_for_status()
        rng = np.random.default_rng(1)
        for _ in range(options.kills):
            _one_more(running.client, record)
            # At a moment of the next photos; one that is killed three times is given up, as it should be.
            time.sleep(float(rng.uniform(0.0, 1.7)))
            running.kill()
            running.start()
        client = running.client
        until = time.monotonic() + 600
        while time.monotonic() < until:
            jobs = client.get("/detection/jobs", params={"inspection_id": record}).json()["data"]
            if all(job["state"] not in ("queued", "running") for job in jobs):
                break
            time.sleep(0.5)
        good = 0
        for item_id in items:
            entries = client.get(f"/inspection_item/{item_id}").json()["result"]
            good += [(entry["progress"], entry["version"]) for entry in entries] == [("done", 1)]
        figure = f"photos with exactly one finished result after {options.kills} kills"
        print_figure(figure, good, "photos", goal=options.photos, at_least=True)


def hostile(_options: argparse.Namespace) -> None:
    """Broken photos and models: a clear error each, and the service answers the next request."""
    panel = samples.draw_panel(640, 480, 3).image
    png = bytes(cv2.imencode(".png", panel)[1])
    jpg = bytes(cv2.imencode(".jpg", panel)[1])
    photos = {
        "cut.png": png[: len(png) // 3],
        "cut.jpg": jpg[: len(jpg) // 3],
        "junk.jpg": jpg[:400] + b"\xff" * 5000,
        "text.png": b"no picture at all",
    }
    models = {
        "junk.onnx": b"\x3a" + b"\xff" * 5000,
        "empty.onnx": b"",
        "zip.onnx": b"PK\x03\x04" + bytes(4000),
    }
    clear = alive = 0
    with service() as running:
        client = running.client
        reference = _stored(_upload(client, "reference.png", png))
        record = client.post("/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
        for name, data in photos.items():
            answer = _upload(client, name, data)
            if answer.status_code == 200:
                item_id = _item(client, record, reference, _stored(answer)["file_id"])
                ended = client.post(f"/inspection_item/{item_id}/detect?wait=60")
                job = ended.json()["data"]
                # A file that is not a picture was not taken as a photo: then the item has none.
                clear += ended.status_code == 409 or (job["state"] == "failed" and bool(job["message"]))
            else:
                clear += answer.status_code in (413, 415, 422) and bool(answer.json()["msg"])
            alive += client.get("/detection/models").status_code == 200
        for name, data in models.items():
            answer = client.post("/detection/models", data={"model_name": name}, files={"file": (name, data)})
            clear += answer.status_code in (413, 422) and bool(answer.json()["msg"])
            alive += client.get("/detection/models").status_code == 200
    total = len(photos) + len(models)
    print_figure("hostile files with a clear error", clear, "files", goal=total, at_least=True)
    print_figure("requests answered after them", alive, "requests", goal=total, at_least=True)


_PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "overhead": overhead,
    "queue": queue,
    "survival": survival,
    "hostile": hostile,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one part or all of them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.detection",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--only", choices=sorted(_PARTS))
    parser.add_argument("--width", type=int, default=2400, help="of the photos of overhead and queue, px")
    parser.add_argument("--queued", type=int, default=20, help="photos in a row")
    parser.add_argument("--photos", type=int, default=100, help="that wait while the service is killed")
    parser.add_argument("--kills", type=int, default=5)
    options = parser.parse_args(arguments)
    for name, part in _PARTS.items():
        if options.only in (None, name):
            part(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
