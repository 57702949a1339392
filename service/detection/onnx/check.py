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
from service.detection.onnx import container
from service.detection.onnx.decode import is_within_unit, yolo_columns
from service.detection.onnx.detector import SIZE_INPUT, Detector, channels_last
from service.detection.onnx.layout import (
    COCO,
    ModelOutputs,
    class_columns,
    decodable_kinds,
    is_understood,
    names_class,
    recognise_model,
    run_tests,
)
from service.detection.onnx.order import usual_order
from service.detection.onnx.settings import DetectorSettings, object_labels
from shared.limits import MAX_LABELS
from shared.wire.detection import ModelKind

_DEFAULT_SIDE: Final = 640
_MAX_CANDIDATES_SHARE: Final = 0.8
_CLEAR_MARGIN: Final = 1.0
_TASKS: Final = frozenset({"", "detect", "segment", "pose"})
_MAX_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """The kind of a model, its labels (of the file's metadata, else numbered), and its first settings."""

    kind: ModelKind
    labels: list[str]
    settings: DetectorSettings


def check(path: Path, kind: ModelKind | None, overrides: dict[str, Any], classes: int = 0) -> CheckedModel:
    """Open, recognise and test the model at `path`. Raises BadModel.

    kind: as a user chose; None to recognise it. overrides: settings that replace the recognised ones.
    classes: the number of labels that a user gave; 0 to use those in the file.
    """
    detector = open_model(path)
    metadata = dict(detector.session.get_modelmeta().custom_metadata_map)
    width, height = input_size(detector, overrides, metadata)
    try:
        model = run_tests(detector, metadata, width, height)
    except Exception as error:
        raise BadModel("dry_run_failed") from error
    if model.task not in _TASKS:
        raise BadModel("task_unsupported")
    names = _label_names(metadata.get("names", ""))
    recognised = kind or recognise_model(model, classes or len(names))
    sized = {**overrides, "width": width, "height": height}
    if detector.bytes:
        # The model scales by itself: numbers within 0..1 would be black.
        sized["values"] = "raw"
    if recognised is None:
        raise _unknown_kind(model, sized)
    habits = _usual_settings(recognised, detector, model, classes or len(names))
    if recognised is ModelKind.NMS_INSIDE:
        habits |= usual_order(model, detector.last, classes or len(names))
    if recognised is ModelKind.YOLO:
        habits |= _usual_yolo_settings(model, _settings({}, sized), classes or len(names))
    if habits.get("first_class", 0) is None and "first_class" not in overrides:
        raise BadModel("first_class_unknown")
    settings = _settings(habits, sized)
    if recognised is ModelKind.DETR and "activation" not in {**habits, **overrides}:
        raise BadModel("activation_unknown")
    labels = object_labels(
        _covering_labels(names, classes, recognised, model, settings), settings.first_class
    )
    if not is_understood(recognised, model, settings):
        if kind is None:
            raise _unknown_kind(model, sized)
        raise BadModel("kind_wrong", decodable_kinds(model, _settings({}, sized)))
    return CheckedModel(recognised, labels or _numbered_labels(recognised, model.outputs, settings), settings)


def open_model(path: Path) -> Detector:
    """Open the model at `path`, once it is known to need nothing else. Raises BadModel."""
    try:
        contents = container.read(path.read_bytes())
    except container.NotOnnx as error:
        raise BadModel("not_onnx") from error
    if contents.external_data:
        raise BadModel("external_data")
    if contents.foreign_domains:
        raise BadModel("custom_operators")
    try:
        return Detector(path)
    # ONNX Runtime raises classes of its own, all below Exception.
    except Exception as error:
        raise BadModel("cannot_open") from error


def _unknown_kind(model: ModelOutputs, overrides: dict[str, Any]) -> BadModel:
    kinds = decodable_kinds(model, _settings({}, overrides))
    return BadModel("kind_unknown" if kinds else "kind_unsupported", kinds)


def _covering_labels(
    names: dict[int, str], given: int, kind: ModelKind, model: ModelOutputs, settings: DetectorSettings
) -> list[str]:
    """The labels in the file, one for each class; a class between two named ones is numbered.

    names: the labels in the file by the number of their class. given: the number of labels that a user gave.
    Raises BadModel when labels and classes differ: a class without a label would never be found, and a label
    too many shows that a column is misread.
    """
    classes = class_columns(model, settings, kind)
    if settings.classes and classes is not None and settings.classes < classes and not given:
        # A user or the key points say where the classes end.
        classes = settings.classes
    last = max(names, default=-1)
    if names and min(names) == 1 and last == len(names) and classes in (None, len(names)):
        # Numbered from 1.
        names, last = {number - 1: name for number, name in names.items()}, last - 1
    if classes is not None and (given or names) and (given or last + 1) != classes:
        raise BadModel("labels_mismatch", classes=classes, labels=given or last + 1)
    return [names.get(number, f"class {number}") for number in range(min(last + 1, MAX_LABELS))]


def _settings(habits: dict[str, Any], overrides: dict[str, Any]) -> DetectorSettings:
    try:
        return DetectorSettings.model_validate({**habits, **overrides})
    except ValueError as error:
        raise BadModel("settings_wrong") from error


def input_size(detector: Detector, overrides: dict[str, Any], metadata: dict[str, str]) -> tuple[int, int]:
    """The width and height of the input of a model. Raises BadModel if it is no picture."""
    inputs = [tensor for tensor in detector.inputs if tensor.name != SIZE_INPUT]
    if len(inputs) != 1 or len(inputs[0].shape) != 4:
        raise BadModel("not_an_image_model")
    if inputs[0].type not in ("tensor(float)", "tensor(float16)", "tensor(uint8)"):
        raise BadModel("not_an_image_model")
    shape = inputs[0].shape[1:]
    channels, height, width = (shape[2], *shape[:2]) if channels_last(inputs[0].shape) else shape
    if (isinstance(channels, int) and channels != 3) or not 1 <= detector.batch <= _MAX_BATCH:
        raise BadModel("not_an_image_model")
    usual = _usual_size(metadata.get("imgsz", ""), _DEFAULT_SIDE)
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


def _usual_settings(kind: ModelKind, detector: Detector, model: ModelOutputs, classes: int) -> dict[str, Any]:
    """The usual settings of models of a kind; a user may choose others."""
    if kind is ModelKind.YOLOX:
        return {"colour": "bgr", "values": "raw", "fit": "corner"}
    if kind is ModelKind.NMS_INSIDE:
        return {"fit": "stretch", "confidence": 0.5} if detector.sized else {}
    if kind is ModelKind.DETR:
        activation = _activation(model.outputs, classes)
        # DETR and RF-DETR (whose outputs have these names) were trained on ImageNet's scale, RT-DETR and its
        # successors were not.
        imagenet = activation == "softmax" or set(model.names) == {"dets", "labels"}
        activated = {} if activation is None else {"activation": activation}
        ordered = {"columns": "confidence_class"} if names_class(model) else {}
        return {
            "values": "imagenet" if imagenet else "unit",
            "fit": "stretch",
            "confidence": 0.5,
            **activated,
            **ordered,
        }
    return {}


def _usual_yolo_settings(model: ModelOutputs, settings: DetectorSettings, names: int) -> dict[str, Any]:
    """The meaning of the numbers of a candidate, as far as the outputs and the number of labels say."""
    table = model.outputs[0].shape[-2:]
    try:
        lying, _, _ = yolo_columns(table, settings.model_copy(update={"objectness": False}))
        if not lying and table[1] == 4 + (names or COCO):
            return {"objectness": False}
        _, _, left = yolo_columns(table, settings)
    except ValueError:
        return {}
    points = model.key_point_numbers
    # The key points of a pose model that does not state their shape follow the classes.
    classes = names if points is None else left - model.masks - points
    return {"classes": classes} if 0 < classes < left else {}


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
    is_numbered = len(raw) == 1 and settings.columns == "confidence_class"
    if kind in (ModelKind.NMS_FREE, ModelKind.NMS_INSIDE) or (kind is ModelKind.DETR and is_numbered):
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


def _label_names(text: str) -> dict[int, str]:
    """The labels in a file's metadata by the number of their class: a JSON or Python list, or a mapping."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text[:200_000])
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            names = {int(number): name for number, name in pairs}
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if all(isinstance(name, str) for name in names.values()) and all(0 <= n < MAX_LABELS for n in names):
            return names
    return {}
