"""Paints a picture from the tiles that are here, and says which ones it wants."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from desktop.canvas.viewport import Viewport
from desktop.imaging.loader import TileKey, TileLoader
from desktop.imaging.source import TILE, Level

NEAREST_ABOVE = 2.0
"""From this many device px per picture px on, the pixels are shown as the squares they are."""


class ImageLayer:
    """Stateless but for the loader: each `paint` shows the best that is here."""

    def __init__(self, loader: TileLoader) -> None:
        self._loader = loader

    def paint(
        self, painter: QPainter, viewport: Viewport, levels: Sequence[Level], ratio: float, *, smooth: bool
    ) -> None:
        """Paint the picture and ask for its missing tiles.

        `ratio`: device px per view px. Without `smooth` every pixel is the nearest one, which is quicker.
        """
        scale, left, top = viewport.scale * ratio, viewport.left * ratio, viewport.top * ratio
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        painter.setRenderHint(
            QPainter.RenderHint.SmoothPixmapTransform, smooth and scale < NEAREST_ABOVE and scale != 1
        )
        painter.setClipRect(
            QRectF(left, top, viewport.image_width * scale, viewport.image_height * scale),
        )
        if not levels:
            self._preview(
                painter, viewport, QRectF(*self._visible(viewport, scale, left, top)), scale, left, top
            )
        else:
            self._tiles(painter, viewport, levels, scale, left, top)
        painter.restore()

    def _tiles(
        self,
        painter: QPainter,
        viewport: Viewport,
        levels: Sequence[Level],
        scale: float,
        left: float,
        top: float,
    ) -> None:
        index = level_for(levels, scale)
        keys = tiles_in_view(levels, index, viewport)
        self._loader.want(keys)
        for key in keys:
            target = _target(levels[index], key, scale, left, top)
            image = self._loader.tile(key)
            if image is not None:
                painter.drawImage(target, image, QRectF(image.rect()))
            else:
                self._coarser(painter, viewport, levels, key, target, scale, left, top)

    def _coarser(
        self,
        painter: QPainter,
        viewport: Viewport,
        levels: Sequence[Level],
        key: TileKey,
        target: QRectF,
        scale: float,
        left: float,
        top: float,
    ) -> None:
        for index in range(key.level + 1, len(levels)):
            steps = index - key.level
            image = self._loader.tile(TileKey(index, key.column >> steps, key.row >> steps))
            if image is not None:
                level = levels[index]
                column, row = key.column >> steps, key.row >> steps
                pitch = level.factor * scale
                x = (target.x() - left - level.left * scale) / pitch - column * TILE
                y = (target.y() - top - level.top * scale) / pitch - row * TILE
                part = QRectF(x, y, target.width() / pitch, target.height() / pitch)
                painter.drawImage(target, image, part)
                return
        self._preview(painter, viewport, target, scale, left, top)

    def _preview(
        self, painter: QPainter, viewport: Viewport, target: QRectF, scale: float, left: float, top: float
    ) -> None:
        image = self._loader.preview
        if image is None:
            return
        across = image.width() / (viewport.image_width * scale)
        down = image.height() / (viewport.image_height * scale)
        part = QRectF(
            (target.x() - left) * across,
            (target.y() - top) * down,
            target.width() * across,
            target.height() * down,
        )
        painter.drawImage(target, image, part)

    @staticmethod
    def _visible(viewport: Viewport, scale: float, left: float, top: float) -> tuple[float, ...]:
        part = viewport.visible
        return left + part.x * scale, top + part.y * scale, part.w * scale, part.h * scale


def level_for(levels: Sequence[Level], scale: float) -> int:
    """The coarsest level that is at least as fine as the screen, at `scale` device px per picture px."""
    fine = [index for index, level in enumerate(levels) if level.factor * scale <= 1]
    return fine[-1] if fine else 0


def tiles_in_view(levels: Sequence[Level], index: int, viewport: Viewport) -> list[TileKey]:
    """The tiles of a level that the view shows, those in the middle first."""
    level, part = levels[index], viewport.visible
    if part.empty:
        return []
    pitch = TILE * level.factor
    first_column, last_column = _span(part.x - level.left, part.right - level.left, pitch, level.columns)
    first_row, last_row = _span(part.y - level.top, part.bottom - level.top, pitch, level.rows)
    middle_column = (part.x + part.w / 2 - level.left) / pitch - 0.5
    middle_row = (part.y + part.h / 2 - level.top) / pitch - 0.5
    keys = [
        TileKey(index, column, row)
        for row in range(first_row, last_row + 1)
        for column in range(first_column, last_column + 1)
    ]
    return sorted(keys, key=lambda key: (key.column - middle_column) ** 2 + (key.row - middle_row) ** 2)


def _span(start: float, end: float, pitch: float, count: int) -> tuple[int, int]:
    first = min(max(math.floor(start / pitch), 0), count - 1)
    return first, min(max(math.ceil(end / pitch) - 1, first), count - 1)


def _target(level: Level, key: TileKey, scale: float, left: float, top: float) -> QRectF:
    """Where a tile goes, in device px: whole ones, so that neighbours neither gape nor overlap."""
    rect = level.tile_rect(key.column, key.row)
    x1 = round(left + (level.left + rect.x * level.factor) * scale)
    y1 = round(top + (level.top + rect.y * level.factor) * scale)
    x2 = round(left + (level.left + rect.right * level.factor) * scale)
    y2 = round(top + (level.top + rect.bottom * level.factor) * scale)
    return QRectF(x1, y1, x2 - x1, y2 - y1)
