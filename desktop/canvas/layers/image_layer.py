"""Paints a picture from the tiles that are here, and says which ones it wants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from desktop.canvas.model.viewport import Viewport
from desktop.imaging.loader import TileKey, TileLoader
from desktop.imaging.sources.source import TILE, Level
from shared.geometry import Rect

NEAREST_ABOVE = 2.0
"""From this many device px per picture px on, the pixels are shown as the squares they are."""


@dataclass(frozen=True, slots=True)
class _Screen:
    """A viewport in device px: picture px times `scale`, from (`left`, `top`)."""

    scale: float
    left: float
    top: float

    def to_screen(self, rect: Rect) -> QRectF:
        """Where a rectangle of the picture is seen."""
        x, y = self.left + rect.x * self.scale, self.top + rect.y * self.scale
        return QRectF(x, y, rect.w * self.scale, rect.h * self.scale)

    def tile(self, level: Level, key: TileKey) -> QRectF:
        """Where a tile goes: on whole px, so that neighbours neither gape nor overlap."""
        rect = level.tile_rect(key.column, key.row)
        x1 = round(self.left + (level.left + rect.x * level.factor) * self.scale)
        y1 = round(self.top + (level.top + rect.y * level.factor) * self.scale)
        x2 = round(self.left + (level.left + rect.right * level.factor) * self.scale)
        y2 = round(self.top + (level.top + rect.bottom * level.factor) * self.scale)
        return QRectF(x1, y1, x2 - x1, y2 - y1)

    def within(self, level: Level, key: TileKey, target: QRectF) -> QRectF:
        """The part of a tile, in its px, that is seen at `target`."""
        pitch = level.factor * self.scale
        x = (target.x() - self.left - level.left * self.scale) / pitch - key.column * TILE
        y = (target.y() - self.top - level.top * self.scale) / pitch - key.row * TILE
        return QRectF(x, y, target.width() / pitch, target.height() / pitch)


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
        screen = _Screen(viewport.scale * ratio, viewport.left * ratio, viewport.top * ratio)
        whole = screen.to_screen(Rect(0, 0, viewport.image_width, viewport.image_height))
        between = screen.scale < NEAREST_ABOVE and screen.scale != 1
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth and between)
        painter.setClipRect(whole)
        if levels:
            index = level_for(levels, screen.scale)
            keys = tiles_in_view(levels, index, viewport)
            self._loader.want(keys)
            for key in keys:
                target = screen.tile(levels[index], key)
                image = self._loader.tile(key)
                if image is not None:
                    painter.drawImage(target, image, QRectF(image.rect()))
                elif not self._coarser(painter, screen, levels, key, target):
                    self._preview(painter, whole, target)
        else:
            self._preview(painter, whole, screen.to_screen(viewport.visible))
        painter.restore()

    def _coarser(
        self, painter: QPainter, screen: _Screen, levels: Sequence[Level], key: TileKey, target: QRectF
    ) -> bool:
        """Paint the part of a coarser tile at the place of `key`; False when none is loaded."""
        for index in range(key.level + 1, len(levels)):
            steps = index - key.level
            parent = TileKey(index, key.column >> steps, key.row >> steps)
            image = self._loader.tile(parent)
            if image is not None:
                painter.drawImage(target, image, screen.within(levels[index], parent, target))
                return True
        return False

    def _preview(self, painter: QPainter, whole: QRectF, target: QRectF) -> None:
        image = self._loader.preview
        if image is None:
            return
        across, down = image.width() / whole.width(), image.height() / whole.height()
        x, y = (target.x() - whole.x()) * across, (target.y() - whole.y()) * down
        painter.drawImage(target, image, QRectF(x, y, target.width() * across, target.height() * down))


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
