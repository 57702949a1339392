"""Reads pictures on this computer.

A picture that fits is held in memory, with its smaller levels. One that is too large for memory has a
preview, then tiles of a pyramid built in the background.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import (
    Cancellation,
    Data,
    Header,
    Progress,
    pixel_rect,
    read_crop,
    read_preview,
    read_whole,
)
from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import Pixels, Rgb, from_qimage, to_qimage, upright
from desktop.imaging.decoding.vips import pyvips
from desktop.imaging.sources.pyramid import Pyramid, PyramidCache, content_digest, content_length
from desktop.imaging.sources.source import PREVIEW, TILE, Level
from shared.images.cv import cv2
from shared.images.upright import stored_rect, upright_size
from shared.record.geometry import Rect


class LocalImage:
    """The base class of pictures on this computer, with a part of ImageSource."""

    def __init__(self, data: Data, header: Header, name: str) -> None:
        self._data = data
        self._header = header
        self._name = name
        self._cancellation = Cancellation()
        self._lock = threading.Lock()
        self._levels: tuple[Level, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Upright width and height in px."""
        return self._header.width, self._header.height

    @property
    def name(self) -> str:
        """The file name, or the name that it was opened with."""
        return self._name

    @property
    def levels(self) -> tuple[Level, ...]:
        """The resolutions, finest first; () before `prepare` is complete."""
        return self._levels

    @property
    def readers(self) -> int:
        """The number of reading threads: two, so that the GUI thread keeps a core."""
        return 2

    def release(self) -> None:
        """Release nothing: what this picture holds in memory cannot be read again quickly."""

    def cancel(self) -> None:
        """Cancel current and later work."""
        self._cancellation.cancel()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert errors of libvips and the disk to ImageError."""
        try:
            yield
        except pyvips.Error as error:
            text = QCoreApplication.translate(
                "imaging", "Cannot read image {0} completely. The file is damaged; upload it again."
            )
            raise ImageError(text.format(self._name)) from error
        except OSError as error:
            text = QCoreApplication.translate(
                "imaging", "Cannot prepare image {0} for zooming: {1}. Free disk space."
            )
            raise ImageError(text.format(self._name, error.strerror or error)) from error


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


class TiledImage(LocalImage):
    """A large picture as an ImageSource."""

    def __init__(self, data: Data, header: Header, name: str, cache: PyramidCache | None = None) -> None:
        super().__init__(data, header, name)
        self._cache = cache or PyramidCache()
        self._build_cancellation = Cancellation()
        self._digest: str | None = None
        self._pyramid: Pyramid | None = None

    def preview(self) -> QImage:
        """The picture in about `PREVIEW` px, from the pyramid or the original."""
        with self._translate_errors():
            if self._cache.may_have(content_length(self._data)):
                self._open_cached()
            if self._pyramid is None:
                return to_qimage(read_preview(self._data, self._header, PREVIEW, self._cancellation))
            longest = [max(level.width, level.height) for level in self._levels]
            level = next((n for n, side in enumerate(longest) if side <= PREVIEW), len(longest) - 1)
            pixels = self._pyramid.read_level(level, *self._stored_size(level))
            return to_qimage(upright(pixels, self._header.orientation))

    def prepare(self, progress: Progress) -> None:
        """Create the pyramid if there is none."""
        with self._translate_errors():
            path = self._open_cached()
            with self._lock:
                if self._pyramid is None:
                    self._build_cancellation = Cancellation()
                    self._cancellation.check()
                    self._use_pyramid(self._cache.make(self._data, path, progress, self._build_cancellation))

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile. Raises IndexError before `prepare` is complete."""
        orientation = self._header.orientation
        grid = self._levels[level]
        assert self._pyramid is not None
        self._cancellation.check()
        with self._translate_errors():
            if orientation == 1:
                return self._pyramid.tile(level, column, row)
            return to_qimage(self._read_turned(self._pyramid, level, grid.tile_rect(column, row)))

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` covers. Reads the original from the top to the end of `rect`."""
        return to_qimage(read_crop(self._data, self._header, rect, self._cancellation))

    def cancel(self) -> None:
        """Cancel current and later work."""
        super().cancel()
        self._build_cancellation.cancel()

    def _open_cached(self) -> Path:
        """Open the pyramid if there is one. Return its path, which need not exist."""
        length = content_length(self._data)
        with self._lock:
            if self._digest is None:
                self._digest = content_digest(self._data, self._cancellation)
            if self._pyramid is None and (path := self._cache.find(length, self._digest)) is not None:
                try:
                    self._use_pyramid(path)
                except OSError:
                    path.unlink(missing_ok=True)
            return self._cache.path(length, self._digest)

    def _read_turned(self, pyramid: Pyramid, level: int, rect: Rect) -> Pixels:
        """The upright pixels of `rect`. The stored pixels may be on up to four tiles."""
        part = stored_rect(rect, *self._stored_size(level), self._header.orientation)
        left, top, right, bottom = int(part.x), int(part.y), int(part.right), int(part.bottom)
        pixels = np.empty((bottom - top, right - left), np.uint32)
        for row in range(top // TILE, -(-bottom // TILE)):
            for column in range(left // TILE, -(-right // TILE)):
                image = pyramid.tile(level, column, row)
                tile = from_qimage(image)
                x, y = column * TILE, row * TILE
                x1, y1 = max(left, x), max(top, y)
                x2, y2 = min(right, x + TILE), min(bottom, y + TILE)
                pixels[y1 - top : y2 - top, x1 - left : x2 - left] = tile[y1 - y : y2 - y, x1 - x : x2 - x]
        return upright(pixels, self._header.orientation)

    def _stored_size(self, level: int) -> tuple[int, int]:
        grid = self._levels[level]
        return upright_size(grid.width, grid.height, self._header.orientation)

    def _use_pyramid(self, path: Path) -> None:
        pyramid = Pyramid(path)
        orientation = self._header.orientation
        width, height = self.size
        levels = []
        for index in range(pyramid.levels):
            factor = 1 << index
            level_width, level_height = -(-width // factor), -(-height // factor)
            # The last stored column and row extend beyond the picture. A rotation moves them to the left and
            # top.
            left = width - level_width * factor if orientation in (2, 3, 6, 7) else 0
            top = height - level_height * factor if orientation in (3, 4, 7, 8) else 0
            levels.append(Level(level_width, level_height, factor, left, top))
        self._pyramid, self._levels = pyramid, tuple(levels)
