"""Tests means of cells and values by rank with those of OpenCV and NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from service.detection.reference_difference.difference.sampling import (
    area_means,
    differences,
    fully_covered,
    value_at_rank,
)
from shared.images.cv import cv2

SIDES = st.integers(8, 200)
few = settings(max_examples=50, deadline=None)


@few
@given(SIDES, SIDES, st.integers(1, 60), st.sampled_from([None, 1, 3]), st.integers(0, 2**32 - 1))
def test_means_of_cells_are_those_of_opencv(
    height: int, width: int, longest: int, channels: int | None, seed: int
) -> None:
    scale = min(longest / max(height, width), 1.0)
    size = (max(round(width * scale), 2), max(round(height * scale), 2))
    shape = (height, width) if channels is None else (height, width, channels)
    image = np.random.default_rng(seed).uniform(0, 255, shape).astype(np.float32)
    means = area_means(image, size)
    assert means.shape == (size[1], size[0], *shape[2:])
    expected = cv2.resize(image, size, interpolation=cv2.INTER_AREA).reshape(means.shape)
    # OpenCV leaves out what reaches less than a thousandth into a pixel.
    assert np.abs(means - expected).max() < 0.3


@few
@given(st.integers(10, 80), st.integers(10, 80), st.integers(2, 10), st.integers(0, 2**32 - 1))
def test_cell_is_covered_only_when_all_of_it_is(height: int, width: int, cells: int, seed: int) -> None:
    valid = np.where(np.random.default_rng(seed).random((height, width)) < 0.05, 0, 255).astype(np.uint8)
    expected = cv2.resize(valid, (cells, cells), interpolation=cv2.INTER_AREA) == 255
    assert np.array_equal(fully_covered(valid, (cells, cells)), expected)
    assert fully_covered(np.full_like(valid, 255), (cells, cells)).all()


@few
@given(st.integers(1, 3000), st.floats(0, 1, exclude_max=True), st.integers(1, 300), st.booleans())
def test_value_at_a_rank_is_that_of_the_ordered_values(
    count: int, share: float, seed: int, ordered: bool
) -> None:
    values = np.random.default_rng(seed).integers(0, max(count // 3, 1), count).astype(np.float32)
    values = np.sort(values) if ordered else values
    rank = int(share * count)
    assert value_at_rank(values, rank) == np.sort(values)[rank]


def test_value_at_a_rank_is_right_if_the_thinned_values_mislead() -> None:
    values = np.arange(1600, dtype=np.float32)
    values[::17] = 5000
    assert value_at_rank(values, 800) == np.sort(values)[800]


@few
@given(SIDES, SIDES, st.sampled_from([1, 3]), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_differences_are_those_at_every_step(
    height: int, width: int, channels: int, step: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    one, other = (rng.uniform(0, 255, (height, width, channels)).astype(np.float32) for _ in range(2))
    expected = np.abs(one - other).max(axis=2)[::step, ::step]
    assert np.array_equal(differences(one, other, step), expected)
