"""Paints a picture from its loaded tiles and requests the missing ones.

Paints over a photo how unusual it looks beside the photos that passed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QRectF
from PySide6.QtGui import QImage, QImageReader, QPainter, qGray, qRgba

from desktop.canvas.model.viewport import Viewport
from desktop.imaging.loader import TileKey, TileLoader
from desktop.imaging.sources.source import TILE, Level
from shared.record.entries import EntryAppearance
from shared.record.geometry import Rect

NEAREST_ABOVE = 2.0
"""At this many device px per picture px and above, pixels are painted as squares."""


@dataclass(frozen=True, slots=True)
class _Screen:
    """A viewport in device px: picture px times `scale`, from (`left`, `top`)."""

    scale: float
    left: float
    top: float

    def to_screen(self, rect: Rect) -> QRectF:
        """The place of a rectangle of the picture on the screen."""
        x, y = self.left + rect.x * self.scale, self.top + rect.y * self.scale
        return QRectF(x, y, rect.w * self.scale, rect.h * self.scale)

    def tile_rect(self, level: Level, key: TileKey) -> QRectF:
        """The place of a tile on the screen, on whole px, so that there are no gaps or overlaps between
        tiles."""
        rect = level.tile_rect(key.column, key.row)
        x1 = round(self.left + (level.left + rect.x * level.factor) * self.scale)
        y1 = round(self.top + (level.top + rect.y * level.factor) * self.scale)
        x2 = round(self.left + (level.left + rect.right * level.factor) * self.scale)
        y2 = round(self.top + (level.top + rect.bottom * level.factor) * self.scale)
        return QRectF(x1, y1, x2 - x1, y2 - y1)

    def source_rect(self, level: Level, key: TileKey, target: QRectF) -> QRectF:
        """The part of a tile, in px of the tile, that covers `target` on the screen."""
        pitch = level.factor * self.scale
        x = (target.x() - self.left - level.left * self.scale) / pitch - key.column * TILE
        y = (target.y() - self.top - level.top * self.scale) / pitch - key.row * TILE
        return QRectF(x, y, target.width() / pitch, target.height() / pitch)


class ImageLayer:
    """Paints the finest tiles that the loader has. It has no other state."""

    def __init__(self, loader: TileLoader) -> None:
        self._loader = loader

    def paint(
        self, painter: QPainter, viewport: Viewport, levels: Sequence[Level], ratio: float, *, smooth: bool
    ) -> None:
        """Paint the picture and request its missing tiles.

        `ratio` is device px per view px. Without `smooth` the nearest pixel is painted, which is faster.
        """
        screen = _Screen(viewport.scale * ratio, viewport.left * ratio, viewport.top * ratio)
        image_rect = screen.to_screen(Rect(0, 0, viewport.image_width, viewport.image_height))
        interpolates = screen.scale < NEAREST_ABOVE and screen.scale != 1
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth and interpolates)
        painter.setClipRect(image_rect)
        if levels:
            index = level_for(levels, screen.scale)
            keys = tiles_in_view(levels, index, viewport)
            self._loader.request(keys)
            for key in keys:
                target = screen.tile_rect(levels[index], key)
                image = self._loader.tile(key)
                if image is not None:
                    painter.drawImage(target, image, QRectF(image.rect()))
                elif not self._paint_coarser_tile(painter, screen, levels, key, target):
                    self._paint_preview(painter, image_rect, target)
        else:
            self._paint_preview(painter, image_rect, screen.to_screen(viewport.visible))
        painter.restore()

    def _paint_coarser_tile(
        self, painter: QPainter, screen: _Screen, levels: Sequence[Level], key: TileKey, target: QRectF
    ) -> bool:
        """Paint the part of a coarser tile at the place of `key`; False when none is loaded."""
        for index in range(key.level + 1, len(levels)):
            steps = index - key.level
            parent = TileKey(index, key.column >> steps, key.row >> steps)
            image = self._loader.tile(parent)
            if image is not None:
                painter.drawImage(target, image, screen.source_rect(levels[index], parent, target))
                return True
        return False

    def _paint_preview(self, painter: QPainter, image_rect: QRectF, target: QRectF) -> None:
        image = self._loader.preview
        if image is None:
            return
        scale_x, scale_y = image.width() / image_rect.width(), image.height() / image_rect.height()
        x, y = (target.x() - image_rect.x()) * scale_x, (target.y() - image_rect.y()) * scale_y
        painter.drawImage(target, image, QRectF(x, y, target.width() * scale_x, target.height() * scale_y))


def level_for(levels: Sequence[Level], scale: float) -> int:
    """The index of the coarsest level with the resolution of the screen, at `scale` device px per picture
    px."""
    fine_levels = [index for index, level in enumerate(levels) if level.factor * scale <= 1]
    return fine_levels[-1] if fine_levels else 0


def tiles_in_view(levels: Sequence[Level], index: int, viewport: Viewport) -> list[TileKey]:
    """The visible tiles of a level, those in the middle first."""
    level, part = levels[index], viewport.visible
    if part.is_empty:
        return []
    pitch = TILE * level.factor
    first_column, last_column = _index_range(
        part.x - level.left, part.right - level.left, pitch, level.columns
    )
    first_row, last_row = _index_range(part.y - level.top, part.bottom - level.top, pitch, level.rows)
    middle_column = (part.x + part.w / 2 - level.left) / pitch - 0.5
    middle_row = (part.y + part.h / 2 - level.top) / pitch - 0.5
    keys = [
        TileKey(index, column, row)
        for row in range(first_row, last_row + 1)
        for column in range(first_column, last_column + 1)
    ]
    return sorted(keys, key=lambda key: (key.column - middle_column) ** 2 + (key.row - middle_row) ** 2)


def _index_range(start: float, end: float, pitch: float, count: int) -> tuple[int, int]:
    first = min(max(math.floor(start / pitch), 0), count - 1)
    return first, min(max(math.ceil(end / pitch) - 1, first), count - 1)


_MAX_SIDE: Final = 256
"""The largest picture that is read; those of the service have 20 px a side."""
_LIMIT: Final = 128
"""Grey level of the limit of a passed photo."""
_FAINT: Final = 64
"""Grey level from which heat is painted."""
_OPAQUE: Final = 170


class HeatLayer:
    """The heat of the photo on the canvas: yellow below the limit of a passed photo, red above."""

    def __init__(self) -> None:
        self.is_shown = False
        self._image: QImage | None = None
        self._heat = ""
        self._section: tuple[float, ...] = ()

    @property
    def has_heat(self) -> bool:
        """Whether there is anything to show."""
        return self._image is not None

    def set_appearance(self, appearance: EntryAppearance | None) -> None:
        """Take the heat of a photo; None if it was not compared by its appearance."""
        heat = "" if appearance is None else appearance.get("heat", "")
        section = () if appearance is None else appearance.get("section", ())
        if heat != self._heat:
            self._heat, self._image = heat, _read(heat)
        self._section = tuple(section) if len(section) == 4 else (0, 0, 1, 1)

    def paint(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint the heat if it is to be shown."""
        if self._image is None or not self.is_shown:
            return
        x, y, w, h = self._section
        width, height = viewport.image_width, viewport.image_height
        at = viewport.rect_to_view(Rect(x * width, y * height, w * width, h * height))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(at.x, at.y, at.w, at.h), self._image)
        painter.restore()


def _read(heat: str) -> QImage | None:
    """The picture in colours; None if it cannot be read."""
    buffer = QBuffer()
    buffer.setData(QByteArray.fromBase64(QByteArray(heat.encode("ascii", "replace"))))
    reader = QImageReader(buffer, QByteArray(b"png"))
    size = reader.size()
    if size.isEmpty() or max(size.width(), size.height()) > _MAX_SIDE:
        return None
    grey = reader.read()
    if grey.isNull():
        return None
    image = QImage(grey.size(), QImage.Format.Format_ARGB32)
    for row in range(grey.height()):
        for column in range(grey.width()):
            image.setPixel(column, row, _colour(qGray(grey.pixel(column, row))))
    return image


def _colour(level: int) -> int:
    above = min(max(level - _FAINT, 0) / (_LIMIT - _FAINT), 1.0)
    return qRgba(230, 180 if level < _LIMIT else 30, 20, round(_OPAQUE * above))
