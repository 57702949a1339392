"""Tests that a model is accepted only when each of its outputs is understood.

A model that is misread finds nothing, and passes every photo.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from service.detection.failure import BadModel
from service.detection.onnx.check import check
from service.detection.onnx.decode import cells
from service.detection.onnx.detector import Detector
from shared.wire.detection import ModelKind
from tests.service.detection.graphs import constant_model

SIDE = 640
PHOTO = np.full((SIDE, SIDE, 3), 90, np.uint8)
CORNERS = (100.0, 200.0, 300.0, 260.0)
CELLS = cells(SIDE, SIDE)
SIZE = (SIDE, SIDE)


def grid_centres() -> Any:
    """The middles (n, 2) of the cells of the grids with 8, 16 and 32 px."""
    parts = []
    for stride in (8, 16, 32):
        y, x = np.mgrid[0 : SIDE // stride, 0 : SIDE // stride]
        parts.append((np.stack([x.ravel(), y.ravel()], axis=1) + 0.5) * stride)
    return np.concatenate(parts)


def yolo_columns(*scores: float) -> Any:
    """The table (1, 4 + scores, n) of a YOLOv8 whose candidate 2000 is the box with these scores."""
    table = np.zeros((1, CELLS, 4 + len(scores)), np.float32)
    table[0, :, :2] = grid_centres()
    table[0, :, 2:4] = 16
    x1, y1, x2, y2 = CORNERS
    table[0, 2000] = [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, *scores]
    return np.ascontiguousarray(table.transpose(0, 2, 1))


def found(path: Path, classes: int = 0, labels: list[str] | None = None) -> list[tuple[str, float, Any]]:
    """Label, confidence and corners of each finding in a grey photo."""
    checked = check(path, None, {}, classes)
    findings = Detector(path).detect(PHOTO, checked.kind, checked.settings, labels or checked.labels)
    return [
        (
            finding.label,
            round(finding.confidence, 3),
            [round(number) for number in (b.x, b.y, b.right, b.bottom)],
        )
        for finding in findings
        for b in [finding.box]
    ]


def refusal(path: Path, kind: ModelKind | None = None, classes: int = 0) -> BadModel:
    """Why the check refuses the model."""
    with pytest.raises(BadModel) as refused:
        check(path, kind, {}, classes)
    return refused.value


def test_a_class_between_two_named_ones_is_found(tmp_path: Path) -> None:
    path = constant_model(
        tmp_path / "m.onnx",
        {"o": yolo_columns(0, 0, 0.9)},
        metadata={"names": "{0: 'crack', 2: 'dent'}"},
        size=SIZE,
    )
    assert check(path, None, {}).labels == ["crack", "class 1", "dent"]
    assert found(path) == [("dent", 0.9, list(CORNERS))]


def test_labels_that_are_numbered_from_1_belong_to_the_classes_in_order(tmp_path: Path) -> None:
    path = constant_model(
        tmp_path / "m.onnx",
        {"o": yolo_columns(0, 0.9)},
        metadata={"names": "{1: 'crack', 2: 'dent'}"},
        size=SIZE,
    )
    assert found(path) == [("dent", 0.9, list(CORNERS))]


@pytest.mark.parametrize("names", ["{0: 'crack'}", "{0: 'a', 1: 'b', 2: 'c'}", "['crack']"])
def test_labels_of_the_file_that_do_not_cover_the_classes_are_refused(names: str, tmp_path: Path) -> None:
    path = constant_model(
        tmp_path / "m.onnx", {"o": yolo_columns(0, 0.9)}, metadata={"names": names}, size=SIZE
    )
    refused = refusal(path)
    assert (refused.code, refused.counts["classes"]) == ("labels_mismatch", 2)


def test_too_few_given_labels_are_refused(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "m.onnx", {"o": yolo_columns(0, 0.9)}, size=SIZE)
    refused = refusal(path, classes=1)
    assert (refused.code, refused.counts) == ("labels_mismatch", {"classes": 2, "labels": 1})
    assert found(path, classes=2, labels=["crack", "dent"]) == [("dent", 0.9, list(CORNERS))]


def test_angles_of_turned_boxes_are_not_a_class(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "m.onnx", {"o": yolo_columns(0, 0.9, 0.4)}, size=SIZE)
    assert refusal(path, classes=2).code == "labels_mismatch"


@pytest.mark.parametrize("width", [6, 7])
@pytest.mark.parametrize(
    "row",
    [[0.02, 0.02, 0.02, 0.02, 0.9, 0.02, 0.02], [0, 0, 0, 0, 1, 0, 0]],
    ids=["softmax", "hardmax"],
)
def test_classifier_is_refused(width: int, row: list[float], tmp_path: Path) -> None:
    path = constant_model(
        tmp_path / "m.onnx", {"probs": np.array([row[:width]], np.float32)}, size=(224, 224)
    )
    refused = refusal(path)
    assert (refused.code, refused.kinds) == ("kind_unsupported", [])
    for kind in (ModelKind.NMS_FREE, ModelKind.NMS_INSIDE):
        assert refusal(path, kind).code == "kind_wrong"


def merged_table(columns: int, *rows: tuple[float, ...]) -> Any:
    table = np.zeros((1, 300, columns), np.float32)
    for place, row in enumerate(rows):
        table[0, place, : len(row)] = row
    return table


def test_table_of_turned_boxes_is_refused(tmp_path: Path) -> None:
    table = merged_table(7, (*CORNERS, 0.9, 1, 0.2), (10, 10, 30, 40, 0.5, 0, 0))
    path = constant_model(tmp_path / "m.onnx", {"output0": table}, size=SIZE)
    refused = refusal(path)
    assert (refused.code, refused.kinds) == ("kind_unsupported", [])


def test_key_points_behind_a_merged_box_are_ignored(tmp_path: Path) -> None:
    table = merged_table(57, (*CORNERS, 0.9, 1, 12.0, 13.0, 0.7))
    metadata = {"end2end": "True", "task": "pose", "names": "{0: 'p', 1: 'q'}", "kpt_shape": "[17, 3]"}
    path = constant_model(tmp_path / "m.onnx", {"output0": table}, metadata=metadata, size=SIZE)
    assert check(path, None, {}).kind is ModelKind.NMS_FREE
    assert found(path) == [("q", 0.9, list(CORNERS))]
    # Without a word of the exporter the columns could be anything, and no kind is offered.
    path = constant_model(tmp_path / "n.onnx", {"output0": table}, size=SIZE)
    refused = refusal(path)
    assert (refused.code, refused.kinds) == ("kind_unsupported", [])


SEGMENTS = {"task": "segment", "names": "{0: 'p', 1: 'q'}", "end2end": "False"}
PROTOTYPES = np.zeros((1, 32, 160, 160), np.float32)


@pytest.mark.parametrize("metadata", [{}, {"args": "{'batch': 1, 'nms': True}"}, {"args": "["}])
def test_masks_behind_a_merged_box_are_ignored(metadata: dict[str, str], tmp_path: Path) -> None:
    table = merged_table(38, (*CORNERS, 0.9, 1, *np.full(32, 0.4)))
    outputs = {"output0": table, "output1": PROTOTYPES}
    path = constant_model(tmp_path / "m.onnx", outputs, metadata=SEGMENTS | metadata, size=SIZE)
    assert check(path, None, {}).kind is ModelKind.NMS_FREE
    assert found(path) == [("q", 0.9, list(CORNERS))]


@pytest.mark.parametrize(
    "row",
    [(), (*CORNERS, 0.9, 0.3), (*CORNERS, 1.7, 1), (300.0, 260.0, 100.0, 200.0, 0.9, 1)],
    ids=["empty", "no class", "no confidence", "no corners"],
)
def test_masks_behind_other_numbers_are_refused(row: tuple[float, ...], tmp_path: Path) -> None:
    outputs = {"output0": merged_table(38, row), "output1": PROTOTYPES}
    path = constant_model(tmp_path / "m.onnx", outputs, metadata=SEGMENTS, size=SIZE)
    assert refusal(path).code == "kind_unsupported"


def test_empty_rows_are_merged_if_the_exporter_says_so(tmp_path: Path) -> None:
    outputs = {"output0": merged_table(38), "output1": PROTOTYPES}
    for arguments, is_accepted in (("{'nms': True}", True), ("{'nms': None}", False), ("[1]", False)):
        metadata = SEGMENTS | {"args": arguments}
        path = constant_model(tmp_path / "m.onnx", outputs, metadata=metadata, size=SIZE)
        if is_accepted:
            assert check(path, None, {}).kind is ModelKind.NMS_FREE
        else:
            assert refusal(path).code == "kind_unsupported"


def test_boxes_of_tensorflow_have_their_order_and_numbers(tmp_path: Path) -> None:
    boxes = np.zeros((1, 100, 4), np.float32)
    boxes[0, 0] = [number / SIDE for number in (200, 100, 260, 300)]
    scores, classes = np.zeros((1, 100), np.float32), np.ones((1, 100), np.float32)
    scores[0, 0], classes[0, 0] = 0.9, 2
    outputs = {
        "detection_boxes:0": boxes,
        "detection_classes:0": classes,
        "detection_scores:0": scores,
        "num_detections:0": np.ones(1, np.float32),
    }
    path = constant_model(
        tmp_path / "m.onnx", outputs, shape=(1, "h", "w", 3), kind=TensorProto.UINT8, size=(SIDE, SIDE)
    )
    assert found(path, labels=["crack", "dent"]) == [("dent", 0.9, list(CORNERS))]


@pytest.mark.parametrize("name", ["graph2_flat_predictions", "output"])
def test_confidence_and_class_of_flat_predictions_are_in_their_order(name: str, tmp_path: Path) -> None:
    rows = np.array([[0, *CORNERS, 0.9, 1], [0, 10, 10, 30, 40, 0.6, 0]], np.float32)
    path = constant_model(tmp_path / "m.onnx", {name: rows}, size=SIZE)
    assert found(path, labels=["crack", "dent"]) == [
        ("dent", 0.9, list(CORNERS)),
        ("crack", 0.6, [10, 10, 30, 40]),
    ]


def test_rows_that_contradict_the_layout_are_an_error_and_no_pass(tmp_path: Path) -> None:
    rows = np.array([[0, *CORNERS, 1, 0.9], [0, 10, 10, 30, 40, 0, 0.6]], np.float32)
    path = constant_model(tmp_path / "m.onnx", {"output": rows}, size=SIZE)
    checked = check(path, None, {})
    swapped = checked.settings.model_copy(update={"columns": "confidence_class"})
    with pytest.raises(ValueError, match="whole"):
        Detector(path).detect(PHOTO, checked.kind, swapped, [])


def test_scores_and_distributions_of_nanodet_are_refused(tmp_path: Path) -> None:
    """Three strides give a row per cell, as YOLOX has them; the fourth stride another number of rows."""
    rng = np.random.default_rng(3)
    for count in (CELLS, CELLS + (SIDE // 64) ** 2):
        scores = rng.uniform(0, 0.1, (1, count, 80))
        distances = rng.normal(0, 3, (1, count, 32))
        table = np.concatenate([scores, distances], axis=2).astype(np.float32)
        path = constant_model(tmp_path / "m.onnx", {"output": table}, size=SIZE)
        refused = refusal(path)
        assert (refused.code, refused.kinds) == ("kind_unsupported", [])


def test_anchors_of_scrfd_are_refused(tmp_path: Path) -> None:
    outputs = {}
    for width in (1, 4, 10):
        for stride in (8, 16, 32):
            count = 2 * (SIDE // stride) ** 2
            outputs[f"o{width}_{stride}"] = np.full((count, width), 0.01, np.float32)
    refused = refusal(constant_model(tmp_path / "m.onnx", outputs, size=SIZE))
    assert (refused.code, refused.kinds) == ("kind_unsupported", [])


def test_rows_of_picodet_are_refused(tmp_path: Path) -> None:
    """Class, confidence and box, and the number of boxes in a second output."""
    rows = np.array([[1, 0.9, *CORNERS], [0, 0.6, 10, 10, 30, 40]], np.float32)
    outputs = {"boxes": rows, "number": np.array([2], np.int32)}
    refused = refusal(constant_model(tmp_path / "m.onnx", outputs, size=SIZE))
    assert (refused.code, refused.kinds) == ("kind_unsupported", [])
