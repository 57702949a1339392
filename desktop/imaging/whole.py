"""A picture that is held in memory, with its smaller levels."""

from __future__ import annotations

import threading

import numpy as np
from PySide6.QtGui import QImage

from desktop.imaging.decode import Cancellation, Data, Header, Progress, pixel_rect, read_preview, read_whole
from desktop.imaging.errors import CancelledError
from desktop.imaging.pixels import Pixels, to_qimage
from desktop.imaging.source import PREVIEW, TILE, Level
from desktop.imaging.vips import pyvips
from shared.geometry import Rect

WHOLE_LIMIT = 25_000_000
"""Up to here a picture is held in memory (100 MB), above in tiles."""


class WholeImage:
    """A picture of at most `WHOLE_LIMIT` px as an ImageSource."""

    def __init__(self, data: Data, header: Header, name: str) -> None:
        self._data = data
        self._header = header
        self._name = name
        self._cancellation = Cancellation()
        self._guard = threading.Lock()
        self._pixels: tuple[Pixels, ...] = ()
        self._levels: tuple[Level, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Upright width and height in px."""
        return self._header.width, self._header.height

    @property
    def name(self) -> str:
        """The file name, or what it was opened with."""
        return self._name

    @property
    def levels(self) -> tuple[Level, ...]:
        """Finest first; () before `prepare` is through."""
        return self._levels

    @property
    def readers(self) -> int:
        """Two: the GUI thread keeps a core."""
        return 2

    def preview(self) -> QImage:
        """The picture in about `PREVIEW` px."""
        return to_qimage(read_preview(self._data, self._header, PREVIEW, self._cancellation))

    def prepare(self, progress: Progress) -> None:
        """Decode it and make the smaller levels."""
        with self._guard:
            if self._levels:
                return
            pixels = [np.ascontiguousarray(read_whole(self._data, self._header, self._cancellation))]
            while max(pixels[-1].shape) > TILE and min(pixels[-1].shape) > 1:
                self._cancellation.check()
                pixels.append(_halved(pixels[-1]))
                if not progress(1 - 0.25 ** len(pixels)):
                    raise CancelledError
            self._pixels = tuple(pixels)
            self._levels = tuple(
                Level(level.shape[1], level.shape[0], 1 << index) for index, level in enumerate(pixels)
            )

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile; prepares first when that was not done."""
        self.prepare(lambda _done: True)
        rect = self._levels[level].tile_rect(column, row)
        return to_qimage(_cut(self._pixels[level], int(rect.x), int(rect.y), int(rect.w), int(rect.h)))

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` touches."""
        self.prepare(lambda _done: True)
        return to_qimage(_cut(self._pixels[0], *pixel_rect(rect, *self.size)))

    def cancel(self) -> None:
        """End what is under way."""
        self._cancellation.cancel()


def _cut(pixels: Pixels, x: int, y: int, w: int, h: int) -> Pixels:
    return pixels[y : y + h, x : x + w]


def _halved(pixels: Pixels) -> Pixels:
    height, width = pixels.shape
    even = pixels[: height & ~1, : width & ~1]
    image = pyvips.Image.new_from_memory(np.ascontiguousarray(even).data, width & ~1, height & ~1, 4, "uchar")
    half = image.shrink(2, 2).write_to_memory()
    return np.frombuffer(half, np.uint32).reshape(height // 2, width // 2)
