"""Tests the tiles of a large picture, which the service creates and the desktop requests."""

from __future__ import annotations

import pytest

from shared.images.tiles import TILE, level_sizes, tile_counts, tile_name


@pytest.mark.parametrize(
    ("size", "levels"),
    [
        ((1, 1), [(1, 1)]),
        ((TILE, TILE), [(TILE, TILE)]),
        ((TILE + 1, TILE), [(513, 512), (257, 256)]),
        # Each half is rounded up, so that nothing of the picture is lost.
        ((2047, 1), [(2047, 1), (1024, 1), (512, 1)]),
        ((3, 2051), [(3, 2051), (2, 1026), (1, 513), (1, 257)]),
    ],
)
def test_levels_are_halved_until_one_tile_holds_all(
    size: tuple[int, int], levels: list[tuple[int, int]]
) -> None:
    assert level_sizes(*size) == levels


def test_the_last_tiles_may_be_smaller() -> None:
    assert tile_counts(TILE, TILE) == (1, 1)
    assert tile_counts(TILE + 1, 3 * TILE) == (2, 3)
    assert tile_counts(1, 2 * TILE - 1) == (1, 2)


def test_file_numbers_the_levels_in_reverse() -> None:
    assert tile_name(0, 3, 4, 5) == "picture_files/2/4_5.jpg"
    assert tile_name(2, 3, 0, 0) == "picture_files/0/0_0.jpg"
