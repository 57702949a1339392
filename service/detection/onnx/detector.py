"""Runs an ONNX detector on a photo of any size; keeps a few models open."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from service.detection.onnx.decode import Decoded, decode
from service.detection.onnx.fit import fit
from service.detection.onnx.merge import SliceFindings, merged, slice_findings
from service.detection.onnx.settings import DetectorSettings
from shared.geometry import Rect, from_corners
from shared.wire.detection import ModelKind

SIZE_INPUT = "orig_target_sizes"
"""The input (1, 2) int64 of RT-DETR, D-FINE and DEIM as exported: width and height that boxes are in."""
_OPEN_MODELS = 3
_MOST_BYTES = 1_500_000_000
_MOST_SLICES = 160
_OVERLAP = 0.2
# Parts of a photo that are looked at together have no more px than these: that bounds the memory.
_TOGETHER_PIXELS = 4 * 640 * 640
# Each falls back on the next for what it cannot do. TensorRT would build an engine for minutes first.
_PROVIDERS = (
    "CUDAExecutionProvider",
    "ROCMExecutionProvider",
    "CoreMLExecutionProvider",
    "DmlExecutionProvider",
    "CPUExecutionProvider",
)


@dataclass(frozen=True, slots=True)
class Detected:
    """What a model recognised: label, confidence, and its box in px of the photo as decoded.

    It is no `shared.findings.Finding` yet: `computer` leaves out what does not count and enlarges the box to
    the upright photo.
    """

    label: str
    confidence: float
    box: Rect


def open_session(path: Path, calls: int = 1) -> Any:
    """An ONNX Runtime session on the best provider there is, with one thread per core.

    The threads are shared among so many `calls` at a time.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(_cores() // calls, 1)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Threads that spin while they wait save a quarter of a call on a machine with nothing else to do. In a
    # row of photos the next one is decoded and the last one stored on the same cores: there they take half as
    # much processor time again, and the calls last longer.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    used = providers(onnxruntime.get_available_providers())
    return onnxruntime.InferenceSession(str(path), options, providers=used)


def _cores() -> int:
    return min(os.cpu_count() or 1, 8)


def providers(offered: Sequence[str]) -> list[str]:
    """Those of the offered providers that are used, a GPU's before the CPU's."""
    return [name for name in _PROVIDERS if name in offered]


def calls_together(settings: DetectorSettings) -> int:
    """How many parts of a photo are given to the model at a time: calls beside each other are faster than
    each on all cores. A GPU has one at a time."""
    if providers(onnxruntime.get_available_providers())[0] != "CPUExecutionProvider":
        return 1
    return max(min(_TOGETHER_PIXELS // (settings.width * settings.height), _cores()), 1)


def channels_last(shape: Sequence[int | str | None]) -> bool:
    """Whether an input of four dimensions is (batch, height, width, 3)."""
    return len(shape) == 4 and shape[3] == 3 and shape[1] != 3


class Detector:
    """One open model, for so many `calls` at a time.

    inputs: all that it takes. sized: one of them is the size that its boxes are to be in. last: its image has
    the channels last. bytes: its image is of whole numbers, 0..255. batch: so many images go in at a time.
    """

    def __init__(self, path: Path, calls: int = 1) -> None:
        self.session = open_session(path, calls)
        self._calls = calls
        self.inputs = self.session.get_inputs()
        self._input = next((tensor for tensor in self.inputs if len(tensor.shape) == 4), self.inputs[0])
        self.sized = any(tensor.name == SIZE_INPUT for tensor in self.inputs)
        self.last = channels_last(self._input.shape)
        self.bytes = self._input.type == "tensor(uint8)"
        batch = self._input.shape[0] if self._input.shape else 1
        self.batch = batch if isinstance(batch, int) else 1

    def outputs(self, tensor: NDArray[np.float32]) -> list[NDArray[np.generic]]:
        """The model's raw outputs for one input tensor (1, 3, height, width)."""
        converted: NDArray[Any] = tensor
        if self._input.type == "tensor(float16)":
            converted = tensor.astype(np.float16)
        elif self.bytes:
            converted = np.clip(np.rint(tensor), 0, 255).astype(np.uint8)
        if self.last:
            converted = np.ascontiguousarray(converted.transpose(0, 2, 3, 1))
        if self.batch > 1:
            converted = np.repeat(converted, self.batch, axis=0)
        inputs: dict[str, NDArray[Any]] = {self._input.name: converted}
        if self.sized:
            # With the size of the input its boxes are in px of the input.
            size = np.array([[tensor.shape[3], tensor.shape[2]]], np.int64)
            inputs[SIZE_INPUT] = np.repeat(size, self.batch, axis=0)
        return [self._of_first(output) for output in self.session.run(None, inputs)]

    def _of_first(self, output: NDArray[np.generic]) -> NDArray[np.generic]:
        """What an output says of the first image; rows that name their image are separated when decoded."""
        numbered = output.ndim == 2 and output.shape[1] == 7
        many = self.batch > 1 and output.ndim > 0 and output.shape[0] == self.batch and not numbered
        return output[:1] if many else output

    def detect(
        self, photo: NDArray[np.uint8], kind: ModelKind, settings: DetectorSettings, labels: Sequence[str]
    ) -> list[Detected]:
        """Findings in `photo` (BGR uint8, upright), the surest first; boxes are clipped to the photo.

        Raises ValueError when the outputs do not fit the kind, RuntimeError when the model fails.
        """
        height, width = photo.shape[:2]
        if self.bytes:
            # From numbers within 0..1 it would see black.
            settings = settings.model_copy(update={"values": "raw"})

        def look(cut: tuple[int, int, int, int]) -> SliceFindings:
            x, y, w, h = cut
            fitted = fit(photo[y : y + h, x : x + w], settings)
            raw = decode(kind, self.outputs(fitted.tensor), settings)
            # Below the least of all thresholds nothing matters, and merging costs.
            some = raw.above(settings.least_confidence)
            boxes = fitted.back(some.boxes) + np.array([x, y, x, y])
            inside = Decoded(boxes, some.confidences, some.classes)
            return slice_findings(inside, cut, width, height, settings.iou)

        cuts = list(slices(width, height, settings))
        if self._calls > 1 and len(cuts) > 1:
            with ThreadPoolExecutor(self._calls) as pool:
                parts = list(pool.map(look, cuts))
        else:
            parts = [look(cut) for cut in cuts]
        whole = merged(parts, settings.iou)
        detected = []
        for (x1, y1, x2, y2), confidence, number in zip(
            whole.boxes.tolist(), whole.confidences.tolist(), whole.classes.tolist(), strict=True
        ):
            label = labels[number] if 0 <= number < len(labels) else f"class {number}"
            box = from_corners(x1, y1, x2, y2).clamped(width, height)
            if not box.empty and confidence >= settings.per_label.get(label, settings.confidence):
                detected.append(Detected(label, min(float(confidence), 1.0), box))
        return detected


def is_sliced(width: int, height: int, settings: DetectorSettings) -> bool:
    """Whether a photo is looked at in parts too."""
    longest = max(width / settings.width, height / settings.height)
    return bool(settings.sliced) and longest > settings.sliced


def slices(width: int, height: int, settings: DetectorSettings) -> Iterator[tuple[int, int, int, int]]:
    """The parts (x, y, w, h) that a photo is looked at in: whole, and a large one also cut up.

    The cuts are as large as the model's input, so nothing small is scaled away, unless that made too many.
    """
    yield 0, 0, width, height
    if not is_sliced(width, height, settings):
        return
    grow = 1.0
    while True:
        across = _starts(width, settings.width * grow)
        down = _starts(height, settings.height * grow)
        if len(across) * len(down) <= _MOST_SLICES:
            break
        grow *= 1.15
    w, h = min(round(settings.width * grow), width), min(round(settings.height * grow), height)
    for y in down:
        for x in across:
            yield min(x, width - w), min(y, height - h), w, h


def _starts(length: int, part: float) -> list[int]:
    if length <= part:
        return [0]
    count = int(np.ceil((length - part) / (part * (1 - _OVERLAP)))) + 1
    return [round(v) for v in np.linspace(0, length - part, count)]


class Detectors:
    """The open models, least recently used closed first, bounded in number and in bytes of their files."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, int], tuple[Detector, int]] = OrderedDict()

    def get(self, path: Path, sha256: str, calls: int = 1) -> Detector:
        """The model at `path` for so many `calls` at a time, opened when it is not open yet."""
        key = sha256, calls
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key][0]
        size = path.stat().st_size
        while self._open and (len(self._open) >= _OPEN_MODELS or self._total() + size > _MOST_BYTES):
            self._open.popitem(last=False)
        detector = Detector(path, calls)
        self._open[key] = (detector, size)
        return detector

    def _total(self) -> int:
        return sum(size for _, size in self._open.values())
