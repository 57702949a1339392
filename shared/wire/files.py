"""Bodies of the file store."""

from __future__ import annotations

from enum import StrEnum

from shared.wire.common import ItemTime, Wire


class StoredFile(Wire):
    """A file of the service: named by its content, never changed.

    `download_url` is the path below the service's address; `width` and `height` are upright pixels and null
    for a file that is no image.
    """

    file_id: str
    sha256: str
    ipfs_cid: str
    filename: str
    mime_type: str
    size: int
    width: int | None
    height: int | None
    download_url: str
    created_at: ItemTime


class TilesState(StrEnum):
    """Whether the tiles of a picture can be read."""

    READY = "ready"
    BUILDING = "building"


class TileLevel(Wire):
    """One resolution of a picture: its width and height in px."""

    width: int
    height: int


class Tiles(Wire):
    """How a picture is cut into tiles. `width` and `height` are upright px, `levels` the finest first.

    `percent` says how far the making of the tiles is; 100 when they are ready.
    """

    width: int
    height: int
    tile_px: int
    levels: list[TileLevel]
    state: TilesState
    percent: int
