"""Tests the unusualness of findings with known features."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.onnx.backbone import Features
from service.detection.second_opinion.unusual import nearest_distances, unusualness
from service.detection.second_opinion.windows import Cells

PLACE = Cells(2, 4, 2, 4)
ELSEWHERE = Cells(6, 8, 6, 8)


def features(seed: int, noise: float = 0.05) -> Features:
    """A map of 10 x 10 patches: always the same picture, with noise of the seed."""
    plain = np.random.default_rng(0).normal(size=(10, 10, 32))
    values = plain + np.random.default_rng(seed).normal(0, noise, plain.shape)
    return np.asarray(values / np.linalg.norm(values, axis=2, keepdims=True), np.float16)


def with_patch(base: Features, cells: Cells, seed: int) -> Features:
    """`base` with something else at `cells`."""
    other = np.random.default_rng([9, seed]).normal(size=(2, 2, 32))
    changed = base.copy()
    changed[cells.top : cells.bottom, cells.left : cells.right] = other / np.linalg.norm(
        other, axis=2, keepdims=True
    )
    return changed


def test_distance_to_an_equal_picture_is_zero() -> None:
    assert nearest_distances(features(1), [features(1)]).max() < 2e-3


def test_nearest_neighbour_may_be_one_patch_away_but_not_two() -> None:
    base = features(1)
    one, two = np.roll(base, 1, axis=0), np.roll(base, 2, axis=1)
    assert nearest_distances(base, [one])[1:-1].max() < 2e-3
    assert nearest_distances(base, [two])[:, 2:-2].min() > 0.1


def test_each_patch_takes_the_nearest_of_all_pictures() -> None:
    first = with_patch(features(1), PLACE, 1)
    second = with_patch(features(1), ELSEWHERE, 2)
    assert nearest_distances(features(1), [first, second]).max() < 2e-3


def test_new_object_is_unusual_and_variation_is_not() -> None:
    passed = [with_patch(features(seed), PLACE, seed) for seed in range(1, 5)]
    today = with_patch(with_patch(features(9), PLACE, 9), ELSEWHERE, 9)
    varies, new = unusualness(today, features(0), passed, [PLACE, ELSEWHERE])
    assert varies < 0.3
    assert new > 0.9


def test_twice_the_usual_distance_is_one_half() -> None:
    def turned_features(angle: float) -> Features:
        """A patch pattern whose patches at the place are turned by `angle` away from the reference's."""
        base = np.zeros((10, 10, 4), np.float16)
        base[..., 0] = 1
        base[2:4, 2:4, :2] = np.cos(angle), np.sin(angle)
        return base

    usual, doubled = np.arccos(1 - 0.1), np.arccos(1 - 0.2)
    (value,) = unusualness(
        turned_features(-doubled),
        turned_features(0),
        [turned_features(usual), turned_features(np.pi / 2)],
        [PLACE],
    )
    assert value < 0.5
    (value,) = unusualness(
        turned_features(-doubled),
        turned_features(0),
        [turned_features(usual), turned_features(usual)],
        [PLACE],
    )
    assert value > 0.9
    (value,) = unusualness(turned_features(-doubled), turned_features(0), [turned_features(usual)], [PLACE])
    assert value == pytest.approx(0.5, abs=0.01)


def test_finding_that_covers_the_window_is_compared_with_the_passed_photos() -> None:
    whole = Cells(0, 10, 0, 10)
    (value,) = unusualness(features(5), features(0), [features(1), features(2)], [whole])
    assert value < 0.5


def test_photo_of_lower_quality_makes_no_finding_unusual() -> None:
    passed = [features(seed) for seed in range(1, 4)]
    (value,) = unusualness(features(5, noise=0.5), features(0), passed, [PLACE])
    assert value < 0.5
