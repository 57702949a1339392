"""Measures how fast an ONNX detector finds something in whole photos and in slices of them.

`overhead` compares a request to the compute process with the bare ONNX Runtime call of the same model in the
same run. `queue` does so with photos that a running service detects, one alone and some in a row. Both use
YOLOX-nano, which is so small that decoding a photo takes about as long as its call, and a generated network
with the layers of YOLOX-s. Each line also has

- `decoding`, the ms in which libjpeg-turbo decodes the photo on one core, and `ratio_with_decoding`, the
  figure divided by the sum of the bare calls and that: a request for one photo is never faster than the sum
- `processor`, the processor time per photo in ms of all processes of the service, and `processor_floor`, that
  of the bare calls on one thread; they mean something also on a busy machine
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from numpy.typing import NDArray

from benchmarks import detectors
from benchmarks.detectors import MeasuredDetector
from benchmarks.figures import print_figure, print_skipped, processor_seconds, time_calls
from benchmarks.running_service import Service, create_item, service, stored_body, upload
from service.detection.compute.compute_process import ComputeProcess
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from shared.wire.detection import ModelKind

DETECTORS = ("nano", "small")
"""The names of YOLOX-nano and of the network with the layers of YOLOX-s."""
RATIO = 1.3
"""The most that a detection may take over the bare calls of its model."""
_CALLS = 5
"""The number of bare calls whose median counts."""
_ALONE = 5
"""The number of photos that are detected one by one."""


def _detectors(figure: str, names: Collection[str], folder: Path) -> Iterator[MeasuredDetector]:
    """The detectors with these names; the real one only if it is on this machine."""
    if "nano" in names:
        real = detectors.nano()
        if real is None:
            print_skipped(f"{figure}, YOLOX-nano", "yolox_nano.onnx is not on this machine")
        else:
            yield real
    if "small" in names:
        yield detectors.small(folder)


def _settings(detector: MeasuredDetector, sliced: float) -> dict[str, Any]:
    side = {"width": detector.side, "height": detector.side}
    return {**side, "colour": "bgr", "values": "raw", "fit": "corner", "sliced": sliced}


def _slicings(detector: MeasuredDetector) -> list[tuple[float, str]]:
    """The settings `sliced` that are measured, with their words. Slices at each size would take too long."""
    return [(0.0, "whole"), (4.0, "sliced")] if detector.side < 640 else [(0.0, "whole")]


def overhead(options: argparse.Namespace) -> None:
    """A warm request for a photo against the model call alone."""
    with tempfile.TemporaryDirectory() as folder:
        photo = Path(folder) / "photo.jpg"
        image = _photo(options.width)
        data = _jpeg(image)
        photo.write_bytes(data)
        for detector in _detectors("overhead", options.detectors, Path(folder)):
            compute = ComputeProcess()
            try:
                for sliced, label in _slicings(detector):
                    request = {
                        "kind": ModelKind.YOLOX.value,
                        "photo": str(photo),
                        "model": str(detector.path),
                        "settings": _settings(detector, sliced),
                        "labels": [],
                    }
                    calls = _calls(detector, image) if sliced else 1
                    floor = calls * _median(detector.bare_call(), _CALLS)
                    work = partial(compute.ask, request, 300, lambda _: None)
                    seconds, processor = _measure(work, 3 if sliced else 8, partial(_pids, compute))
                    name = f"overhead, {detector.name}, {label} photo of {_megapixels(image)}"
                    _overhead(name, detector, calls, seconds, processor, floor, _decoding(data, bool(sliced)))
            finally:
                compute.close()


def _pids(compute: ComputeProcess) -> list[int]:
    return [] if compute.pid is None else [compute.pid]


def _photo(width: int) -> NDArray[np.uint8]:
    """A photo of a panel, `width` px wide."""
    return samples.photograph(samples.draw_panel(width, width * 17 // 24, 4).image, View(noise=3), 4)[0]


def _megapixels(image: NDArray[np.uint8]) -> str:
    return f"{image.shape[0] * image.shape[1] / 1e6:.2g} MP"


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def queue(options: argparse.Namespace) -> None:
    """Photos through a running service: one alone, and some in a row, each against the bare calls."""
    image = _photo(options.width)
    with tempfile.TemporaryDirectory() as folder, service() as running:
        client = running.client
        for detector in _detectors("queue", options.detectors, Path(folder)):
            bare = detector.bare_call()
            for sliced, label in _slicings(detector):
                form = {
                    "model_name": f"{detector.name} {label}",
                    "settings": json.dumps(_settings(detector, sliced)),
                }
                file = {"file": detector.path.read_bytes()}
                model_id = stored_body(client.post("/detection/models", data=form, files=file))["model_id"]
                answer = client.post("/inspection/create", json={"task_id": "t"})
                record = answer.json()["data"]["inspection_id"]
                items = []
                # The service does not run a model twice on one photo, so each detection has its own.
                for number in range(options.queued + 1 + _ALONE):
                    cv2.putText(image, str(number), (100, 100), cv2.FONT_HERSHEY_SIMPLEX, 3, (255,) * 3, 3)
                    stored = stored_body(upload(client, f"{label} {number}.jpg", _jpeg(image)))
                    items.append(create_item(client, record, None, stored["file_id"], model_id))
                paths = iter([f"/inspection_item/{items.pop()}/detect?wait=60" for _ in range(1 + _ALONE)])
                calls = _calls(detector, image) if sliced else 1
                before = _median(bare, _CALLS)
                alone = _measure(partial(_detect_next, client, paths), _ALONE, running.processes)
                row = _batch(running, record, options.queued)
                floor = calls * (before + _median(bare, _CALLS)) / 2
                decoding = _decoding(_jpeg(image), bool(sliced))
                for kind, (seconds, processor) in (("one alone", alone), (f"{options.queued} in a row", row)):
                    name = f"service, {detector.name}, {label} photo of {_megapixels(image)}, {kind}"
                    _overhead(name, detector, calls, seconds, processor, floor, decoding)


def _detect_next(client: httpx.Client, paths: Iterator[str]) -> None:
    client.post(next(paths)).raise_for_status()


def _batch(running: Service, record: str, queued: int) -> tuple[float, float]:
    """Seconds per photo of those that are queued, from the creation of the first job to the end of the last,
    and of processor time."""
    client, before = running.client, _processor(running.processes)
    batch_id = stored_body(client.post("/detection/batches", json={"inspection_ids": [record]}))["batch_id"]
    while stored_body(client.get(f"/detection/batches/{batch_id}"))["progress"] < 100:
        time.sleep(0.3)
    processor = _processor(running.processes) - before
    jobs = client.get("/detection/jobs", params={"batch_id": batch_id}).json()["data"]
    assert [job["state"] for job in jobs] == ["done"] * queued
    started = min(dt.datetime.fromisoformat(job["created_at"]) for job in jobs)
    ended = max(dt.datetime.fromisoformat(job["updated_at"]) for job in jobs)
    return (ended - started).total_seconds() / len(jobs), processor / len(jobs)


def _decoding(jpeg: bytes, full: bool) -> float:
    """Seconds that libjpeg-turbo needs on one core to decode the photo, in full or at half its size."""
    data = np.frombuffer(jpeg, np.uint8)
    flag = cv2.IMREAD_COLOR if full else cv2.IMREAD_REDUCED_COLOR_2
    return _median(lambda: cv2.imdecode(data, flag), 10)


def _overhead(
    name: str,
    detector: MeasuredDetector,
    calls: int,
    seconds: float,
    processor: float,
    floor: float,
    decoding: float,
) -> None:
    """Print a line in ms; the goal is `RATIO` times the floor, which is the time of `calls` bare calls."""
    bare = detector.bare_call(threads=1)
    bare()
    before = time.process_time()
    for _ in range(5):
        bare()
    processor_floor = calls * (time.process_time() - before) / 5
    print_figure(
        name,
        seconds * 1000,
        "ms",
        goal=round(RATIO * floor * 1000, 1),
        floor=floor * 1000,
        calls=calls,
        decoding=round(decoding * 1000, 2),
        ratio_with_decoding=round(seconds / (floor + decoding), 2),
        processor=round(processor * 1000, 1),
        processor_floor=round(processor_floor * 1000, 1),
        processor_ratio=round(processor / processor_floor, 2),
    )


def _calls(detector: MeasuredDetector, image: NDArray[np.uint8]) -> int:
    """The number of slices of a photo, with the whole of it."""
    from service.detection.onnx.detector import slices
    from service.detection.onnx.settings import DetectorSettings

    settings = DetectorSettings(width=detector.side, height=detector.side)
    return len(list(slices(image.shape[1], image.shape[0], settings)))


def _median(work: Callable[[], object], count: int) -> float:
    """Seconds."""
    return statistics.median(time_calls(work, count, warm_up=1)) / 1000


def _measure(
    work: Callable[[], object], count: int, processes: Callable[[], Iterable[int]]
) -> tuple[float, float]:
    """The median seconds of a call, and the mean seconds of processor time that these processes need for one.

    The first call does not count.
    """
    work()
    before = _processor(processes)
    median = statistics.median(time_calls(work, count)) / 1000
    return median, (_processor(processes) - before) / count


def _processor(processes: Callable[[], Iterable[int]]) -> float:
    return sum(processor_seconds(pid) for pid in processes())
