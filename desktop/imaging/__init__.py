"""Decodes pictures to upright pixels and reads their tiles off the GUI thread.

``open_image(path_or_bytes)`` returns an ImageSource, which a `TileLoader` reads in the background.
"""

from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.loader import TileLoader
from desktop.imaging.sources.opening import open_image
from desktop.imaging.sources.source import PREVIEW, TILE, ImageSource, Level

__all__ = [
    "PREVIEW",
    "TILE",
    "CancelledError",
    "ImageError",
    "ImageSource",
    "Level",
    "TileLoader",
    "open_image",
]
