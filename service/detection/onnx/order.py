"""Finds the order and the numbering in the outputs of a detector that merges candidates itself."""

from __future__ import annotations

from typing import Final

import numpy as np

from service.detection.onnx.decode import MAX_RELATIVE, ROUNDING, apart
from service.detection.onnx.layout import ModelOutputs, all_rows

_TORCHVISION: Final = frozenset({"boxes", "scores", "labels"})


def usual_order(model: ModelOutputs, channels_last: bool, labels: int) -> dict[str, object]:
    """The order of numbers in the outputs of a model that merges candidates itself, as settings.

    TensorFlow's detection models, which have the channels of their input last, give y1, x1, y2, x2.
    YOLO-NAS ends its rows with confidence and class, YOLOv7 with class and confidence. `first_class` is None
    if neither the names of the outputs nor their numbers say it. labels: their number, 0 for none.
    """
    names = _names(model)
    if len(names) == 1:
        is_swapped = names[0].endswith("flat_predictions") or _ends_with_class(model)
        return {"columns": "confidence_class"} if is_swapped else {}
    parts = [output for output in model.outputs if output.ndim > 1 and output.shape[-1] == 4]
    in_parts = channels_last and bool(parts) and float(np.abs(parts[0]).max(initial=0)) <= MAX_RELATIVE
    is_tensorflow = "detection_boxes" in names or in_parts
    return {"corners": "yxyx" if is_tensorflow else "xyxy", "first_class": _first_class(model, labels)}


def _names(model: ModelOutputs) -> list[str]:
    return [name.split(":")[0] for name in model.names]


def _first_class(model: ModelOutputs, labels: int) -> int | None:
    """The number of the first class: 1 where 0 is the background, as for TensorFlow and torchvision."""
    try:
        found = [apart(raw) for raw in model.runs]
    except ValueError:
        # What is not understood is refused for that.
        return 0
    seen = np.concatenate([classes[confidences > ROUNDING] for _, confidences, classes in found])
    if np.any(seen == 0):
        return 0
    if labels and seen.max(initial=0) == labels:
        return 1
    names = _names(model)
    if "detection_classes" in names:
        place = names.index("detection_classes")
        return int(all(raw[place].min(initial=1) >= 1 for raw in model.runs))
    # Without a dimension for the images of a batch: torchvision numbers from 1, Detectron2 from 0.
    if all(output.ndim <= 2 for output in model.outputs):
        return 1 if set(names) == _TORCHVISION else None
    return 0


def _ends_with_class(model: ModelOutputs) -> bool:
    """Whether the last of seven columns is a class in all rows, and the one before it is not."""
    if model.outputs[0].ndim != 2 or model.outputs[0].shape[1] != 7:
        return False
    last = all_rows(model)[:, 5:]
    is_whole = np.all(np.abs(last - np.rint(last)) <= ROUNDING, axis=0)
    return not is_whole[0] and bool(is_whole[1])
