"""Tests DETR and its successors as their tools export them: recognised from the graph, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.detection.failure import BadModel
from service.detection.onnx.check import CheckedModel, check
from service.detection.onnx.decode import decode
from service.detection.onnx.detector import Detector
from service.detection.onnx.settings import DetectorSettings
from shared.record.geometry import Rect
from shared.wire.detection import ModelKind
from tests.service.detection.graphs import constant_model, sized_model
from tests.service.detection.onnx.test_understanding import refusal

CANDIDATES, CLASSES = 30, 5
PHOTO = np.full((100, 200, 3), 90, np.uint8)
# Centre and size as parts of the photo, and the same in px of it.
PLACE, BOX = (0.5, 0.6, 0.4, 0.3), Rect(60, 45, 80, 30)
NAMES = tuple("abcde")


def boxes() -> np.ndarray[Any, Any]:
    table = np.random.default_rng(1).uniform(0.2, 0.8, (1, CANDIDATES, 4)).astype(np.float32)
    table[0, 4] = PLACE
    return table


def sigmoid_logits() -> np.ndarray[Any, Any]:
    table = np.random.default_rng(2).normal(-5, 1, (1, CANDIDATES, CLASSES)).astype(np.float32)
    table[0, 4, 2] = 3
    return table


def softmax_logits(classes: int = CLASSES) -> np.ndarray[Any, Any]:
    table = np.random.default_rng(3).normal(-2, 1, (1, CANDIDATES, classes + 1)).astype(np.float32)
    table[..., -1] = 6
    table[0, 4, 2] = 12
    return table


def one_table() -> np.ndarray[Any, Any]:
    scores = 1 / (1 + np.exp(-sigmoid_logits()))
    return np.concatenate([boxes(), scores], axis=2)


def only_finding(path: Path, checked: CheckedModel) -> tuple[str, Rect]:
    (finding,) = Detector(path).detect(PHOTO, checked.kind, checked.settings, checked.labels)
    assert finding.confidence > 0.9
    return finding.label, finding.box


@pytest.mark.parametrize(
    ("outputs", "names", "activation", "values"),
    [
        # DETR, RT-DETR, RF-DETR (by the names of its outputs), Ultralytics RT-DETR.
        ({"logits": softmax_logits(), "pred_boxes": boxes()}, (), "softmax", "imagenet"),
        ({"logits": sigmoid_logits(), "pred_boxes": boxes()}, (), "sigmoid", "unit"),
        ({"dets": boxes(), "labels": sigmoid_logits()}, (), "sigmoid", "imagenet"),
        ({"output0": one_table()}, NAMES, "none", "unit"),
        # Two and three classes make tables as wide as other kinds have them.
        ({"output0": one_table()[..., :7]}, (), "none", "unit"),
        # The labels in the file say more than the numbers.
        ({"logits": sigmoid_logits() + 4.5, "pred_boxes": boxes()}, NAMES, "sigmoid", "unit"),
        ({"logits": softmax_logits(), "pred_boxes": boxes()}, NAMES, "softmax", "imagenet"),
    ],
)
def test_each_export_is_set_up_by_itself(
    tmp_path: Path, outputs: dict[str, Any], names: tuple[str, ...], activation: str, values: str
) -> None:
    path = constant_model(tmp_path / "detr.onnx", outputs, names=names)
    checked = check(path, None, {})
    assert checked.kind is ModelKind.DETR
    settings = checked.settings
    assert (settings.activation, settings.values, settings.fit) == (activation, values, "stretch")
    stricter = settings.model_copy(update={"confidence": 0.94})
    label, box = only_finding(path, CheckedModel(checked.kind, checked.labels, stricter))
    assert label == ("c" if names else "class 2")
    assert np.allclose([box.x, box.y, box.w, box.h], [BOX.x, BOX.y, BOX.w, BOX.h], atol=1)


def test_four_classes_are_distinguished_from_boxes(tmp_path: Path) -> None:
    logits = sigmoid_logits()[..., :4]
    path = constant_model(tmp_path / "detr.onnx", {"boxes": boxes(), "logits": logits})
    checked = check(path, None, {})
    assert (checked.settings.activation, checked.labels) == ("sigmoid", [f"class {n}" for n in range(4)])
    assert only_finding(path, checked)[0] == "class 2"


def test_ambiguous_class_outputs_are_refused(tmp_path: Path) -> None:
    logits = np.random.default_rng(4).normal(0, 2, (1, CANDIDATES, CLASSES)).astype(np.float32)
    path = constant_model(tmp_path / "detr.onnx", {"logits": logits, "pred_boxes": boxes()})
    assert refusal(path).code == "activation_unknown"
    for activation in ("sigmoid", "softmax"):
        assert check(path, None, {"activation": activation}).settings.activation == activation


def test_other_tables_are_not_recognised_as_detr(tmp_path: Path) -> None:
    table = np.zeros((1, 300, 6), np.float32)
    path = constant_model(tmp_path / "empty.onnx", {"output0": table})
    assert check(path, None, {}).kind is ModelKind.NMS_FREE
    table[0, :, :4] = (10, 10, 20, 20)
    table[0, :, 4] = 0.3
    path = constant_model(tmp_path / "full.onnx", {"output0": table})
    assert check(path, None, {}).kind is ModelKind.NMS_FREE


def best_class_table(score: float = 0.3) -> np.ndarray[Any, Any]:
    """Centre, size, confidence and class number of each candidate, as Ultralytics 8.4 exports RT-DETR."""
    table = np.concatenate([boxes(), np.full((1, CANDIDATES, 2), score, np.float32)], axis=2)
    table[0, :, 2:4] *= 0.5
    table[..., 5] = np.arange(CANDIDATES) % CLASSES
    table[0, 4] = (*PLACE, 0.95, 2)
    return table


@pytest.mark.parametrize("score", [0.01, 0.3])
@pytest.mark.parametrize("names", [NAMES, ()])
def test_table_with_the_number_of_the_best_class_has_centres(
    tmp_path: Path, score: float, names: tuple[str, ...]
) -> None:
    path = constant_model(tmp_path / "detr.onnx", {"output0": best_class_table(score)}, names=names)
    checked = check(path, None, {})
    assert (checked.kind, checked.settings.fit, checked.labels) == (ModelKind.DETR, "stretch", list(names))
    label, box = only_finding(path, checked)
    assert label == ("c" if names else "class 2")
    assert np.allclose([box.x, box.y, box.w, box.h], [BOX.x, BOX.y, BOX.w, BOX.h], atol=1)
    # As corners, or with the class number as a confidence, it would find nothing.
    assert refusal(path, ModelKind.NMS_FREE).code == "kind_wrong"
    with pytest.raises(BadModel, match="类型不符"):
        check(path, ModelKind.DETR, {"columns": "class_confidence"})


def test_second_confidence_near_zero_does_not_count_as_a_class_number(tmp_path: Path) -> None:
    table = one_table()[..., :6]
    table[..., 4], table[..., 5] = 0.1, 1e-4
    path = constant_model(tmp_path / "detr.onnx", {"output0": table}, names=("dent", "crack"))
    assert check(path, None, {}).settings.columns == "class_confidence"


def test_single_class_does_not_count_as_a_second_confidence(tmp_path: Path) -> None:
    table = best_class_table()
    table[..., 5] = 0
    path = constant_model(tmp_path / "detr.onnx", {"output0": table}, names=("dent",))
    checked = check(path, None, {})
    assert (checked.settings.columns, only_finding(path, checked)[0]) == ("confidence_class", "dent")


@pytest.mark.parametrize("classes", [2, CLASSES])
def test_places_that_may_be_corners_or_centres_are_asked_for(tmp_path: Path, classes: int) -> None:
    table = best_class_table()
    table[..., 5] %= classes
    table[..., 2:4] += table[..., :2] * 0.5
    table[0, :, 2:4] = np.maximum(table[0, :, 2:4], table[0, :, :2])
    table[0, 4, :4] = (0.3, 0.45, 0.7, 0.75)
    path = constant_model(tmp_path / "detr.onnx", {"output0": table}, names=NAMES)
    refused = refusal(path)
    assert (refused.code, refused.kinds) == ("kind_unknown", ["nms_free", "detr"])
    corners, centres = check(path, ModelKind.NMS_FREE, {}), check(path, ModelKind.DETR, {})
    assert (corners.settings.fit, centres.settings.fit) == ("centre", "stretch")
    assert centres.settings.columns == "confidence_class"


def test_later_numbers_that_are_no_classes_are_an_error() -> None:
    table = best_class_table()
    settings = DetectorSettings(width=64, height=64, columns="confidence_class")
    assert len(decode(ModelKind.DETR, [table], settings).boxes) == CANDIDATES
    table[0, 3, 5] = 0.5
    with pytest.raises(ValueError, match="whole numbers"):
        decode(ModelKind.DETR, [table], settings)


def test_export_with_a_size_input_gets_the_size_of_its_image_input(tmp_path: Path) -> None:
    parts = np.array([[0.3, 0.45, 0.7, 0.75], [0.1, 0.1, 0.2, 0.2]], np.float32)
    path = sized_model(tmp_path / "dfine.onnx", parts, np.array([0.95, 0.1], np.float32))
    checked = check(path, None, {})
    assert checked.kind is ModelKind.NMS_INSIDE
    assert (checked.settings.fit, checked.settings.values) == ("stretch", "unit")
    label, box = only_finding(path, checked)
    assert label == "class 0"
    assert np.allclose([box.x, box.y, box.w, box.h], [BOX.x, BOX.y, BOX.w, BOX.h], atol=1)
