"""Tests exports of detectors: input layouts, tables that only labels explain, refused files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from service.detection.onnx.check import check
from service.detection.onnx.decode import cells, grids
from service.detection.onnx.detector import Detector
from service.detection.onnx.settings import DetectorSettings
from shared.wire.detection import ModelKind
from tests.service.detection.graphs import brightness_model, constant_model
from tests.service.detection.onnx.test_understanding import refusal

SIDE = 64
CELLS = cells(SIDE, SIDE)
NAMES = ("dent", "crack", "stain")
PHOTO = np.full((SIDE, SIDE, 3), 90, np.uint8)
CORNERS = (16.0, 24.0, 48.0, 40.0)
CENTRED = (32.0, 32.0, 32.0, 16.0)
SCORES = (0.1, 0.9, 0.2)


def candidates(count: int, *numbers: float) -> Any:
    """A row of `numbers` among empty rows."""
    table = np.zeros((1, count, len(numbers)), np.float32)
    table[0, 5] = numbers
    return table


def only(path: Path, **overrides: Any) -> tuple[str, list[float]]:
    """Label and corners of the one finding."""
    checked = check(path, None, overrides)
    (finding,) = Detector(path).detect(PHOTO, checked.kind, checked.settings, checked.labels)
    box = finding.box
    assert finding.confidence == pytest.approx(0.9)
    return finding.label, [box.x, box.y, box.right, box.bottom]


def lying(table: Any) -> Any:
    return np.ascontiguousarray(table.transpose(0, 2, 1))


MASKS = np.full(32, 3.0)
POINTS = np.tile((40.0, 30.0, 0.8), 17)


@pytest.mark.parametrize(
    ("outputs", "metadata"),
    [
        ({"o": candidates(CELLS, *CENTRED, *SCORES)}, {}),
        ({"o": candidates(CELLS, *CENTRED, 1, *SCORES)}, {}),
        (
            {
                "o": lying(candidates(CELLS, *CENTRED, *SCORES, *MASKS)),
                "p": np.zeros((1, 32, 16, 16), np.float32),
            },
            {"task": "segment"},
        ),
        (
            {
                "o": candidates(3 * CELLS, *CENTRED, 1, *SCORES, *MASKS),
                "p": np.zeros((1, 32, 16, 16), np.float32),
            },
            {},
        ),
        ({"o": lying(candidates(CELLS, *CENTRED, *SCORES, *POINTS))}, {"task": "pose"}),
    ],
    ids=["upright without objectness", "upright with it", "masks", "masks of v5", "points"],
)
def test_labels_determine_the_layout_of_a_table(
    outputs: dict[str, Any], metadata: dict[str, str], tmp_path: Path
) -> None:
    if outputs["o"].shape == (1, CELLS, 8):
        outputs["o"][0, :, :2] += np.linspace(0, SIDE, CELLS)[:, None]
        outputs["o"][0, 5, :2] = CENTRED[:2]
    path = constant_model(tmp_path / "m.onnx", outputs, names=NAMES, metadata=metadata)
    assert check(path, None, {}).kind is ModelKind.YOLO
    assert only(path) == ("crack", list(CORNERS))


def test_given_labels_determine_the_layout_too(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "m.onnx", {"o": candidates(CELLS, *CENTRED, *SCORES)})
    assert refusal(path).code == "kind_unknown"
    checked = check(path, None, {}, classes=3)
    assert (checked.kind, checked.settings.objectness) == (ModelKind.YOLO, False)


def test_one_class_without_objectness(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "m.onnx", {"o": candidates(CELLS, *CENTRED, 0.9)}, names=("dent",))
    assert only(path) == ("dent", list(CORNERS))


def test_masks_are_not_classes_of_a_file_without_labels(tmp_path: Path) -> None:
    table = lying(candidates(CELLS, *CENTRED, *SCORES, *MASKS))
    path = constant_model(tmp_path / "m.onnx", {"o": table, "p": np.zeros((1, 32, 16, 16), np.float32)})
    assert check(path, None, {}).labels == ["class 0", "class 1", "class 2"]
    assert only(path)[0] == "class 1"


def test_more_classes_than_candidates(tmp_path: Path) -> None:
    table = lying(candidates(CELLS, *CENTRED, 0.9, *np.zeros(999)))
    path = constant_model(tmp_path / "m.onnx", {"o": table})
    assert len(check(path, None, {}).labels) == 1000


@pytest.mark.parametrize("strides", [(8, 16, 32, 64), (4, 8, 16, 32), (16, 32)])
def test_grids_of_other_strides_are_known(strides: tuple[int, ...], tmp_path: Path) -> None:
    count = cells(256, 256, strides)
    assert count in grids(256, 256)
    for name, table in (
        ("v5", candidates(3 * count, *CENTRED, 1, *SCORES)),
        ("v8", lying(candidates(count, *CENTRED, *SCORES))),
    ):
        path = constant_model(tmp_path / f"{name}.onnx", {"o": table}, size=(256, 256), names=NAMES)
        assert check(path, None, {}).kind is ModelKind.YOLO


@pytest.mark.parametrize(
    "outputs",
    [
        {"o": candidates(300, *(c / SIDE for c in CORNERS), 0.9, 1)},
        {"o": lying(candidates(CELLS, *(c / SIDE for c in CENTRED), *SCORES))},
        {
            "num": np.array([[1]], np.int32),
            "boxes": np.array([[[c / SIDE for c in CORNERS], [0, 0, 0, 0]]], np.float32),
            "scores": np.array([[0.9, 0.8]], np.float32),
            "classes": np.array([[1, 1]], np.int32),
        },
    ],
    ids=["nms_free", "yolo", "nms_inside"],
)
def test_boxes_may_be_parts_of_the_input(outputs: dict[str, Any], tmp_path: Path) -> None:
    assert only(constant_model(tmp_path / "m.onnx", outputs, names=NAMES)) == ("crack", list(CORNERS))


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ((1, SIDE, SIDE, 3), TensorProto.FLOAT),
        (("b", "h", "w", 3), TensorProto.UINT8),
        (("b", "c", "h", "w"), TensorProto.FLOAT16),
        ((4, 3, SIDE, SIDE), TensorProto.FLOAT),
    ],
)
def test_inputs_of_every_layout_are_fed(shape: Any, kind: int, tmp_path: Path) -> None:
    batch = shape[0] if isinstance(shape[0], int) else 1
    table = np.repeat(candidates(300, *CORNERS, 0.9, 1), batch, axis=0)
    # What is said of the other images of a batch is no concern of ours.
    table[1:, 9] = (0, 0, 9, 9, 0.95, 0)
    settings = {"width": SIDE, "height": SIDE}
    path = constant_model(tmp_path / "m.onnx", {"o": table}, names=NAMES, shape=shape, kind=kind)
    assert only(path, **settings) == ("crack", list(CORNERS))
    rows = np.array([[1, 0, 0, 9, 9, 0, 0.95], [0, *CORNERS, 1, 0.9]], np.float32)
    path = constant_model(tmp_path / "n.onnx", {"o": rows}, names=NAMES, shape=shape, kind=kind)
    assert only(path, **settings) == ("crack", list(CORNERS))


def test_model_with_whole_numbers_gets_0_to_255(tmp_path: Path) -> None:
    table = candidates(300, *CORNERS, 0.9, 1)
    path = constant_model(tmp_path / "m.onnx", {"o": table}, kind=TensorProto.UINT8)
    assert check(path, None, {}).settings.values == "raw"
    assert check(path, None, {"values": "unit"}).settings.values == "raw"
    path = brightness_model(tmp_path / "bright.onnx", kind=TensorProto.UINT8)
    settings = check(path, None, {}).settings.model_copy(update={"values": "unit"})
    (finding,) = Detector(path).detect(
        np.full((SIDE, SIDE, 3), 255, np.uint8), ModelKind.NMS_FREE, settings, []
    )
    assert finding.confidence == pytest.approx(1)


def test_the_size_that_a_file_was_trained_for_is_used_where_it_takes_any(tmp_path: Path) -> None:
    shape = ("b", 3, "h", "w")
    table = candidates(300, *CORNERS, 0.9, 1)

    def size(imgsz: str, **overrides: int) -> tuple[int, int]:
        path = constant_model(tmp_path / "m.onnx", {"o": table}, shape=shape, metadata={"imgsz": imgsz})
        settings: DetectorSettings = check(path, None, overrides).settings
        return settings.width, settings.height

    assert size("[320, 480]") == (480, 320)
    assert size("1280") == size("[1280]") == (1280, 1280)
    assert size("[320, 480]", width=96, height=64) == (96, 64)
    for nonsense in ("", "[", "[1]", "[640, 'x']", "(1, 2, 3)", "[640.5]", "True", "[" * 90):
        assert size(nonsense) == (640, 640)


def test_lookalike_of_detector_is_refused(tmp_path: Path) -> None:
    boxes = np.tile(np.array(CORNERS, np.float32), (1, CELLS, 1))
    scores = np.full((1, CELLS, 3), 0.1, np.float32)
    points = lying(np.tile(np.array([*CENTRED, 0.9, *POINTS], np.float32), (1, CELLS, 1)))
    turned = lying(candidates(CELLS, *CENTRED, *SCORES, 0.3))
    for outputs, metadata, code in (
        # Class scores beside boxes in px: not those of a DETR.
        ({"boxes": boxes, "scores": scores}, {}, "kind_unsupported"),
        ({"o": points}, {}, "kind_unsupported"),
        ({"o": turned}, {"task": "obb"}, "task_unsupported"),
        ({"o": np.zeros((1, 5), np.float32)}, {"task": "classify"}, "task_unsupported"),
        ({"o": np.zeros(1000, np.float32)}, {}, "kind_unsupported"),
        ({"o": np.zeros((), np.float32)}, {}, "kind_unsupported"),
    ):
        path = constant_model(
            tmp_path / "m.onnx", outputs, names=NAMES if metadata else (), metadata=metadata
        )
        assert refusal(path).code == code
