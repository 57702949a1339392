"""Recognises the kind of a detector, and verifies that every one of its outputs is understood.

A model whose outputs are misread finds nothing, and "nothing" passes every photo. So a kind is accepted only
when it explains each output and each column, and when the numbers for the test pictures agree with it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.decode import (
    ROUNDING,
    cells,
    decode,
    grids,
    is_within_unit,
    yolo_columns,
)
from service.detection.onnx.detector import Detector
from service.detection.onnx.settings import DetectorSettings
from shared.wire.detection import ModelKind

Outputs = list[NDArray[np.generic]]
COCO: Final = 80
_CLEAR_CONFIDENCE: Final = 0.05
"""Candidates below are noise, whose boxes may be anything."""


@dataclass(frozen=True, slots=True)
class ModelOutputs:
    """What is known of a model before it is accepted.

    names: of its outputs. metadata: of the file. runs: its outputs for each test picture. width, height: of
    its input in px.
    """

    names: list[str]
    metadata: Mapping[str, str]
    runs: list[Outputs]
    width: int
    height: int

    @property
    def outputs(self) -> Outputs:
        """The outputs for the first test picture, which is grey."""
        return self.runs[0]

    @property
    def task(self) -> str:
        """The task that Ultralytics wrote into the file; empty in other files."""
        return self.metadata.get("task", "").strip("'\"")

    @property
    def is_merged(self) -> bool:
        """Whether Ultralytics wrote into the file that it merges its candidates itself."""
        try:
            arguments = ast.literal_eval(self.metadata.get("args", "")[:10_000])
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            arguments = None
        is_end_to_end = self.metadata.get("end2end", "").strip("'\"") == "True"
        return is_end_to_end or (isinstance(arguments, dict) and arguments.get("nms") is True)

    @property
    def masks(self) -> int:
        """The number of masks that the candidates of a segmentation mix; 0 for other detectors."""
        raw = self.outputs
        return int(raw[1].shape[1]) if len(raw) == 2 and raw[0].ndim == 3 and raw[1].ndim == 4 else 0

    @property
    def key_point_numbers(self) -> int | None:
        """How many numbers the key points of a candidate have; None for a pose model that does not say."""
        if self.task != "pose":
            return 0
        try:
            shape = ast.literal_eval(self.metadata.get("kpt_shape", "")[:100])
            return int(shape[0]) * int(shape[1])
        except (ValueError, TypeError, SyntaxError, IndexError, RecursionError, MemoryError):
            return None


def run_tests(detector: Detector, metadata: Mapping[str, str], width: int, height: int) -> ModelOutputs:
    """Run a model on three generated pictures: grey, noise, and bright rectangles on a dark ground.

    Raises what ONNX Runtime raises.
    """
    noise = np.random.default_rng(7).uniform(0, 1, (1, 3, height, width))
    rectangles = np.full((1, 3, height, width), 0.1)
    rectangles[..., height // 8 : height // 2, width // 8 : width // 3] = 0.9
    rectangles[..., height * 5 // 8 : height * 7 // 8, width // 2 : width * 15 // 16] = 0.7
    pictures = [np.full((1, 3, height, width), 0.45), noise, rectangles]
    scale = 255 if detector.bytes else 1
    return ModelOutputs(
        names=[output.name for output in detector.session.get_outputs()],
        metadata=metadata,
        runs=[detector.outputs((picture * scale).astype(np.float32)) for picture in pictures],
        width=width,
        height=height,
    )


def recognise_model(model: ModelOutputs, classes: int) -> ModelKind | None:
    """The kind of a model; None if no kind or several kinds fit. classes: the number of labels, or 0."""
    raw, width, height = model.outputs, model.width, model.height
    if _is_detr_table(model):
        return None if _may_be_corners(model) else ModelKind.DETR
    shapes = [output.shape for output in raw]
    kind = recognise(shapes, width, height)
    if kind is None and _ends_with_extras(model):
        return ModelKind.NMS_FREE
    if kind is not ModelKind.YOLOX:
        return kind
    # A row per cell. If the labels leave no room for objectness, it is not YOLOX, which always has it.
    return (
        ModelKind.YOLO
        if raw[0].shape[-1] == 4 + (classes or COCO)
        else _yolox_or_yolo(raw[0], max(width, height))
    )


def recognise(shapes: list[tuple[int, ...]], width: int, height: int) -> ModelKind | None:
    """The kind of detector whose outputs have these shapes; None if no kind or several kinds fit."""
    count, others = cells(width, height), grids(width, height)
    # A segmentation has the masks that its candidates mix in a second output.
    if len(shapes) == 2 and len(shapes[0]) == 3 and len(shapes[1]) == 4:
        shapes = shapes[:1]
    if len(shapes) == 1:
        shape = shapes[0][1:] if len(shapes[0]) == 3 and shapes[0][0] == 1 else shapes[0]
        if len(shape) != 2:
            return None
        rows, columns = shape
        if rows == count and columns >= 5:
            return ModelKind.YOLOX
        if (rows in {3 * other for other in others} and columns >= 6) or (columns in others and rows >= 5):
            return ModelKind.YOLO
        if columns == 6:
            return ModelKind.NMS_FREE
        return ModelKind.NMS_INSIDE if columns == 7 else None
    tables = [shape for shape in shapes if len(shape) == 3 and shape[0] == 1]
    if len(shapes) == 2 and len(tables) == 2 and tables[0][1] == tables[1][1]:
        return ModelKind.DETR if 4 in (shape[2] for shape in tables) else None
    if len(shapes) in (3, 4) and any(shape and shape[-1] == 4 for shape in shapes):
        return ModelKind.NMS_INSIDE
    return None


def _yolox_or_yolo(table: NDArray[np.generic], side: int) -> ModelKind | None:
    """YOLOX if the centres of the table are relative to grid cells, YOLO if they are in input px.

    Relative centres are within a few cells; decoded ones are spread over the whole input. None in between.
    """
    centres = table.reshape(-1, table.shape[-1])[:, :2].astype(np.float64)
    spread = float(np.ptp(centres))
    if spread < side / 8:
        return ModelKind.YOLOX
    return ModelKind.YOLO if spread > side / 2 else None


def _is_detr_table(model: ModelOutputs) -> bool:
    """Whether the only output has boxes and classes of a DETR in one table, in parts of the input.

    Candidates of other kinds are in px, or there is one for each cell, or they are padded with zeros.
    """
    raw, count = model.outputs, cells(model.width, model.height)
    if len(raw) != 1 or raw[0].ndim != 3 or raw[0].shape[2] < 5 or raw[0].shape[1] in (count, 3 * count):
        return False
    rows = all_rows(model)
    if len(rows) == 0 or not is_within_unit(rows[:, :4]) or not np.all(rows[:, 2:4] > 0):
        return False
    if names_class(model):
        return is_within_unit(rows[:, 4])
    return is_within_unit(rows[:, 4:]) and not np.all(rows[:, 4:] == np.rint(rows[:, 4:]))


def names_class(model: ModelOutputs) -> bool:
    """Whether the six numbers of a candidate end with the number of its class, not with a confidence.

    Class numbers are exact, while a confidence may be nearly 0.
    """
    if model.outputs[0].ndim != 3 or model.outputs[0].shape[2] != 6:
        return False
    last = all_rows(model)[:, 5]
    return bool(np.all(last == np.rint(last)))


def _may_be_corners(model: ModelOutputs) -> bool:
    """Whether the boxes of a DETR's table may be corners: few places have that order by chance."""
    return names_class(model) and _are_upright(all_rows(model))


def all_rows(model: ModelOutputs) -> NDArray[np.float64]:
    """The rows of the first output for all test pictures."""
    return np.concatenate([raw[0].reshape(-1, raw[0].shape[-1]) for raw in model.runs]).astype(np.float64)


def _are_upright(boxes: NDArray[np.generic]) -> bool:
    """Whether most boxes are not empty if their numbers are read as x1, y1, x2, y2."""
    numbers = boxes.astype(np.float64)
    return bool(np.mean(np.all(numbers[:, 2:4] >= numbers[:, :2], axis=1)) > 0.5)


def _ends_with_extras(model: ModelOutputs) -> bool:
    """Whether the rows of merged candidates have masks or key points behind box, confidence and class."""
    table = model.outputs[0]
    is_table = table.ndim == 3 and table.shape[0] == 1
    if not is_table or len(model.outputs) != 1 + bool(model.masks):
        return False
    extras = table.shape[2] - 6
    if model.task == "pose":
        is_explained = extras > 0 and model.key_point_numbers in (None, extras)
    else:
        is_explained = model.task == "segment" and 0 < extras == model.masks
    return is_explained and (model.is_merged or _shows_merged(all_rows(model)))


def _shows_merged(rows: NDArray[np.float64]) -> bool:
    """Whether any row has a candidate, and each a box of corners, a confidence and a class number."""
    found = rows[np.any(rows[:, :6] != 0, axis=1)]
    classes = found[:, 5]
    is_numbered = bool(np.all((classes >= 0) & (classes == np.rint(classes))))
    return len(found) > 0 and is_numbered and is_within_unit(found[:, 4]) and _are_upright(found)


def is_understood(kind: ModelKind, model: ModelOutputs, settings: DetectorSettings) -> bool:
    """Whether `kind` with `settings` explains every output of a model for every test picture."""
    if kind in (ModelKind.REFERENCE_DIFFERENCE, ModelKind.BACKBONE):
        return False
    if not _explains_outputs(kind, model, settings):
        return False
    return all(_has_meaning(kind, raw, settings) for raw in model.runs)


def _explains_outputs(kind: ModelKind, model: ModelOutputs, settings: DetectorSettings) -> bool:
    """Whether the kind has a use for each output and each column."""
    raw, masks = model.outputs, model.masks
    if len(raw) == 1 and raw[0].ndim < 2:
        return False
    # One row for each picture: a classifier.
    is_one_row = all(outputs[0].ndim == 2 and len(outputs[0]) == 1 for outputs in model.runs)
    if kind is ModelKind.NMS_FREE:
        single = len(raw) == 1 and raw[0].shape[-1] == 6 and not is_one_row
        if single and _is_detr_table(model):
            return _may_be_corners(model)
        return single or _ends_with_extras(model)
    if kind is ModelKind.NMS_INSIDE:
        return len(raw) > 1 or not is_one_row
    if kind is ModelKind.YOLO:
        return len(raw) == 1 + bool(masks) and _explains_columns(model, settings)
    if kind is ModelKind.YOLOX:
        return len(raw) == 1
    # A table with a row for each cell is no table of queries.
    if len(raw) == 1 and raw[0].shape[-2] in _rows_of_grids(model):
        return False
    # A class number is no confidence of a second class.
    is_misread = settings.columns != "confidence_class" and names_class(model)
    return len(raw) == 2 or (len(raw) == 1 and not is_misread)


def _rows_of_grids(model: ModelOutputs) -> set[int]:
    """The possible numbers of candidates of a detector with one or three for each cell of its grids."""
    counts = grids(model.width, model.height)
    return counts | {3 * count for count in counts}


def _explains_columns(model: ModelOutputs, settings: DetectorSettings) -> bool:
    shape = model.outputs[0].shape[-2:]
    try:
        lying, first, classes = yolo_columns(shape, settings)
    except ValueError:
        return False
    rows, columns = shape[::-1] if lying else shape
    if rows not in _rows_of_grids(model):
        return False
    behind = columns - first - classes - model.masks
    points = model.key_point_numbers
    # A key point of unknown shape has two or three numbers.
    if points is None:
        return behind > 0 and 0 in (behind % 2, behind % 3)
    return bool(behind == points)


def _has_meaning(kind: ModelKind, raw: Outputs, settings: DetectorSettings) -> bool:
    """Whether the decoded numbers can be boxes and confidences."""
    try:
        decoded = decode(kind, raw, settings)
    except (ValueError, IndexError):
        return False
    if kind is ModelKind.DETR:
        # Its class outputs may have to be activated first.
        return True
    # Points, angles and distributions of distances are not confidences.
    if not bool(np.all((decoded.confidences >= -ROUNDING) & (decoded.confidences <= 1 + ROUNDING))):
        return False
    if kind is ModelKind.YOLO and not _is_spread(decoded.boxes, settings):
        return False
    clear = decoded.boxes[decoded.confidences >= _CLEAR_CONFIDENCE]
    return len(clear) == 0 or _are_upright(clear)


def _is_spread(boxes: NDArray[np.float64], settings: DetectorSettings) -> bool:
    """Whether the candidates of a YOLO, one for each cell of its grids, cover the input.

    Empty candidates are left out. Confidences read as places would all be in one corner.
    """
    filled = boxes[np.any(boxes != 0, axis=1)]
    if 2 * len(filled) < len(boxes):
        return True
    middles = (filled[:, :2] + filled[:, 2:]) / 2
    return bool(np.all(np.ptp(middles, axis=0) > np.array([settings.width, settings.height]) / 2))


def decodable_kinds(model: ModelOutputs, settings: DetectorSettings) -> list[str]:
    """The kinds that explain the outputs of a model."""
    if names_class(model):
        settings = settings.model_copy(update={"columns": "confidence_class"})
    return [kind.value for kind in ModelKind if is_understood(kind, model, settings)]


def class_columns(model: ModelOutputs, settings: DetectorSettings, kind: ModelKind) -> int | None:
    """The number of classes that the table of a YOLO or YOLOX has; None where the model does not show it."""
    shape = model.outputs[0].shape[-2:]
    if kind is ModelKind.YOLOX:
        return int(shape[1]) - 5
    points = model.key_point_numbers
    if kind is not ModelKind.YOLO or points is None:
        return None
    try:
        _, _, left = yolo_columns(shape, settings.model_copy(update={"classes": 0}))
    except ValueError:
        return None
    return left - model.masks - points
