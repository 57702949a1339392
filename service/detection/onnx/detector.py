"""Runs an ONNX detector on a photo of any size; keeps a few models open.

Scales a photo, or a part of it, to a model's input and maps boxes back to the photo.

Caches the findings of models in recent photos, so that items that share photo and model run it once.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from service.detection.onnx.decode import Decoded, decode
from service.detection.onnx.merge import SliceFindings, merge_slices, slice_findings
from service.detection.onnx.settings import DetectorSettings
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners
from shared.wire.detection import ModelKind

_GREY = 114
# Mean and deviation per RGB channel of ImageNet, of 0..1 values, as the common training recipes use them.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


@dataclass(frozen=True, slots=True)
class FittedImage:
    """The tensor (1, 3, height, width) float32, and input px = photo px * scale + shift per axis."""

    tensor: NDArray[np.float32]
    scale: tuple[float, float]
    shift: tuple[float, float]

    def back(self, corners: NDArray[np.float64]) -> NDArray[np.float64]:
        """Boxes x1, y1, x2, y2 (n, 4) from input px to photo px."""
        shift = np.array([*self.shift, *self.shift])
        scale = np.array([*self.scale, *self.scale])
        return np.asarray((corners - shift) / scale, np.float64)


def scale_of(width: int, height: int, settings: DetectorSettings) -> tuple[float, float]:
    """Input px per photo px, across and down."""
    across, down = settings.width / width, settings.height / height
    return (across, down) if settings.fit == "stretch" else (min(across, down),) * 2


def fit(image: NDArray[np.uint8], settings: DetectorSettings) -> FittedImage:
    """Scale a BGR uint8 image, add borders and normalise it according to `settings`."""
    height, width = image.shape[:2]
    across, down = scale_of(width, height, settings)
    size = (max(round(width * across), 1), max(round(height * down), 1))
    image = _scale(image, size)
    right, below = settings.width - size[0], settings.height - size[1]
    left, top = (right // 2, below // 2) if settings.fit == "centre" else (0, 0)
    if right or below:
        edges = (top, below - top, left, right - left)
        grey = (_GREY, _GREY, _GREY)
        image = np.asarray(cv2.copyMakeBorder(image, *edges, cv2.BORDER_CONSTANT, value=grey), np.uint8)
    factor = 1.0 if settings.values == "raw" else 1 / 255
    blob = cv2.dnn.blobFromImage(image, factor, swapRB=settings.colour == "rgb", ddepth=cv2.CV_32F)
    tensor = np.asarray(blob, np.float32)
    if settings.values == "imagenet":
        order = slice(None) if settings.colour == "rgb" else slice(None, None, -1)
        tensor -= _MEAN[order, None, None]
        tensor /= _DEVIATION[order, None, None]
    return FittedImage(tensor, (size[0] / width, size[1] / height), (float(left), float(top)))


def _scale(image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """The image with `size` (width, height).

    To shrink an image, it is first averaged over whole blocks of px, which takes a tenth of the time of
    averaging by an uneven factor. The rest is less than a half, where interpolation skips no px.
    """
    height, width = image.shape[:2]
    across, down = width / size[0], height / size[1]
    whole = range(int(min(across, down)), 1, -1)
    block = next((side for side in whole if width % side == 0 and height % side == 0), 1)
    if block > 1:
        image = _resize(image, (width // block, height // block), cv2.INTER_AREA)
    skips = max(across, down) / block >= 2
    return _resize(image, size, cv2.INTER_AREA if skips else cv2.INTER_LINEAR)


def _resize(image: NDArray[np.uint8], size: tuple[int, int], how: int) -> NDArray[np.uint8]:
    if size == (image.shape[1], image.shape[0]):
        return image
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)


SIZE_INPUT = "orig_target_sizes"
"""The input (1, 2) int64 of exported RT-DETR, D-FINE and DEIM: the width and height that boxes are in."""
_OPEN_MODELS = 3
_MAX_BYTES = 1_500_000_000
_MAX_SLICES = 160
_OVERLAP = 0.2
# The most px of the parts of a photo that are processed at a time, which bounds the memory.
_PIXELS_AT_ONCE = 4 * 640 * 640
# A provider leaves operators that it does not support to the next. TensorRT is not used: it first builds an
# engine for minutes.
_PROVIDERS = (
    "CUDAExecutionProvider",
    "ROCMExecutionProvider",
    "CoreMLExecutionProvider",
    "DmlExecutionProvider",
    "CPUExecutionProvider",
)


@dataclass(frozen=True, slots=True)
class DetectedObject:
    """An object that a model detected: label, confidence, and box in px of the photo as decoded.

    `computer` leaves out ignored ones and enlarges the box to the upright photo.
    """

    label: str
    confidence: float
    box: Rect


def open_session(path: Path, calls: int = 1) -> Any:
    """An ONNX Runtime session on the best available provider, with one thread per core.

    calls: the number of parallel calls, which share the threads.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(_cores() // calls, 1)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Within a call, threads that wait for each other spin for some µs, which saves a third of its time.
    # If they did so longer, as by default, they would take the cores from the next photo, which is decoded
    # meanwhile: half as much processor time again.
    options.add_session_config_entry("session.intra_op.spin_duration_us", "100")
    used = providers(onnxruntime.get_available_providers())
    return onnxruntime.InferenceSession(str(path), options, providers=used)


def _cores() -> int:
    return min(os.cpu_count() or 1, 8)


def providers(offered: Sequence[str]) -> list[str]:
    """The offered providers that are used, GPUs before the CPU."""
    return [name for name in _PROVIDERS if name in offered]


def parallel_calls(settings: DetectorSettings) -> int:
    """The number of parts of a photo that the model processes at a time: 1 on a GPU.

    Parallel calls are faster than calls one after the other on all cores.
    """
    if providers(onnxruntime.get_available_providers())[0] != "CPUExecutionProvider":
        return 1
    return max(min(_PIXELS_AT_ONCE // (settings.width * settings.height), _cores()), 1)


def channels_last(shape: Sequence[int | str | None]) -> bool:
    """Whether an input of four dimensions is (batch, height, width, 3)."""
    return len(shape) == 4 and shape[3] == 3 and shape[1] != 3


class Detector:
    """One open model, for this number of parallel `calls`.

    inputs: all its inputs. image_shape: of its image; a side of free size is no number. sized: one of its
    inputs is the size in which its boxes are given. last: its image has the channels last. bytes: its image
    has whole numbers, 0..255. batch: the number of images in its input.
    """

    def __init__(self, path: Path, calls: int = 1) -> None:
        self.session = open_session(path, calls)
        self._calls = calls
        self.inputs = self.session.get_inputs()
        self._input = next((tensor for tensor in self.inputs if len(tensor.shape) == 4), self.inputs[0])
        self.sized = any(tensor.name == SIZE_INPUT for tensor in self.inputs)
        self.last = channels_last(self._input.shape)
        self.bytes = self._input.type == "tensor(uint8)"
        self.image_shape = self._input.shape
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
            # Given the size of the input, its boxes are in px of the input.
            size = np.array([[tensor.shape[3], tensor.shape[2]]], np.int64)
            inputs[SIZE_INPUT] = np.repeat(size, self.batch, axis=0)
        return [self._first_image(output) for output in self.session.run(None, inputs)]

    def _first_image(self, output: NDArray[np.generic]) -> NDArray[np.generic]:
        """The output for the first image. Rows that name their image are separated when they are decoded."""
        numbered = output.ndim == 2 and output.shape[1] == 7
        many = self.batch > 1 and output.ndim > 0 and output.shape[0] == self.batch and not numbered
        return output[:1] if many else output

    def detect(
        self, photo: NDArray[np.uint8], kind: ModelKind, settings: DetectorSettings, labels: Sequence[str]
    ) -> list[DetectedObject]:
        """Findings in `photo` (BGR uint8, upright), the surest first; boxes are clipped to the photo.

        Raises ValueError when the outputs do not fit the kind, RuntimeError when the model fails.
        """
        height, width = photo.shape[:2]
        if self.bytes:
            # Numbers within 0..1 would be black.
            settings = settings.model_copy(update={"values": "raw"})

        def look(cut: tuple[int, int, int, int]) -> SliceFindings:
            x, y, w, h = cut
            fitted = fit(photo[y : y + h, x : x + w], settings)
            raw = decode(kind, self.outputs(fitted.tensor), settings)
            # Candidates below all thresholds would only slow down the merging.
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
        whole = merge_slices(parts, settings.iou)
        detected = []
        for (x1, y1, x2, y2), confidence, number in zip(
            whole.boxes.tolist(), whole.confidences.tolist(), whole.classes.tolist(), strict=True
        ):
            label = labels[number] if 0 <= number < len(labels) else f"class {number}"
            box = rect_from_corners(x1, y1, x2, y2).clamp(width, height)
            if not box.is_empty and confidence >= settings.per_label.get(label, settings.confidence):
                detected.append(DetectedObject(label, min(float(confidence), 1.0), box))
        return detected


def is_sliced(width: int, height: int, settings: DetectorSettings) -> bool:
    """Whether a photo is also processed in parts."""
    longest = max(width / settings.width, height / settings.height)
    return bool(settings.sliced) and longest > settings.sliced


def slices(width: int, height: int, settings: DetectorSettings) -> Iterator[tuple[int, int, int, int]]:
    """The parts (x, y, w, h) of a photo that a model processes: the whole photo, and slices of a large one.

    A slice is as large as the model's input, so that no detail is lost, and larger if there were too many.
    """
    yield 0, 0, width, height
    if not is_sliced(width, height, settings):
        return
    grow = 1.0
    while True:
        across = _starts(width, settings.width * grow)
        down = _starts(height, settings.height * grow)
        if len(across) * len(down) <= _MAX_SLICES:
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
    """The open models, bounded in number and size of their files. The least recently used closes first."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, int], tuple[Detector, int]] = OrderedDict()

    def get(self, path: Path, sha256: str, calls: int = 1) -> Detector:
        """The model at `path` for this number of parallel `calls`; opens it if it is not open."""
        key = sha256, calls
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key][0]
        size = path.stat().st_size
        while self._open and (len(self._open) >= _OPEN_MODELS or self._total() + size > _MAX_BYTES):
            self._open.popitem(last=False)
        detector = Detector(path, calls)
        self._open[key] = (detector, size)
        return detector

    def _total(self) -> int:
        return sum(size for _, size in self._open.values())


_MAX_ENTRIES: Final = 16


class FindingsCache:
    """Findings by photo, model and settings. The least recently used ones are removed first."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, Sequence[DetectedObject]] = OrderedDict()

    def get_or_detect(
        self, key: Hashable | None, detect: Callable[[], Sequence[DetectedObject]]
    ) -> Sequence[DetectedObject]:
        """What `detect` gives, or gave for the same `key`; with None it always looks."""
        if key is None:
            return detect()
        if key not in self._found:
            self._found[key] = detect()
        self._found.move_to_end(key)
        while len(self._found) > _MAX_ENTRIES:
            self._found.popitem(last=False)
        return self._found[key]
