"""Holds a picture in memory, with its smaller levels."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import (
    Data,
    Header,
    Progress,
    pixel_rect,
    read_crop,
    read_preview,
    read_whole,
)
from desktop.imaging.decoding.errors import CancelledError
from desktop.imaging.decoding.pixels import Rgb, to_qimage
from desktop.imaging.sources.local import LocalImage
from desktop.imaging.sources.source import TILE, Level
from shared.images.cv import cv2
from shared.record.geometry import Rect

WHOLE_LIMIT = 25_000_000
"""Maximum number of pixels of a picture in memory (75 MB, 100 MB with its levels). Larger ones use tiles."""

WHOLE_PREVIEW = 1400
"""Minimum longer side of the preview in px. It is small because the whole picture follows soon."""


class WholeImage(LocalImage):
    """A picture of at most `WHOLE_LIMIT` px as an ImageSource."""

    def __init__(self, data: Data, header: Header, name: str) -> None:
        super().__init__(data, header, name)
        self._pixels: tuple[Rgb, ...] = ()
        self._was_cropped = False

    def preview(self) -> QImage:
        """The picture in about `WHOLE_PREVIEW` px, from its levels if they are there."""
        if levels := self._pixels:
            large = [pixels for pixels in levels if max(pixels.shape) >= WHOLE_PREVIEW]
            return to_qimage((large or levels[:1])[-1])
        return to_qimage(read_preview(self._data, self._header, WHOLE_PREVIEW, self._cancellation))

    def prepare(self, progress: Progress) -> None:
        """Decode the picture and compute the smaller levels."""
        self._decode(progress)

    def _decode(self, progress: Progress = lambda _share: True) -> tuple[Rgb, ...]:
        """The levels, finest first; decoded if they are not in memory."""
        with self._lock:
            if ready := self._pixels:
                return ready
            pixels = [np.ascontiguousarray(read_whole(self._data, self._header, self._cancellation))]
            while max(pixels[-1].shape[:2]) > TILE and min(pixels[-1].shape[:2]) > 1:
                self._cancellation.check()
                pixels.append(_halve(pixels[-1]))
                if not progress(1 - 0.25 ** len(pixels)):
                    raise CancelledError
            self._pixels = ready = tuple(pixels)
            self._levels = tuple(
                Level(level.shape[1], level.shape[0], 1 << index) for index, level in enumerate(pixels)
            )
            return ready

    def release(self) -> None:
        """Release the pixels until they are needed again, which takes as long as opening the picture."""
        self._pixels = ()

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile. Decodes the picture first if necessary."""
        pixels = self._decode()[level]
        rect = self._levels[level].tile_rect(column, row)
        return to_qimage(_crop_pixels(pixels, int(rect.x), int(rect.y), int(rect.w), int(rect.h)))

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` covers. From the second call on, the whole picture is held in memory."""
        with self._lock:
            is_first, self._was_cropped = not self._was_cropped and not self._levels, True
        if is_first:
            return to_qimage(read_crop(self._data, self._header, rect, self._cancellation))
        return to_qimage(_crop_pixels(self._decode()[0], *pixel_rect(rect, *self.size)))


def _crop_pixels(pixels: Rgb, x: int, y: int, w: int, h: int) -> Rgb:
    return pixels[y : y + h, x : x + w]


def _halve(pixels: Rgb) -> Rgb:
    height, width = pixels.shape[0] // 2, pixels.shape[1] // 2
    half: Rgb = cv2.resize(pixels[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
    return half
