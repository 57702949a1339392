"""Reads a picture that is too large for memory: a preview, then tiles of a pyramid built in the
background."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import Cancellation, Data, Header, Progress, read_crop, read_preview
from desktop.imaging.decoding.pixels import Pixels, from_qimage, to_qimage, upright
from desktop.imaging.sources.local import LocalImage
from desktop.imaging.sources.pyramid import Pyramid, PyramidCache, content_digest, content_length
from desktop.imaging.sources.source import PREVIEW, TILE, Level
from shared.images.upright import stored_rect, upright_size
from shared.record.geometry import Rect


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
