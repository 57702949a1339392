"""Checks a model file on its way in and recognises what kind of model it is.

It runs in a process of its own with a time limit (`service.detection.compute.worker --check`), because a
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
from service.detection.onnx.decode import ROUNDING, cells, decode, grids, within_unit, yolo_columns
from service.detection.onnx.detector import SIZE_INPUT, Detector, channels_last
from service.detection.onnx.settings import DetectorSettings
from shared.limits import MAX_LABELS
from shared.wire.detection import ModelKind

_DEFAULT_SIDE: Final = 640
_MOST: Final = 0.8
_CLEARLY: Final = 1.0
_TASKS: Final = frozenset({"", "detect", "segment", "pose"})
_COCO: Final = 80
_MOST_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Checked:
    """What was recognised: kind, labels (of the file's metadata, else numbered), settings to start from."""

    kind: ModelKind
    labels: list[str]
    settings: DetectorSettings


def check(path: Path, kind: ModelKind | None, overrides: dict[str, Any], classes: int = 0) -> Checked:
    """Open, recognise and dry-run the model at `path`.

    kind: as chosen by a person; None: recognised. overrides: settings that replace the recognised ones.
    classes: how many labels a person gave; 0: those in the file count. Raises BadModel.
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
    recognised = kind or _recognised(raw, width, height, class_count)
    if kind is None and recognised is ModelKind.BACKBONE:
        # A backbone whose file leaves the size of its input open has another usual size.
        return check(path, ModelKind.BACKBONE, overrides, classes)
    if recognised is None:
        kinds = _readable_as(raw, sized)
        raise BadModel("kind_unknown" if kinds else "kind_unsupported", kinds)
    habits = _habits(recognised, detector, raw, class_count)
    if recognised is ModelKind.YOLO:
        habits |= _yolo_habits(raw, DetectorSettings(width=width, height=height), class_count)
    if detector.bytes:
        # Such a model scales by itself; from numbers within 0..1 it would see black.
        sized["values"] = "raw"
    settings = _settings(habits, sized)
    if recognised is ModelKind.DETR and "activation" not in {**habits, **overrides}:
        raise BadModel("activation_unknown")
    if not _reads(recognised, raw, settings):
        kinds = _readable_as(raw, sized)
        if kind is None:
            raise BadModel("kind_unknown" if kinds else "kind_unsupported", kinds)
        raise BadModel("backbone_wrong" if kind is ModelKind.BACKBONE else "kind_wrong", kinds)
    return Checked(recognised, labels[:MAX_LABELS] or _numbered(recognised, raw, settings), settings)


def _recognised(raw: list[NDArray[np.generic]], width: int, height: int, classes: int) -> ModelKind | None:
    if _is_detr_table(raw, cells(width, height)):
        return ModelKind.DETR
    shapes = [output.shape for output in raw]
    kind = recognise(shapes, width, height)
    if kind is None and backbone.patch_grid(shapes, width, height) is not None:
        return ModelKind.BACKBONE
    if kind is not ModelKind.YOLOX:
        return kind
    # A row per cell: labels tell that there is no objectness, which YOLOX always has.
    return (
        ModelKind.YOLO
        if raw[0].shape[-1] == 4 + (classes or _COCO)
        else _with_grid(raw[0], max(width, height))
    )


def _settings(habits: dict[str, Any], overrides: dict[str, Any]) -> DetectorSettings:
    try:
        return DetectorSettings.model_validate({**habits, **overrides})
    except ValueError as error:
        raise BadModel("settings_wrong") from error


def _reads(kind: ModelKind, raw: list[NDArray[np.generic]], settings: DetectorSettings) -> bool:
    if kind is ModelKind.REFERENCE_DIFFERENCE:
        return False
    if kind is ModelKind.BACKBONE:
        grid = backbone.patch_grid([output.shape for output in raw], settings.width, settings.height)
        return grid is not None and bool(np.all(np.isfinite(grid.patches(raw))))
    try:
        decoded = decode(kind, raw, settings)
    except (ValueError, IndexError):
        return False
    # What a DETR says may have to be activated first. Points and angles are not confidences.
    return kind is ModelKind.DETR or not bool(np.any(decoded.confidences > 1 + ROUNDING))


def _readable_as(raw: list[NDArray[np.generic]], overrides: dict[str, Any]) -> list[str]:
    """The kinds that the outputs of the dry run can be decoded as."""
    settings = _settings({}, overrides)
    return [kind.value for kind in ModelKind if _reads(kind, raw, settings)]


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
    if (isinstance(channels, int) and channels != 3) or not 1 <= detector.batch <= _MOST_BATCH:
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
    """Height and width that a model was trained for, in a file's metadata: one number or both."""
    try:
        value = ast.literal_eval(text[:100])
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        value = default
    sides = list(value) if isinstance(value, list | tuple) else [value]
    if len(sides) not in (1, 2) or not all(type(side) is int and 32 <= side <= 8192 for side in sides):
        sides = [default]
    return sides[0], sides[-1]


def recognise(shapes: list[tuple[int, ...]], width: int, height: int) -> ModelKind | None:
    """The kind of detector whose outputs have these shapes; None when none or several could be meant."""
    count, others = cells(width, height), grids(width, height)
    # Beside the candidates of a segmentation lie the masks that they mix.
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


def _with_grid(table: NDArray[np.generic], side: int) -> ModelKind | None:
    """Whether the table is YOLOX's, centres relative to grid cells, or has them decoded into input px.

    Relative centres lie within a few cells; decoded ones are spread over the whole input. None in between.
    """
    centres = table.reshape(-1, table.shape[-1])[:, :2].astype(np.float64)
    spread = float(np.ptp(centres))
    if spread < side / 8:
        return ModelKind.YOLOX
    return ModelKind.YOLO if spread > side / 2 else None


def _is_detr_table(raw: list[NDArray[np.generic]], count: int) -> bool:
    """Whether the one output is DETR's boxes and class confidences side by side, all of them parts of 1.

    Candidates of other kinds are in px, and as many as there are cells, or are padded with zeros.
    """
    if len(raw) != 1 or raw[0].ndim != 3 or raw[0].shape[2] < 5 or raw[0].shape[1] in (count, 3 * count):
        return False
    table = raw[0][0].astype(np.float64)
    whole = bool(np.all(table[:, 4:] == np.rint(table[:, 4:])))
    return len(table) > 0 and within_unit(table) and bool(np.all(table[:, 2:4] > 0)) and not whole


def _habits(
    kind: ModelKind, detector: Detector, raw: list[NDArray[np.generic]], classes: int
) -> dict[str, Any]:
    """How models of a kind are usually fed and read; a person may choose otherwise."""
    if kind is ModelKind.YOLOX:
        return {"colour": "bgr", "values": "raw", "fit": "corner"}
    if kind is ModelKind.BACKBONE:
        return {"values": "imagenet", "fit": "stretch"}
    if kind is ModelKind.NMS_INSIDE and detector.sized:
        return {"fit": "stretch", "confidence": 0.5}
    if kind is ModelKind.DETR:
        activation = _activation(raw, classes)
        # DETR itself and RF-DETR (whose outputs have these names) were trained on ImageNet's scale; RT-DETR
        # and what came of it were not.
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


def _yolo_habits(raw: list[NDArray[np.generic]], settings: DetectorSettings, classes: int) -> dict[str, Any]:
    """What the numbers of a candidate are, as far as the number of labels tells."""
    table = raw[0].shape[-2:]
    try:
        lying, _, _ = yolo_columns(table, settings.model_copy(update={"objectness": False}))
        count = table[0] if lying else table[1]
        if not lying and count == 4 + (classes or _COCO):
            return {"objectness": False}
        _, _, left = yolo_columns(table, settings)
    except ValueError:
        return {}
    # Behind the classes a segmentation has as many numbers as there are masks to mix.
    masks = raw[1].shape[1] if len(raw) == 2 and raw[1].ndim == 4 else 0
    behind = classes or left - masks
    return {"classes": behind} if 0 < behind < left else {}


def _activation(raw: list[NDArray[np.generic]], names: int) -> str | None:
    """How class outputs of a DETR become confidences, by what it says of a grey picture; None: unclear.

    With softmax the last class is "nothing", and nearly every candidate is that; with sigmoid no class is
    likely. `names` is the number of labels in the file, 0 for none.
    """
    if len(raw) == 1:
        return "none"
    tables = [output for output in raw if output.ndim == 3 and output.shape[-1] != 4]
    # With four classes only the values tell them from the boxes.
    tables = tables or [output for output in raw if output.ndim == 3 and not within_unit(output)]
    if not tables or within_unit(tables[0]):
        return "none"
    logits = tables[0][0].astype(np.float64)
    classes = logits.shape[1]
    if names in (classes, classes - 1):
        return "sigmoid" if names == classes else "softmax"
    others = logits[:, :-1].max(axis=1)
    if np.mean(logits[:, -1] > others) > _MOST and np.median(logits[:, -1] - others) > _CLEARLY:
        return "softmax"
    return "sigmoid" if np.mean(logits.max(axis=1) < 0) > _MOST else None


def _numbered(kind: ModelKind, raw: list[NDArray[np.generic]], settings: DetectorSettings) -> list[str]:
    """Labels for the classes of a file that names none."""
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
    """Labels in a file's metadata: a JSON or Python list or mapping from number to name."""
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
