"""Checks a new model file and recognises its kind.

It runs in a separate process with a time limit (`service.detection.compute.worker --check`), because a
hostile file may crash or stall ONNX Runtime.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.detection.failure import BadModel
from service.detection.onnx import backbone, container
from service.detection.onnx.decode import ROUNDING, cells, decode, grids, is_within_unit, yolo_columns
from service.detection.onnx.detector import SIZE_INPUT, Detector, channels_last
from service.detection.onnx.settings import DetectorSettings
from shared.limits import MAX_LABELS
from shared.wire.detection import ModelKind

_DEFAULT_SIDE: Final = 640
_MAX_CANDIDATES_SHARE: Final = 0.8
_CLEAR_MARGIN: Final = 1.0
_TASKS: Final = frozenset({"", "detect", "segment", "pose"})
_COCO: Final = 80
_MAX_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """The kind of a model, its labels (of the file's metadata, else numbered), and its first settings."""

    kind: ModelKind
    labels: list[str]
    settings: DetectorSettings


def check(path: Path, kind: ModelKind | None, overrides: dict[str, Any], classes: int = 0) -> CheckedModel:
    """Open, recognise and dry-run the model at `path`. Raises BadModel.

    kind: as a user chose; None to recognise it. overrides: settings that replace the recognised ones.
    classes: the number of labels that a user gave; 0 to use those in the file.
    """
    try:
        contents = container.read(path.read_bytes())
    except container.NotOnnx as error:
        raise BadModel("not_onnx") from error
    if contents.external_data:
        raise BadModel("external_data")
    if contents.foreign_domains:
        raise BadModel("custom_operators")
    try:
        detector = Detector(path)
    # ONNX Runtime raises classes of its own, all below Exception.
    except Exception as error:
        raise BadModel("cannot_open") from error
    metadata = dict(detector.session.get_modelmeta().custom_metadata_map)
    if metadata.get("task", "").strip("'\"") not in _TASKS:
        raise BadModel("task_unsupported")
    usual = backbone.SIDE if kind is ModelKind.BACKBONE else _DEFAULT_SIDE
    width, height = _input_size(detector, overrides, metadata, usual)
    try:
        raw = detector.outputs(np.full((1, 3, height, width), 0.45, np.float32))
    except Exception as error:
        raise BadModel("dry_run_failed") from error
    labels = _label_names(metadata.get("names", ""))
    class_count = classes or len(labels)
    sized = {**overrides, "width": width, "height": height}
    recognised = kind or _recognise_outputs(raw, width, height, class_count)
    if kind is None and recognised is ModelKind.BACKBONE:
        # A backbone whose file does not fix the size of its input has another usual size.
        return check(path, ModelKind.BACKBONE, overrides, classes)
    if recognised is None:
        kinds = _decodable_kinds(raw, sized)
        raise BadModel("kind_unknown" if kinds else "kind_unsupported", kinds)
    habits = _usual_settings(recognised, detector, raw, class_count)
    if recognised is ModelKind.YOLO:
        habits |= _usual_yolo_settings(raw, DetectorSettings(width=width, height=height), class_count)
    if detector.bytes:
        # The model scales by itself: numbers within 0..1 would be black.
        sized["values"] = "raw"
    settings = _settings(habits, sized)
    if recognised is ModelKind.DETR and "activation" not in {**habits, **overrides}:
        raise BadModel("activation_unknown")
    if not _can_decode(recognised, raw, settings):
        kinds = _decodable_kinds(raw, sized)
        if kind is None:
            raise BadModel("kind_unknown" if kinds else "kind_unsupported", kinds)
        raise BadModel("backbone_wrong" if kind is ModelKind.BACKBONE else "kind_wrong", kinds)
    return CheckedModel(
        recognised, labels[:MAX_LABELS] or _numbered_labels(recognised, raw, settings), settings
    )


def _recognise_outputs(
    raw: list[NDArray[np.generic]], width: int, height: int, classes: int
) -> ModelKind | None:
    if _is_detr_table(raw, cells(width, height)):
        return ModelKind.DETR
    shapes = [output.shape for output in raw]
    kind = recognise(shapes, width, height)
    if kind is None and backbone.patch_grid(shapes, width, height) is not None:
        return ModelKind.BACKBONE
    if kind is not ModelKind.YOLOX:
        return kind
    # A row per cell. If the labels leave no room for objectness, it is not YOLOX, which always has it.
    return (
        ModelKind.YOLO
        if raw[0].shape[-1] == 4 + (classes or _COCO)
        else _yolox_or_yolo(raw[0], max(width, height))
    )


def _settings(habits: dict[str, Any], overrides: dict[str, Any]) -> DetectorSettings:
    try:
        return DetectorSettings.model_validate({**habits, **overrides})
    except ValueError as error:
        raise BadModel("settings_wrong") from error


def _can_decode(kind: ModelKind, raw: list[NDArray[np.generic]], settings: DetectorSettings) -> bool:
    if kind is ModelKind.REFERENCE_DIFFERENCE:
        return False
    if kind is ModelKind.BACKBONE:
        grid = backbone.patch_grid([output.shape for output in raw], settings.width, settings.height)
        return grid is not None and bool(np.all(np.isfinite(grid.patches(raw))))
    try:
        decoded = decode(kind, raw, settings)
    except (ValueError, IndexError):
        return False
    # The outputs of a DETR may have to be activated first. Points and angles are not confidences.
    return kind is ModelKind.DETR or not bool(np.any(decoded.confidences > 1 + ROUNDING))


def _decodable_kinds(raw: list[NDArray[np.generic]], overrides: dict[str, Any]) -> list[str]:
    """The kinds that the outputs of the dry run can be decoded as."""
    settings = _settings({}, overrides)
    return [kind.value for kind in ModelKind if _can_decode(kind, raw, settings)]


def _input_size(
    detector: Detector, overrides: dict[str, Any], metadata: dict[str, str], default: int
) -> tuple[int, int]:
    inputs = [tensor for tensor in detector.inputs if tensor.name != SIZE_INPUT]
    if len(inputs) != 1 or len(inputs[0].shape) != 4:
        raise BadModel("not_an_image_model")
    if inputs[0].type not in ("tensor(float)", "tensor(float16)", "tensor(uint8)"):
        raise BadModel("not_an_image_model")
    shape = inputs[0].shape[1:]
    channels, height, width = (shape[2], *shape[:2]) if channels_last(inputs[0].shape) else shape
    if (isinstance(channels, int) and channels != 3) or not 1 <= detector.batch <= _MAX_BATCH:
        raise BadModel("not_an_image_model")
    usual = _usual_size(metadata.get("imgsz", ""), default)
    sides = []
    for fixed, name, trained in ((width, "width", usual[1]), (height, "height", usual[0])):
        side = fixed if isinstance(fixed, int) else overrides.get(name, trained)
        if not isinstance(side, int) or isinstance(side, bool) or not 32 <= side <= 8192:
            raise BadModel("not_an_image_model")
        sides.append(side)
    return sides[0], sides[1]


def _usual_size(text: str, default: int) -> tuple[int, int]:
    """The height and width that a model was trained for, from a file's metadata: one number or both."""
    try:
        value = ast.literal_eval(text[:100])
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        value = default
    sides = list(value) if isinstance(value, list | tuple) else [value]
    if len(sides) not in (1, 2) or not all(type(side) is int and 32 <= side <= 8192 for side in sides):
        sides = [default]
    return sides[0], sides[-1]


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


def _is_detr_table(raw: list[NDArray[np.generic]], count: int) -> bool:
    """Whether the only output has boxes and class confidences of a DETR in one table, all within 0..1.

    Candidates of other kinds are in px, or there is one for each cell, or they are padded with zeros.
    """
    if len(raw) != 1 or raw[0].ndim != 3 or raw[0].shape[2] < 5 or raw[0].shape[1] in (count, 3 * count):
        return False
    table = raw[0][0].astype(np.float64)
    whole = bool(np.all(table[:, 4:] == np.rint(table[:, 4:])))
    return len(table) > 0 and is_within_unit(table) and bool(np.all(table[:, 2:4] > 0)) and not whole


def _usual_settings(
    kind: ModelKind, detector: Detector, raw: list[NDArray[np.generic]], classes: int
) -> dict[str, Any]:
    """The usual settings of models of a kind; a user may choose others."""
    if kind is ModelKind.YOLOX:
        return {"colour": "bgr", "values": "raw", "fit": "corner"}
    if kind is ModelKind.BACKBONE:
        return {"values": "imagenet", "fit": "stretch"}
    if kind is ModelKind.NMS_INSIDE and detector.sized:
        return {"fit": "stretch", "confidence": 0.5}
    if kind is ModelKind.DETR:
        activation = _activation(raw, classes)
        # DETR and RF-DETR (whose outputs have these names) were trained on ImageNet's scale, RT-DETR and its
        # successors were not.
        outputs = {output.name for output in detector.session.get_outputs()}
        imagenet = activation == "softmax" or outputs == {"dets", "labels"}
        activated = {} if activation is None else {"activation": activation}
        return {
            "values": "imagenet" if imagenet else "unit",
            "fit": "stretch",
            "confidence": 0.5,
            **activated,
        }
    return {}


def _usual_yolo_settings(
    raw: list[NDArray[np.generic]], settings: DetectorSettings, classes: int
) -> dict[str, Any]:
    """The meaning of the numbers of a candidate, as far as the number of labels determines it."""
    table = raw[0].shape[-2:]
    try:
        lying, _, _ = yolo_columns(table, settings.model_copy(update={"objectness": False}))
        count = table[0] if lying else table[1]
        if not lying and count == 4 + (classes or _COCO):
            return {"objectness": False}
        _, _, left = yolo_columns(table, settings)
    except ValueError:
        return {}
    # After the classes, a segmentation has one number for each mask to mix.
    masks = raw[1].shape[1] if len(raw) == 2 and raw[1].ndim == 4 else 0
    behind = classes or left - masks
    return {"classes": behind} if 0 < behind < left else {}


def _activation(raw: list[NDArray[np.generic]], names: int) -> str | None:
    """The activation of the class outputs of a DETR, from its outputs for a grey picture; None if unclear.

    With softmax the last class is "nothing", and nearly every candidate has it. With sigmoid no class is
    likely. names: the number of labels in the file, 0 for none.
    """
    if len(raw) == 1:
        return "none"
    tables = [output for output in raw if output.ndim == 3 and output.shape[-1] != 4]
    # With four classes only the values distinguish them from the boxes.
    tables = tables or [output for output in raw if output.ndim == 3 and not is_within_unit(output)]
    if not tables or is_within_unit(tables[0]):
        return "none"
    logits = tables[0][0].astype(np.float64)
    classes = logits.shape[1]
    if names in (classes, classes - 1):
        return "sigmoid" if names == classes else "softmax"
    others = logits[:, :-1].max(axis=1)
    if (
        np.mean(logits[:, -1] > others) > _MAX_CANDIDATES_SHARE
        and np.median(logits[:, -1] - others) > _CLEAR_MARGIN
    ):
        return "softmax"
    return "sigmoid" if np.mean(logits.max(axis=1) < 0) > _MAX_CANDIDATES_SHARE else None


def _numbered_labels(
    kind: ModelKind, raw: list[NDArray[np.generic]], settings: DetectorSettings
) -> list[str]:
    """Numbered labels for the classes of a file without labels."""
    if kind in (ModelKind.NMS_FREE, ModelKind.NMS_INSIDE, ModelKind.BACKBONE):
        return []
    if kind is ModelKind.DETR:
        classes = next((output.shape[-1] for output in raw if output.shape[-1] != 4), 4)
        classes -= 4 * (len(raw) == 1)
        classes -= settings.activation == "softmax"
    elif kind is ModelKind.YOLO:
        classes = yolo_columns(raw[0].shape[-2:], settings)[2]
    else:
        classes = raw[0].shape[-1] - 5
    return [f"class {number}" for number in range(min(classes, MAX_LABELS))]


def _label_names(text: str) -> list[str]:
    """The labels in a file's metadata: a JSON or Python list, or a mapping from number to name."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text[:200_000])
            if isinstance(value, dict):
                value = [name for _, name in sorted(value.items(), key=lambda pair: int(pair[0]))]
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return value
    return []
