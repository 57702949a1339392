"""Measures how fast detection is, and what it survives.

    python -m benchmarks.detection [--only NAME] [--width PX] [--detectors nano small] [--queued N]
        [--photos N] [--kills N]

NAME: overhead, queue, survival, hostile. Prints one JSON line per figure (`benchmarks/figures.py`).
`benchmarks/detection_speed.py` describes `overhead` and `queue`. `survival` kills the service with signal 9
again and again as photos wait; `hostile` feeds broken photos and models to a running service.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import httpx
import numpy as np

from benchmarks.detection_speed import DETECTORS, overhead, queue
from benchmarks.figures import print_figure
from benchmarks.running_service import create_item, service, stored_body, upload
from shared import samples
from shared.images.cv import cv2
from shared.samples import View


def _one_more(client: httpx.Client, record: str) -> None:
    """Wait until a photo more has its result than now, or none waits for one."""

    def count_ended() -> tuple[int, int]:
        jobs = client.get("/detection/jobs", params={"inspection_id": record}).json()["data"]
        return sum(job["state"] not in ("queued", "running") for job in jobs), len(jobs)

    before, _ = count_ended()
    while True:
        now, total = count_ended()
        if now > before or now == total:
            return
        time.sleep(0.1)


def survival(options: argparse.Namespace) -> None:
    """Queued photos, the service killed again and again: each has exactly one finished result."""
    scene = samples.draw_scene(640, 480, 3, kinds=("added",), view=View(rotation=2, noise=2))
    with service() as running:
        client = running.client
        reference = stored_body(
            upload(client, "reference.png", bytes(cv2.imencode(".png", scene.reference)[1]))
        )
        photo = stored_body(upload(client, "photo.png", bytes(cv2.imencode(".png", scene.photo)[1])))
        record = client.post("/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
        items = [create_item(client, record, reference, photo["file_id"]) for _ in range(options.photos)]
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
        reference = stored_body(upload(client, "reference.png", png))
        record = client.post("/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
        for name, data in photos.items():
            answer = upload(client, name, data)
            if answer.status_code == 200:
                item_id = create_item(client, record, reference, stored_body(answer)["file_id"])
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
    parser.add_argument("--detectors", nargs="+", choices=DETECTORS, default=DETECTORS)
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
