"""Holds a grey picture of more than 8 bits in memory at its depth, so that its levels can be set."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import Data, Header, Progress, pixel_rect, read_greys
from desktop.imaging.decoding.errors import CancelledError
from desktop.imaging.decoding.pixels import to_qimage
from desktop.imaging.sources.local import LocalImage
from desktop.imaging.sources.source import TILE, Level
from desktop.imaging.sources.whole import WHOLE_PREVIEW
from shared.record.geometry import Rect

Greys = npt.NDArray[Any]
"""Grey values of the file: uint16 or float32 of shape (height, width)."""


class GreyLevels(NamedTuple):
    """The grey values of the file that are shown as black and as white; the window of a radiograph."""

    black: float
    white: float


class GreyImage(LocalImage):
    """A grey picture of more than 8 bits as an ImageSource, in the levels that detection compares."""

    def __init__(self, data: Data, header: Header, name: str) -> None:
        super().__init__(data, header, name)
        self._greys: tuple[Greys, ...] = ()
        self.chosen: GreyLevels | None = None
        """The levels that a view shows while the picture is open; None for the default ones."""
        self.default = GreyLevels(0, 1)
        """The levels by the rule of `shared.images.colours`, after `prepare`."""
        self.bounds = GreyLevels(0, 1)
        """The least and greatest level that can be chosen, after `prepare`."""

    def preview(self) -> QImage:
        """The picture in at least `WHOLE_PREVIEW` px, or its own size."""
        return self.preview_in(None)

    def prepare(self, progress: Progress) -> None:
        """Decode the picture and compute the smaller levels."""
        with self._lock:
            if self._levels:
                return
            greys, default = read_greys(self._data, self._header, self._cancellation)
            self.default = GreyLevels(*default)
            self.bounds = GreyLevels(
                min(self.default.black, float(np.nanmin(greys))),
                max(self.default.white, float(np.nanmax(greys))),
            )
            pixels = [greys]
            while max(pixels[-1].shape) > TILE and min(pixels[-1].shape) > 1:
                self._cancellation.check()
                pixels.append(_halve(pixels[-1]))
                if not progress(1 - 0.25 ** len(pixels)):
                    raise CancelledError
            self._greys = tuple(pixels)
            self._levels = tuple(
                Level(level.shape[1], level.shape[0], 1 << index) for index, level in enumerate(pixels)
            )

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
        large = [greys for greys in self._greys if max(greys.shape) >= WHOLE_PREVIEW]
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
        self.prepare, self.crop, self.cancel = image.prepare, image.crop, image.cancel

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


def _halve(greys: Greys) -> Greys:
    height, width = greys.shape[0] & ~1, greys.shape[1] & ~1
    blocks = greys[:height, :width].reshape(height // 2, 2, width // 2, 2)
    half: Greys = blocks.mean(axis=(1, 3), dtype=np.float32).astype(greys.dtype)
    return half


def _render(greys: Greys, levels: GreyLevels) -> npt.NDArray[np.uint8]:
    """The greys as (height, width, 3) uint8. Values that are not a number are black."""
    scaled = (greys.astype(np.float32) - levels.black) * (255 / max(levels.white - levels.black, 1e-9))
    shown = np.rint(np.clip(np.nan_to_num(scaled), 0, 255)).astype(np.uint8)
    return np.broadcast_to(shown[..., None], (*shown.shape, 3))
