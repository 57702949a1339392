"""The built-in backbone: a valid ONNX file, and features that follow the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from service.detection.appearance import efficientnet
from service.detection.appearance.backbone import PATCHES, BuiltInBackbone
from service.detection.appearance.efficientnet import NotWeightsError


def picture(seed: int = 1) -> NDArray[np.uint8]:
    """Blocks of random colours."""
    blocks = np.random.default_rng(seed).integers(0, 256, (12, 12, 3), np.uint8)
    return np.asarray(np.kron(blocks, np.ones((40, 40, 1), np.uint8)), np.uint8)


@pytest.fixture(scope="module")
def backbone() -> BuiltInBackbone:
    return BuiltInBackbone()


def test_the_model_is_valid_onnx() -> None:
    model = onnx.load_from_string(efficientnet.backbone_model())

    onnx.checker.check_model(model, full_check=True)
    assert [output.type.tensor_type.shape.dim[1].dim_value for output in model.graph.output] == [40, 80, 112]


def test_features_have_one_length(backbone: BuiltInBackbone) -> None:
    features = backbone.features(picture())

    assert features.shape == (PATCHES, PATCHES, 40 + 80 + 112)
    assert np.linalg.norm(features.astype(np.float32), axis=2) == pytest.approx(1, abs=1e-3)


def test_a_change_is_seen_where_it_is(backbone: BuiltInBackbone) -> None:
    before = picture()
    after = before.copy()
    after[40:80, 400:440] = 255 - after[40:80, 400:440]

    first, second = (backbone.features(image).astype(np.float32) for image in (before, after))
    row, column = np.unravel_index(np.argmin((first * second).sum(axis=2)), (PATCHES, PATCHES))

    assert 1 <= row <= 3
    assert 16 <= column <= 18


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / efficientnet.FILE
    other.write_bytes(b"other")
    monkeypatch.setattr(efficientnet, "weights_path", lambda: other)

    with pytest.raises(NotWeightsError, match="not the expected"):
        efficientnet.backbone_model()


def test_weights_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(efficientnet, "PACKAGE", "no_such_package")

    with pytest.raises(FileNotFoundError, match="install the package no_such_package"):
        efficientnet.weights_path()
