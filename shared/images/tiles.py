"""Defines how a large picture is cut into tiles, for service and desktop alike.

Level 0 is the picture itself, every further one has half its width and height (rounded up), down to the one
that is a single tile. The layout in the file is that of Deep Zoom (one JPEG for each tile, in an uncompressed
zip), whose levels count the other way round.
"""

from __future__ import annotations

from typing import Any

TILE = 512
"""Width and height of a tile in pixels of its level; less at the right and lower edge."""

MAX_CROP_PIXELS = 25_000_000
"""Largest part of a picture that the service sends at once."""

_QUALITY = 85  # above it libvips stops subsampling colour, which makes a pyramid three times as large
_NAME = "picture"

SAVE: dict[str, Any] = {
    "basename": _NAME,
    "container": "zip",
    "depth": "onetile",
    "tile_size": TILE,
    "overlap": 0,
    "suffix": f".jpg[Q={_QUALITY}]",
    "keep": "none",
}
"""Options of libvips' `dzsave` for such a file."""


def level_sizes(width: int, height: int) -> list[tuple[int, int]]:
    """Width and height of every level in px, the finest first."""
    sizes = [(width, height)]
    while max(sizes[-1]) > TILE:
        width, height = sizes[-1]
        sizes.append((-(-width // 2), -(-height // 2)))
    return sizes


def tile_counts(width: int, height: int) -> tuple[int, int]:
    """How many tiles a level of `width` x `height` px has side by side, and one below the other."""
    return -(-width // TILE), -(-height // TILE)


def tile_name(level: int, levels: int, column: int, row: int) -> str:
    """The name of a tile inside the zip of a picture with `levels` levels."""
    return f"{_NAME}_files/{levels - 1 - level}/{column}_{row}.jpg"
