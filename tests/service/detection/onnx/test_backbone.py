"""Tests that backbones are recognised, and that patch features are read from a map and from tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.detection.failure import BadModel
from service.detection.onnx.backbone import SIDE, Backbone, patch_grid
from service.detection.onnx.check import check
from service.detection.onnx.detector import Detector
from service.detection.onnx.settings import DetectorSettings
from shared.wire.detection import ModelKind
from tests.service.detection.graphs import backbone_model, brightness_model, constant_model


def open_backbone(path: Path) -> Backbone:
    return Backbone(Detector(path), check(path, None, {}).settings)


@pytest.mark.parametrize("leading", [None, 0, 1, 5])
def test_backbone_is_recognised_by_its_outputs(leading: int | None, tmp_path: Path) -> None:
    checked = check(backbone_model(tmp_path / "b.onnx", leading=leading), None, {})
    assert (checked.kind, checked.labels) == (ModelKind.BACKBONE, [])
    assert (checked.settings.width, checked.settings.height) == (64, 64)
    assert (checked.settings.values, checked.settings.colour) == ("imagenet", "rgb")


def test_backbone_that_leaves_its_size_open_gets_the_usual_one(tmp_path: Path) -> None:
    path = backbone_model(tmp_path / "b.onnx", None, patch=14)
    assert check(path, None, {}).settings.width == SIDE
    assert check(path, None, {"width": 224, "height": 224}).settings.width == 224


def test_detectors_are_not_backbones(tmp_path: Path) -> None:
    detector = brightness_model(tmp_path / "d.onnx")
    assert check(detector, None, {}).kind is ModelKind.NMS_FREE
    with pytest.raises(BadModel) as refused:
        check(detector, ModelKind.BACKBONE, {})
    assert (refused.value.code, refused.value.kinds) == ("backbone_wrong", ["nms_free"])


@pytest.mark.parametrize(
    "shapes",
    [
        [(1, 24, 64, 64)],
        [(1, 24, 1, 1)],
        [(1, 8, 8, 8)],
        [(1, 24, 8, 8), (1, 48, 4, 4)],
        [(1, 67, 24)],
        [(24, 64)],
        [],
    ],
)
def test_other_outputs_are_not_patches(shapes: list[tuple[int, ...]]) -> None:
    assert patch_grid(shapes, 64, 64) is None


def test_outputs_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "b.onnx", {"map": np.full((1, 24, 8, 8), np.nan, np.float32)})
    with pytest.raises(BadModel) as refused:
        check(path, None, {})
    assert refused.value.code == "backbone_wrong"


def test_map_and_tokens_give_the_same_features(tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 256, (90, 120, 3), np.uint8)
    first = open_backbone(backbone_model(tmp_path / "map.onnx")).features(image)
    assert first.shape == (8, 8, 24)
    assert np.linalg.norm(first.astype(np.float32), axis=2) == pytest.approx(1, abs=2e-3)
    for leading in (0, 1, 5):
        tokens = open_backbone(backbone_model(tmp_path / "tokens.onnx", leading=leading)).features(image)
        assert np.array_equal(tokens, first)


def test_only_the_patches_that_changed_have_other_features(tmp_path: Path) -> None:
    backbone = open_backbone(backbone_model(tmp_path / "b.onnx", leading=1))
    image = np.random.default_rng(2).integers(0, 256, (64, 64, 3), np.uint8)
    changed = image.copy()
    changed[16:24, 40:48] = 255 - changed[16:24, 40:48]
    differs = np.any(backbone.features(image) != backbone.features(changed), axis=2)
    assert np.argwhere(differs).tolist() == [[2, 5]]


def test_large_map_is_averaged(tmp_path: Path) -> None:
    path = backbone_model(tmp_path / "b.onnx", (512, 512), patch=4, channels=200)
    settings = DetectorSettings(width=512, height=512)
    features = Backbone(Detector(path), settings).features(np.zeros((512, 512, 3), np.uint8))
    assert features.shape == (64, 64, 200)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 40), st.integers(2, 40), st.sampled_from([8, 14, 16]), st.sampled_from([0, 1, 5]))
def test_tokens_have_the_rows_and_columns_of_the_input(
    rows: int, columns: int, patch: int, leading: int
) -> None:
    grid = patch_grid([(1, leading + rows * columns, 384)], columns * patch, rows * patch)
    assert grid is not None
    assert grid.leading is not None
    assert grid.leading + grid.rows * grid.columns == leading + rows * columns
