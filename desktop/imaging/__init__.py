"""Pictures: one decoder, upright pixels, tiles that are read off the GUI thread.

``open_image(path_or_bytes)`` gives an ImageSource; `TileLoader` reads one in the background.
"""

from desktop.imaging.errors import CancelledError, ImageError
from desktop.imaging.loader import TileLoader
from desktop.imaging.opening import open_image
from desktop.imaging.source import PREVIEW, TILE, ImageSource, Level

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
