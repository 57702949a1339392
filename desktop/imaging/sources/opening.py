"""Opens a file or bytes as an ImageSource."""

from __future__ import annotations

from pathlib import Path

from desktop.imaging.decoding.decoder import read_header
from desktop.imaging.sources.grey import GreyImage
from desktop.imaging.sources.local import WHOLE_LIMIT, TiledImage, WholeImage
from desktop.imaging.sources.source import ImageSource


def open_image(data: Path | bytes, name: str = "") -> ImageSource:
    """Open a picture from a file or from its bytes (JPEG, PNG, WebP, TIFF, BMP). Reads only the header.

    A picture of up to `WHOLE_LIMIT` pixels is held in memory. A larger one is read from tiles, which are
    created in the background and kept in the user's cache folder. Pass large pictures as a path, because
    bytes stay in memory. Raises ImageError.
    """
    header = read_header(data)
    title = name or (data.name if isinstance(data, Path) else "")
    is_large = header.width * header.height > WHOLE_LIMIT
    if header.has_deep_greys:
        return GreyImage(data, header, title, on_disk=is_large)
    if not is_large:
        return WholeImage(data, header, title)
    return TiledImage(data, header, title)
