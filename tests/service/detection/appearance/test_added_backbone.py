"""A backbone that a user adds: accepted only if its patches are where they are in the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from service.detection.appearance.backbone import (
    MAX_CHANNELS,
    PATCHES,
    AddedBackbone,
    check_backbone,
    feature_maps,
    join_layers,
)
from service.detection.compute.model_check import check_file
from service.detection.failure import BadModel
from shared.wire.detection import ModelKind
from tests.service.detection.graphs import backbone_model


@pytest.mark.parametrize("layout", ["map", "last", "tokens"])
def test_each_usual_layout_of_features_is_understood(tmp_path: Path, layout: str) -> None:
    path = backbone_model(tmp_path / "a.onnx", layout)

    settings = check_backbone(path, {}).settings
    features = AddedBackbone(path, settings).features(np.zeros((90, 90, 3), np.uint8))

    assert (settings.width, settings.height, settings.values, settings.fit) == (
        160,
        160,
        "imagenet",
        "stretch",
    )
    assert features.shape == (PATCHES, PATCHES, 24)


@pytest.mark.parametrize("layout", ["swapped", "pooled"])
def test_features_without_their_place_are_refused(tmp_path: Path, layout: str) -> None:
    with pytest.raises(BadModel) as refusal:
        check_file(backbone_model(tmp_path / "a.onnx", layout), ModelKind.BACKBONE, {})

    assert refusal.value.code == "kind_wrong"


def test_a_free_side_is_chosen_and_may_be_set(tmp_path: Path) -> None:
    path = backbone_model(tmp_path / "a.onnx", side="side")

    assert check_backbone(path, {}).settings.width == 320
    assert check_backbone(path, {"width": 96}).settings.height == 96


@pytest.mark.parametrize("patches", [7, 16, 23, 37, 40, 56])
def test_any_number_of_patches_is_scaled(patches: int) -> None:
    layer = np.random.default_rng(2).normal(size=(96, patches, patches)).astype(np.float32)

    features = join_layers([layer]).astype(np.float32)

    assert features.shape == (PATCHES, PATCHES, 96)
    # A part keeps its place: each row of patches covers the same share of the picture.
    layer[:, : patches // 2] = -layer[:, : patches // 2]
    agreement = (features * join_layers([layer]).astype(np.float32)).sum(axis=2)
    assert agreement[:8].max() < -0.9 < 0.9 < agreement[12:].min()


def test_a_dinov2_of_23_patches_is_accepted(tmp_path: Path) -> None:
    assert check_backbone(backbone_model(tmp_path / "a.onnx", "tokens", side=184), {}).settings.width == 184


def test_without_a_kind_the_refusal_names_it(tmp_path: Path) -> None:
    with pytest.raises(BadModel) as refusal:
        check_file(backbone_model(tmp_path / "a.onnx"), None, {})

    assert (refusal.value.code, refusal.value.kinds) == ("kind_unknown", ["backbone"])


@pytest.mark.parametrize(
    "shape", [(1, 24, 5, 5), (1, 24, 20, 10), (1, 300, 80), (1, 84, 8400), (2, 9, 9, 24)]
)
def test_outputs_of_other_models_are_no_features(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="has no patches"):
        feature_maps([np.zeros(shape, np.float32)])


def tables(*shapes: tuple[int, int]) -> list[NDArray[np.float32]]:
    return [np.zeros((1, *shape), np.float32) for shape in shapes]


def test_scores_and_boxes_of_the_same_grid_are_no_features(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="differ in their channels"):
        feature_maps(tables((1600, 80), (400, 80), (100, 80), (1600, 4), (400, 4), (100, 4)))
    path = backbone_model(tmp_path / "a.onnx", "heads")
    for kind, code in ((None, "kind_unsupported"), (ModelKind.BACKBONE, "kind_wrong")):
        with pytest.raises(BadModel) as refusal:
            check_file(path, kind, {})
        assert (refusal.value.code, refusal.value.kinds) == (code, [])


def test_layers_of_the_same_and_of_other_patches_are_features() -> None:
    # Layers of a DINOv2, and stages of a ConvNeXt.
    assert len(feature_maps(tables((257, 384), (256, 384), (1, 384)))) == 2
    assert len(feature_maps(tables((1600, 96), (1600, 96), (400, 192), (100, 384)))) == 4


def test_many_channels_are_averaged() -> None:
    layer = np.random.default_rng(1).normal(size=(3 * MAX_CHANNELS, 16, 16)).astype(np.float32)

    assert join_layers([layer]).shape == (PATCHES, PATCHES, MAX_CHANNELS)
