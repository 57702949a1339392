"""Measures how fast photos are detected by ONNX models, and that a killed service loses none.

    python -m benchmarks.detection [--width PX] [--queued N] [--photos N] [--kills N] [--detectors nano small]

Photos go through a running service, one alone and some in a row, each against the bare ONNX Runtime call of
the same model in the same run. The models are YOLOX-nano, which is so small that decoding a photo takes about
as long as its call, and a generated network as large as YOLOX-s, which finds nothing. Then the service is
killed with signal 9 again and again as photos wait: each photo must have exactly one finished result. Prints
one JSON line per figure (`benchmarks/figures.py`). Each line of speed also has

- `decoding`, the ms in which libjpeg-turbo decodes the photo on one core, and `ratio_with_decoding`, the
  figure divided by the sum of the bare calls and that: one photo is never faster than the sum
- `processor`, the processor time per photo in ms of all processes of the service, and `processor_floor`, that
  of the bare calls on one thread; they mean something also on a busy machine
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from benchmarks.figures import make_parser, print_figure, print_skipped, time_calls
from benchmarks.running_service import Service, create_item, service, stored_body, upload
from service.detection.onnx.detector import slices
from service.detection.onnx.settings import DetectorSettings
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from shared.system.paths import program_folder

DETECTORS = ("nano", "small")
RATIO = 1.3
"""The most that a detection may take over the bare calls of its model."""
_CALLS = 5
"""The number of bare calls whose median counts, and of photos that are detected one by one."""
_CLASSES = 80


@dataclass(frozen=True, slots=True)
class MeasuredDetector:
    """A YOLOX in an ONNX file: its name in the figures, and the side of its input in px."""

    name: str
    path: Path
    side: int

    def bare_call(self, threads: int = 0) -> Callable[[], Any]:
        """One call of the model without anything around it; threads: 0 for the default of ONNX Runtime."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        inputs = {session.get_inputs()[0].name: np.full((1, 3, self.side, self.side), 114, np.float32)}
        return lambda: session.run(None, inputs)


def find_nano() -> MeasuredDetector | None:
    """YOLOX-nano beside the project or in WALKAROUND_TEST_MODELS; None where there is none."""
    folders = [Path(os.environ["WALKAROUND_TEST_MODELS"])] if "WALKAROUND_TEST_MODELS" in os.environ else []
    for folder in [*folders, program_folder().parent / "shared" / "models"]:
        if (folder / "yolox_nano.onnx").is_file():
            return MeasuredDetector("YOLOX-nano", folder / "yolox_nano.onnx", 416)
    return None


def write_small(folder: Path, side: int = 640) -> MeasuredDetector:
    """Write a model of the size of YOLOX-s (Ge et al. 2021: 9 million weights, 27 GFLOP); return it.

    Convolutions with random weights halve the picture, and one reads the candidates of each of three grids.
    """
    random = np.random.default_rng(7)
    nodes: list[NodeProto] = []
    weights: list[TensorProto] = []

    def add(kind: str, *inputs: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [f"layer_{len(nodes)}"], **attributes))
        return str(nodes[-1].output[0])

    def weight(value: NDArray[Any]) -> str:
        weights.append(numpy_helper.from_array(value, f"weight_{len(weights)}"))
        return str(weights[-1].name)

    def convolve(name: str, before: int, after: int, kernel: int, stride: int = 1, bias: float = 0) -> str:
        shape = (after, before, kernel, kernel)
        values = random.normal(0, 1 / np.sqrt(before * kernel * kernel), shape).astype(np.float32)
        biases = weight(np.full(after, bias, np.float32))
        pads, strides = [kernel // 2] * 4, [stride, stride]
        return add("Conv", name, weight(values), biases, pads=pads, strides=strides)

    name, before, grids = "images", 3, []
    for channels, blocks in ((32, 1), (64, 4), (128, 5), (256, 4), (512, 2)):
        for block in range(blocks):
            name = convolve(name, before, channels, 3, 1 if block else 2)
            name, before = add("Mul", name, add("Sigmoid", name)), channels
        if channels >= 128:
            boxes = convolve(name, before, 4, 1)
            # This bias gives each candidate a confidence of 1 %.
            scores = add("Sigmoid", convolve(name, before, 1 + _CLASSES, 1, bias=-4.6))
            shape = weight(np.array([1, 5 + _CLASSES, -1], np.int64))
            grids.append(add("Reshape", add("Concat", boxes, scores, axis=1), shape))
    nodes.append(helper.make_node("Transpose", [add("Concat", *grids, axis=2)], ["output"], perm=[0, 2, 1]))
    count = sum((side // stride) ** 2 for stride in (8, 16, 32))
    images, output = (
        helper.make_tensor_value_info(each, TensorProto.FLOAT, shape)
        for each, shape in (("images", [1, 3, side, side]), ("output", [1, count, 5 + _CLASSES]))
    )
    graph = helper.make_graph(nodes, "small", [images], [output], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path = folder / "small.onnx"
    path.write_bytes(model.SerializeToString())
    return MeasuredDetector("the size of YOLOX-s", path, side)


def measure_speed(options: argparse.Namespace) -> None:
    """Photos through a running service: one alone, and some in a row, each against the bare calls."""
    image = samples.draw_panel(options.width, options.width * 17 // 24, 4).image
    image = samples.photograph(image, View(noise=3), 4)[0]
    with tempfile.TemporaryDirectory() as folder, service() as running:
        detectors = [find_nano()] if "nano" in options.detectors else []
        detectors += [write_small(Path(folder))] if "small" in options.detectors else []
        for detector in detectors:
            if detector is None:
                print_skipped("YOLOX-nano", "yolox_nano.onnx is not on this machine")
                continue
            # Slices at the larger size would take too long.
            for sliced, label in ((0.0, "whole"), (4.0, "sliced"))[: 2 if detector.side < 640 else 1]:
                _measure_detector(running, detector, image, sliced, label, options.queued)


def _measure_detector(
    running: Service,
    detector: MeasuredDetector,
    image: NDArray[np.uint8],
    sliced: float,
    label: str,
    queued: int,
) -> None:
    client, bare = running.client, detector.bare_call()
    side = {"width": detector.side, "height": detector.side}
    settings = {**side, "colour": "bgr", "values": "raw", "fit": "corner", "sliced": sliced}
    form = {"model_name": f"{detector.name} {label}", "settings": json.dumps(settings)}
    file = {"file": detector.path.read_bytes()}
    model_id = stored_body(client.post("/detection/models", data=form, files=file))["model_id"]
    record = stored_body(client.post("/inspection/create", json={"task_id": "t"}))["inspection_id"]
    items = []
    # The service does not run a model twice on one photo, so each detection has its own.
    for number in range(queued + 1 + _CALLS):
        cv2.putText(image, str(number), (100, 100), cv2.FONT_HERSHEY_SIMPLEX, 3, (255,) * 3, 3)
        stored = stored_body(upload(client, f"{label} {number}.jpg", _jpeg(image)))
        items.append(create_item(client, record, None, stored["file_id"], model_id))
    paths = iter([f"/inspection_item/{items.pop()}/detect?wait=60" for _ in range(1 + _CALLS)])
    size = DetectorSettings(**side)
    calls = len(list(slices(image.shape[1], image.shape[0], size))) if sliced else 1
    first = _median(bare)
    detect_next = partial(_detect_next, client, paths)
    detect_next()
    before = running.cpu_seconds()
    seconds = statistics.median(time_calls(detect_next, _CALLS)) / 1000
    alone = seconds, (running.cpu_seconds() - before) / _CALLS
    row = _detect_batch(running, record, queued)
    floor = calls * (first + _median(bare)) / 2
    one_thread = detector.bare_call(threads=1)
    one_thread()
    before = time.process_time()
    one_thread()
    processor_floor = calls * (time.process_time() - before)
    # A JPEG that is not sliced is decoded at half size.
    flags = cv2.IMREAD_COLOR if sliced else cv2.IMREAD_REDUCED_COLOR_2
    data = np.frombuffer(_jpeg(image), np.uint8)
    decoding = _median(lambda: cv2.imdecode(data, flags))
    megapixels = f"{image.shape[0] * image.shape[1] / 1e6:.2g} MP"
    for kind, (seconds, processor) in (("one alone", alone), (f"{queued} in a row", row)):
        print_figure(
            f"{detector.name}, {label} photo of {megapixels}, {kind}",
            seconds * 1000,
            "ms",
            goal=round(RATIO * floor * 1000, 1),
            floor=floor * 1000,
            calls=calls,
            decoding=round(decoding * 1000, 2),
            ratio_with_decoding=round(seconds / (floor + decoding), 2),
            processor=round(processor * 1000, 1),
            processor_floor=round(processor_floor * 1000, 1),
        )


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def _median(work: Callable[[], object]) -> float:
    """Seconds."""
    return statistics.median(time_calls(work, _CALLS, warm_up=1)) / 1000


def _detect_next(client: httpx.Client, paths: Iterator[str]) -> None:
    client.post(next(paths)).raise_for_status()


def _detect_batch(running: Service, record: str, queued: int) -> tuple[float, float]:
    """Seconds per photo of those that are queued, from the creation of the first job to the end of the last,
    and of processor time."""
    client, before = running.client, running.cpu_seconds()
    batch_id = stored_body(client.post("/detection/batches", json={"inspection_ids": [record]}))["batch_id"]
    while stored_body(client.get(f"/detection/batches/{batch_id}"))["progress"] < 100:
        time.sleep(0.3)
    processor = running.cpu_seconds() - before
    jobs = client.get("/detection/jobs", params={"batch_id": batch_id}).json()["data"]
    assert [job["state"] for job in jobs] == ["done"] * queued
    started = min(dt.datetime.fromisoformat(job["created_at"]) for job in jobs)
    ended = max(dt.datetime.fromisoformat(job["updated_at"]) for job in jobs)
    return (ended - started).total_seconds() / len(jobs), processor / len(jobs)


def measure_survival(photos: int, kills: int) -> None:
    """Queued photos, the service killed again and again: each has exactly one finished result."""
    scene = samples.draw_scene(640, 480, 3, kinds=("added",), view=View(rotation=2, noise=2))
    with service() as running:
        client = running.client
        reference, photo = (
            stored_body(upload(client, f"{number}.png", bytes(cv2.imencode(".png", image)[1])))
            for number, image in enumerate((scene.reference, scene.photo))
        )
        record = stored_body(client.post("/inspection/create", json={"task_id": "t"}))["inspection_id"]
        items = [create_item(client, record, reference, photo["file_id"]) for _ in range(photos)]
        client.post(f"/inspection/{record}/detect").raise_for_status()
        rng = np.random.default_rng(1)
        for _ in range(kills):
            _wait_for_end(running.client, record, more=1)
            # At a moment of the next photos; one that is killed three times is given up, as it should be.
            time.sleep(float(rng.uniform(0.0, 1.7)))
            running.kill()
            running.start()
        with suppress(TimeoutError):
            _wait_for_end(running.client, record, more=photos)
        good = 0
        for item_id in items:
            entries = running.client.get(f"/inspection_item/{item_id}").json()["result"]
            good += [(entry["progress"], entry["version"]) for entry in entries] == [("done", 1)]
        figure = f"photos with exactly one finished result after {kills} kills"
        print_figure(figure, good, "photos", goal=photos, at_least=True)


def _wait_for_end(client: httpx.Client, record: str, more: int) -> None:
    """Wait until so many more jobs have ended than now, or all. Raises TimeoutError after ten minutes."""
    wanted, until = None, time.monotonic() + 600
    while time.monotonic() < until:
        jobs = client.get("/detection/jobs", params={"inspection_id": record}).json()["data"]
        ended = sum(job["state"] not in ("queued", "running") for job in jobs)
        wanted = ended + more if wanted is None else wanted
        if ended >= min(wanted, len(jobs)):
            return
        time.sleep(0.1)
    raise TimeoutError


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both."""
    parser = make_parser(__doc__, width=2_400, queued=20, photos=100, kills=5)
    parser.add_argument("--detectors", nargs="*", choices=DETECTORS, default=DETECTORS)
    options = parser.parse_args(arguments)
    if options.detectors:
        measure_speed(options)
    if options.photos:
        measure_survival(options.photos, options.kills)
    return 0


if __name__ == "__main__":
    sys.exit(main())
