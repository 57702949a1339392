"""Tests the offsets of blocks: structure of the photo alone, and tensors that are kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment import blocks
from service.detection.reference_difference.data import Floats

SIZE = 320
VALID = np.full((SIZE, SIZE), 255, np.uint8)


def texture(seed: int) -> Floats:
    noise = np.random.default_rng(seed).normal(128, 40, (SIZE, SIZE))
    return blocks.smooth(np.asarray(np.clip(noise, 0, 255), np.uint8))


def test_blocks_with_structure_in_the_photo_alone_are_counted() -> None:
    reference = texture(1)
    reference[: SIZE // 2] = 128
    found = blocks.measure(reference, texture(1), VALID, 40, 4, 64)
    assert found.total == 64
    assert len(found.centres) + found.photo_only == 64
    assert 20 < found.photo_only < 40


def test_plain_blocks_in_both_are_not_counted_as_structure_of_the_photo() -> None:
    photo = texture(1)
    photo[:] = 128
    found = blocks.measure(photo.copy(), photo, VALID, 40, 4, 64)
    assert (len(found.centres), found.photo_only, found.total) == (0, 0, 64)


def test_kept_tensors_give_the_same_offsets_at_every_reach() -> None:
    reference, photo = texture(1), np.roll(texture(1), 2, axis=1)
    kept: dict[int, NDArray[np.float64]] = {}
    for reach in (8, 4, 4):
        alone = blocks.measure(reference, photo, VALID, 40, reach, 64)
        shared = blocks.measure(reference, photo, VALID, 40, reach, 64, kept)
        assert np.array_equal(alone.offsets, shared.offsets)
        assert np.array_equal(alone.tensors, shared.tensors)
    assert sorted(kept) == [4, 8]
