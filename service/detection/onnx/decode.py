"""Decodes each kind of detector's outputs into boxes (x1, y1, x2, y2 in input px), confidences and
classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.settings import DetectorSettings
from shared.wire.detection import ModelKind

Array = NDArray[np.float64]
_STRIDES = (8, 16, 32)
# Models for large photos have a coarser grid too, models for small objects a finer one, tiny models two
# grids.
_FAMILIES = (_STRIDES, (8, 16, 32, 64), (4, 8, 16, 32), (16, 32))
ROUNDING = 1e-3
MAX_RELATIVE = 1.5
"""If all boxes of a photo end below, they are in parts of the input: in px they would be almost empty."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """n candidates: boxes (n, 4) in input px, confidences (n,), class numbers (n,)."""

    boxes: Array
    confidences: Array
    classes: NDArray[np.int64]

    def above(self, least: Array | float) -> Decoded:
        """The candidates whose confidence reaches `least` and whose box is finite and not empty."""
        size = self.boxes[:, 2:] - self.boxes[:, :2]
        valid = (
            (self.confidences >= least) & np.all(np.isfinite(self.boxes), axis=1) & np.all(size > 0, axis=1)
        )
        return Decoded(self.boxes[valid], self.confidences[valid], self.classes[valid])


def decode(kind: ModelKind, outputs: Sequence[NDArray[np.generic]], settings: DetectorSettings) -> Decoded:
    """The candidates in `outputs`. Raises ValueError when the shapes are not those of `kind`."""
    decoded = _DECODERS[kind]([np.asarray(output) for output in outputs], settings)
    if kind in _IN_PX_OR_PARTS and len(decoded.boxes) and np.abs(decoded.boxes).max() <= MAX_RELATIVE:
        size = np.array([settings.width, settings.height] * 2, np.float64)
        return Decoded(decoded.boxes * size, decoded.confidences, decoded.classes)
    return decoded


def cells(width: int, height: int, strides: Sequence[int] = _STRIDES) -> int:
    """The number of grid cells of the three usual strides, or of others."""
    return sum((width // stride) * (height // stride) for stride in strides)


def grids(width: int, height: int) -> set[int]:
    """The possible numbers of cells in the grids of YOLO detectors."""
    return {cells(width, height, strides) for strides in _FAMILIES}


def is_within_unit(values: NDArray[np.generic]) -> bool:
    """Whether all values lie within 0..1, up to rounding."""
    return bool(np.all(np.abs(values.astype(np.float64) - 0.5) <= 0.5 + ROUNDING))


def _activate(values: NDArray[Any], settings: DetectorSettings) -> NDArray[Any]:
    if settings.activation == "none":
        return values
    values = values.astype(np.float64)
    if settings.activation == "sigmoid":
        return np.asarray(1 / (1 + np.exp(-np.clip(values, -60, 60))))
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _corners(centred: NDArray[Any]) -> Array:
    middle, half = centred[:, :2].astype(np.float64), centred[:, 2:4].astype(np.float64) / 2
    return np.concatenate([middle - half, middle + half], axis=1)


def _best_class(boxes: Array, scores: NDArray[Any], objectness: NDArray[Any] | None = None) -> Decoded:
    """The candidates with their best class.

    scores: (n, classes) of any float type. objectness: (n,), which multiplies the scores; None for none.
    """
    # A positive factor changes the order of classes only by rounding, and float64 has room for the product of
    # two float32.
    keeps_order = objectness is None or (scores.dtype == np.float32 and bool(np.all(objectness > 0)))
    if objectness is not None and not keeps_order:
        scores, objectness = scores.astype(np.float64) * objectness[:, None], None
    classes = scores.argmax(axis=1)
    confidences = scores[np.arange(len(scores)), classes].astype(np.float64)
    return Decoded(
        boxes, confidences if objectness is None else confidences * objectness, classes.astype(np.int64)
    )


def _table(output: NDArray[np.generic]) -> NDArray[np.float32] | Array:
    """The rows of an output: float32 as the model gives them, since most columns are only compared."""
    if output.ndim == 3 and output.shape[0] == 1:
        output = output[0]
    if output.ndim != 2:
        raise ValueError(f"expected one table of candidates, the model gives {output.shape}")
    return output if output.dtype == np.float32 else output.astype(np.float64)  # type: ignore[return-value]


def _rows(output: NDArray[np.generic]) -> Array:
    return _table(output).astype(np.float64)


def yolo_columns(shape: Sequence[int], settings: DetectorSettings) -> tuple[bool, int, int]:
    """The layout of a table (rows, columns): whether a candidate is a column, its first class, their number.

    v5, v7 and v6 have rows with four numbers and objectness, v8 and later columns without objectness. Raises
    ValueError.
    """
    counts = grids(settings.width, settings.height)
    rows, columns = shape
    upright = counts | {3 * count for count in counts}
    lying = columns in counts or (rows < columns and rows not in upright)
    first = 4 + (not lying if settings.objectness is None else settings.objectness)
    left = (rows if lying else columns) - first
    classes = settings.classes or left
    if not 1 <= classes <= left:
        raise ValueError("too few numbers per candidate")
    return lying, first, classes


def _yolo(outputs: list[NDArray[np.generic]], settings: DetectorSettings) -> Decoded:
    """Centre, size, objectness if there is any, and classes; masks and points after them are ignored."""
    rows = _table(outputs[0])
    lying, first, classes = yolo_columns(rows.shape, settings)
    rows = rows.T if lying else rows
    scores = _activate(rows[:, 4 : first + classes], settings)
    return _best_class(_corners(rows), *((scores,) if first == 4 else (scores[:, 1:], scores[:, 0])))


def _yolox(outputs: list[NDArray[np.generic]], settings: DetectorSettings) -> Decoded:
    """(1, n, 5 + classes): centre offsets and log sizes in units of the cell, row by row for each stride."""
    rows = _table(outputs[0])
    if rows.shape[0] != cells(settings.width, settings.height) or rows.shape[1] < 6:
        raise ValueError("the number of candidates is not that of the input size")
    place, step = _grid(settings.width, settings.height)
    shapes = rows[:, :4].astype(np.float64)
    centre = (shapes[:, :2] + place) * step
    size = np.exp(np.clip(shapes[:, 2:], -20, 20)) * step
    scores = _activate(rows[:, 4:], settings)
    return _best_class(_corners(np.concatenate([centre, size], axis=1)), scores[:, 1:], scores[:, 0])


@lru_cache(maxsize=8)
def _grid(width: int, height: int) -> tuple[Array, Array]:
    """The corners (n, 2) of the cells of all strides in units of the cell, and their sides (n, 1) in px."""
    corners, steps = [], []
    for stride in _STRIDES:
        across, down = width // stride, height // stride
        y, x = np.mgrid[0:down, 0:across]
        corners.append(np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float64))
        steps.append(np.full((across * down, 1), float(stride)))
    return np.concatenate(corners), np.concatenate(steps)


def _merged(boxes: Array, confidences: Array, classes: Array) -> Decoded:
    """Candidates that the model has merged itself. Raises ValueError when the columns mean something else.

    A table of a classifier, of turned boxes or of an unknown exporter has the same shapes. Read as boxes it
    would pass every photo, so that a confidence above 1 or a class that is not a whole number is an error.
    """
    found = confidences > ROUNDING
    whole = np.rint(classes)
    if np.any(confidences > 1 + ROUNDING) or np.any(whole[found] < 0):
        raise ValueError("confidences or classes are out of range")
    if np.any(np.abs(classes - whole)[found] > ROUNDING):
        raise ValueError("classes are not whole numbers")
    return Decoded(boxes, confidences, whole.astype(np.int64))


def _nms_free(outputs: list[NDArray[np.generic]], settings: DetectorSettings) -> Decoded:
    """(1, n, 6): x1, y1, x2, y2, confidence, class. Numbers of masks or key points after them are ignored."""
    rows = _rows(outputs[0])
    if rows.shape[1] < 6:
        raise ValueError("expected six numbers per candidate")
    return _merged(rows[:, :4], rows[:, 4], rows[:, 5])


def _detr(outputs: list[NDArray[np.generic]], settings: DetectorSettings) -> Decoded:
    """Logits (1, n, classes) and boxes (1, n, 4), or one table (1, n, 4 + classes) of both.

    Boxes are centre and size in parts of the input. With softmax the last class is "nothing", which is left
    out. A table whose `columns` are confidence and class has the best class only.
    """
    size = np.array([settings.width, settings.height] * 2, np.float64)
    if len(outputs) == 1 and outputs[0].ndim == 3:
        rows = _rows(outputs[0])
        outputs = [rows[None, :, 4:], rows[None, :, :4]]
        if rows.shape[1] < 5 or not is_within_unit(rows[:, :4]):
            raise ValueError("the boxes are not parts of the input")
        if settings.columns == "confidence_class":
            if rows.shape[1] != 6:
                raise ValueError("expected six numbers per candidate")
            return _merged(_corners(rows[:, :4] * size), rows[:, 4], rows[:, 5])
    tables = [output for output in outputs if output.ndim == 3]
    # Usually the boxes come last; with four classes only their values distinguish them.
    four = [place for place, output in enumerate(tables) if output.shape[-1] == 4]
    if len(tables) != 2 or not four:
        raise ValueError("expected class scores and boxes")
    fitting = [place for place in four if tables[place].min() >= 0 and tables[place].max() <= 1]
    place = (fitting or four)[-1]
    if np.abs(tables[place]).max(initial=0) > MAX_RELATIVE:
        raise ValueError("the boxes are not parts of the input")
    boxes, logits = _rows(tables[place]), _rows(tables[1 - place])
    scores = _activate(logits, settings)
    if settings.activation == "softmax":
        scores = scores[:, :-1]
    return _best_class(_corners(boxes * size), scores)


def _nms_inside(outputs: list[NDArray[np.generic]], settings: DetectorSettings) -> Decoded:
    """Either one table (n, 7): image, x1, y1, x2, y2 and the `columns` of the settings, of which the first
    image counts; or separate boxes, confidences and classes, with the number of valid ones if the model has
    it."""
    if len(outputs) == 1:
        if outputs[0].ndim != 2 or outputs[0].shape[1] != 7:
            raise ValueError("expected a table of seven numbers per finding")
        rows = _rows(outputs[0])
        if np.any(np.abs(rows[:, 0] - np.rint(rows[:, 0])) > ROUNDING):
            raise ValueError("the first column is not the number of an image")
        rows = rows[rows[:, 0] <= 0]
        last = rows[:, 5:] if settings.columns == "class_confidence" else rows[:, :4:-1]
        return _merged(_ordered(rows[:, 1:5], settings), last[:, 1], last[:, 0])
    table, confidences, classes = apart(outputs)
    return _merged(_ordered(table, settings), confidences, classes - settings.first_class)


def apart(outputs: Sequence[NDArray[np.generic]]) -> tuple[Array, Array, Array]:
    """The valid boxes, confidences and class numbers of a model that has them in separate outputs.

    Raises ValueError when the outputs are others.
    """
    boxes = next((output for output in outputs if output.ndim >= 2 and output.shape[-1] == 4), None)
    if boxes is None:
        raise ValueError("no output has the shape of boxes")
    table = boxes.reshape(-1, 4).astype(np.float64)
    others = [output for output in outputs if output is not boxes]
    numbers = [output.reshape(-1) for output in others if output.size == len(table)]
    counts = [output for output in others if output.size == 1 != len(table)]
    if len(numbers) + len(counts) != len(others) or len(counts) > 1:
        raise ValueError("there are outputs beside boxes, confidences, classes and their number")
    whole = [table for table in numbers if np.issubdtype(table.dtype, np.integer)]
    parts = [table for table in numbers if not np.issubdtype(table.dtype, np.integer)]
    if len(parts) == 2 and not whole:
        # Both as floats: confidences lie within 0..1, classes are whole numbers.
        parts.sort(key=lambda table: bool(np.all(table == np.rint(table)) and table.max(initial=0) > 0))
        whole = [parts.pop()]
    if len(parts) != 1 or not whole:
        raise ValueError("confidences and classes cannot be told apart")
    valid = int(counts[0].reshape(-1)[0]) if counts else len(table)
    return table[:valid], parts[0][:valid].astype(np.float64), whole[-1][:valid].astype(np.float64)


def _ordered(boxes: Array, settings: DetectorSettings) -> Array:
    """Boxes as x1, y1, x2, y2. TensorFlow gives y1, x1, y2, x2."""
    return boxes if settings.corners == "xyxy" else boxes[:, [1, 0, 3, 2]]


_IN_PX_OR_PARTS = (ModelKind.YOLO, ModelKind.NMS_FREE, ModelKind.NMS_INSIDE)
_DECODERS: dict[ModelKind, Callable[[list[NDArray[np.generic]], DetectorSettings], Decoded]] = {
    ModelKind.YOLO: _yolo,
    ModelKind.YOLOX: _yolox,
    ModelKind.NMS_FREE: _nms_free,
    ModelKind.DETR: _detr,
    ModelKind.NMS_INSIDE: _nms_inside,
}
