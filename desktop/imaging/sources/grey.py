"""Holds a grey picture of more than 8 bits at its depth, so that its levels can be set.

A large one is in files without a name, of which the system keeps in memory what is on view.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import (
    STRIP,
    Data,
    Header,
    Progress,
    pixel_rect,
    read_greys,
    read_preview,
)
from desktop.imaging.decoding.errors import CancelledError
from desktop.imaging.decoding.pixels import to_qimage, upright
from desktop.imaging.sources.local import LocalImage
from desktop.imaging.sources.pyramid import PyramidCache
from desktop.imaging.sources.source import TILE, Level
from shared.record.geometry import Rect
from shared.system.paths import ensure_private_folder

_PREVIEW = 1100
"""Minimum longer side of the preview in px. One of twice as many is rendered on the GUI thread in 40 ms."""
_TABLE = np.arange(2**16, dtype=np.uint16)
Greys = npt.NDArray[Any]
"""Grey values of the file: uint16 or float32 of shape (height, width)."""


class GreyLevels(NamedTuple):
    """The grey values of the file that are shown as black and as white; the window of a radiograph."""

    black: float
    white: float


class GreyImage(LocalImage):
    """A grey picture of more than 8 bits as an ImageSource, in the levels that detection compares."""

    def __init__(self, data: Data, header: Header, name: str, *, on_disk: bool = False) -> None:
        super().__init__(data, header, name)
        self._folder = PyramidCache().folder if on_disk else None
        self._greys: tuple[Greys, ...] = ()
        self.chosen: GreyLevels | None = None
        """The levels that a view shows while the picture is open; None for the default ones."""
        self.default = GreyLevels(0, 1)
        """The levels by the rule of `shared.images.colours`, after `prepare`."""
        self.bounds = GreyLevels(0, 1)
        """The least and greatest level that can be chosen, after `prepare`."""

    def preview(self) -> QImage:
        """The picture in at least `_PREVIEW` px, or its own size."""
        if self._folder is not None and not self._levels:
            return to_qimage(read_preview(self._data, self._header, _PREVIEW, self._cancellation))
        return self.preview_in(None)

    def prepare(self, progress: Progress) -> None:
        """Decode the picture and compute the smaller levels."""
        with self._lock, self._translate_errors():
            if self._levels:
                return
            default, strips = read_greys(self._data, self._cancellation)
            self.default = GreyLevels(*default)
            # The finest level is three quarters of the pixels.
            finest, rest = (lambda share: progress(0.75 * share)), (lambda _share: progress(0.75))
            stored = self._collect(strips, *self._header.stored_size, finest)
            self.bounds = GreyLevels(
                min(self.default.black, float(stored.min())), max(self.default.white, float(stored.max()))
            )
            pixels = [upright(stored, self._header.orientation)]
            while max(pixels[-1].shape) > TILE and min(pixels[-1].shape) > 1:
                height, width = pixels[-1].shape
                pixels.append(self._collect(_halves(pixels[-1]), width // 2, height // 2, rest))
            self._greys = tuple(pixels)
            self._levels = tuple(
                Level(level.shape[1], level.shape[0], 1 << index) for index, level in enumerate(pixels)
            )

    def _collect(self, strips: Iterator[Greys], width: int, height: int, progress: Progress) -> Greys:
        """Join strips of greys, in memory or in a file. Raises CancelledError, OSError."""
        if self._folder is None:
            return np.concatenate(list(strips))
        ensure_private_folder(self._folder)
        # Written as a file: on a full disk, writing to a mapped one would end the program.
        with tempfile.TemporaryFile(dir=self._folder) as file:
            done, dtype = 0, np.dtype(np.uint8)
            for strip in strips:
                self._cancellation.check()
                file.write(np.ascontiguousarray(strip).data)
                done, dtype = done + len(strip), strip.dtype
                if not progress(done / height):
                    raise CancelledError
            file.flush()
            return np.memmap(file, dtype, "r", shape=(height, width))

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile. Calls `prepare` first if necessary."""
        return self.tile_in(None, level, column, row)

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` covers, always in the default levels."""
        self.prepare(lambda _done: True)
        left, top, width, height = pixel_rect(rect, *self.size)
        return to_qimage(_render(self._greys[0][top : top + height, left : left + width], self.default))

    def preview_in(self, levels: GreyLevels | None) -> QImage:
        """The preview in these levels, None for the default ones."""
        self.prepare(lambda _done: True)
        large = [greys for greys in self._greys if max(greys.shape) >= _PREVIEW]
        return to_qimage(_render((large or self._greys[:1])[-1], levels or self.default))

    def tile_in(self, levels: GreyLevels | None, level: int, column: int, row: int) -> QImage:
        """One tile in these levels, None for the default ones."""
        self.prepare(lambda _done: True)
        rect = self._levels[level].tile_rect(column, row)
        x, y = int(rect.x), int(rect.y)
        return to_qimage(
            _render(self._greys[level][y : y + int(rect.h), x : x + int(rect.w)], levels or self.default)
        )


class GreyView:
    """A GreyImage as an ImageSource that is shown in other levels. Its crops keep the default ones."""

    def __init__(self, image: GreyImage, chosen: GreyLevels) -> None:
        self._image, self._chosen = image, chosen
        self.size, self.name, self.readers = image.size, image.name, image.readers
        self.prepare, self.crop = image.prepare, image.crop
        self.release, self.cancel = image.release, image.cancel

    @property
    def levels(self) -> tuple[Level, ...]:
        """The resolutions, finest first."""
        return self._image.levels

    def preview(self) -> QImage:
        """The whole picture in the chosen levels."""
        return self._image.preview_in(self._chosen)

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile in the chosen levels."""
        return self._image.tile_in(self._chosen, level, column, row)


def _halves(greys: Greys) -> Iterator[Greys]:
    """The strips of a picture of half the size, from top to bottom."""
    height, width = greys.shape[0] & ~1, greys.shape[1] & ~1
    for top in range(0, height, STRIP):
        strip = greys[top : min(top + STRIP, height), :width]
        blocks = strip.reshape(len(strip) // 2, 2, width // 2, 2)
        yield blocks.mean(axis=(1, 3), dtype=np.float32).astype(greys.dtype)


def _render(greys: Greys, levels: GreyLevels) -> npt.NDArray[np.uint8]:
    """The greys as (height, width, 3) uint8."""
    if greys.dtype == np.uint16 and greys.size > _TABLE.size:
        shown = _scale(_TABLE, levels)[greys]
    else:
        shown = _scale(greys, levels)
    return np.broadcast_to(shown[..., None], (*shown.shape, 3))


def _scale(greys: Greys, levels: GreyLevels) -> npt.NDArray[np.uint8]:
    scaled = (greys.astype(np.float32) - levels.black) * (255 / max(levels.white - levels.black, 1e-9))
    shown: npt.NDArray[np.uint8] = np.rint(np.clip(scaled, 0, 255)).astype(np.uint8)
    return shown
