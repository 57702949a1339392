"""Defines how service and desktop cut a large picture into tiles.

Level 0 is the picture itself. Each further level has half the width and height of the one before (rounded
up); the last one is a single tile. The file has the layout of Deep Zoom, an uncompressed zip with one JPEG
for each tile. Deep Zoom numbers the levels in reverse order.
"""

from __future__ import annotations

from typing import Any

TILE = 512
"""Width and height of a tile in px of its level; smaller at the right and bottom edges."""

MAX_CROP_PIXELS = 25_000_000
"""Pixels of the largest crop that the service sends in one answer."""

_QUALITY = 85  # above 85 libvips does not subsample colour, and the files are three times as large
_NAME = "picture"

DZSAVE_OPTIONS: dict[str, Any] = {
    "basename": _NAME,
    "container": "zip",
    "depth": "onetile",
    "tile_size": TILE,
    "overlap": 0,
    "suffix": f".jpg[Q={_QUALITY}]",
    "keep": "none",
}
"""Options of libvips' `dzsave` for a file of tiles."""


def level_sizes(width: int, height: int) -> list[tuple[int, int]]:
    """Return width and height of every level in px, the finest first."""
    sizes = [(width, height)]
    while max(sizes[-1]) > TILE:
        width, height = sizes[-1]
        sizes.append((-(-width // 2), -(-height // 2)))
    return sizes


def tile_counts(width: int, height: int) -> tuple[int, int]:
    """Return the number of columns and rows of tiles in a level of `width` x `height` px."""
    return -(-width // TILE), -(-height // TILE)


def tile_name(level: int, levels: int, column: int, row: int) -> str:
    """Return the name of a tile in the zip of a picture with `levels` levels."""
    return f"{_NAME}_files/{levels - 1 - level}/{column}_{row}.jpg"
