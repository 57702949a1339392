"""Defines the left-button tools on a compared pair: edit findings, set three points.

Coordinates are px of the pair unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.finding_layer import Matrix, mapped_corners
from desktop.canvas.layers.marks import CHIP_HEIGHT, chip_font, draw_chip
from desktop.canvas.model.shaping import Handle, Size, drawn, handle_at, moved, resized
from desktop.canvas.model.viewport import Viewport
from shared.geometry import Rect

POINTS = 3
"""The number of places that make an alignment."""

_REACH = 7.0
_HANDLE = 4.0

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PairPointer:
    """Where the pointer is: px of the pair, on the photo or on the reference, and view px per px.

    `inside` is False beside the pictures.
    """

    x: float
    y: float
    photo: bool
    scale: float
    inside: bool = True


class PairTool(Protocol):
    """One use of the left button."""

    counts_clicks: bool
    """True when a double click is two clicks."""

    def press(self, spot: PairPointer) -> bool:
        """The button went down; True when the tool holds the pointer until it goes up."""

    def move(self, spot: PairPointer) -> None:
        """The pointer that the tool holds moved."""

    def release(self, spot: PairPointer) -> None:
        """The tool lets go."""

    def click(self, spot: PairPointer) -> None:
        """The button went up where it went down, and the tool did not hold it."""

    def paint(
        self, painter: QPainter, viewport: Viewport, photo: bool, colours: CanvasColours, font: QFont
    ) -> None:
        """Paint over the picture of one side."""


def mapped(mapping: Matrix, x: float, y: float) -> Place:
    """A point through a 3 x 3 homography."""
    u, v, w = mapping @ np.array([x, y, 1.0])
    return float(u / w), float(v / w)


class BoxTool:
    """Chooses, moves, resizes and draws findings; all in px of the photo, whole px, inside it.

    `mapping` brings px of the photo to px of the pair; None while there is no pair.
    """

    counts_clicks = False

    def __init__(
        self,
        chosen: Callable[[int], None],
        reshaped: Callable[[int, Rect], None],
        added: Callable[[Rect], None],
    ) -> None:
        self._chosen, self._reshaped, self._added = chosen, reshaped, added
        self.rects: Sequence[Rect] = ()
        self.current = -1
        self.mapping: Matrix | None = None
        self.size: Size = (0, 0)
        self.editable = False
        self.drawing = False
        self._from: Place | None = None
        self._handle: Handle | None = None
        self.draft: Rect | None = None

    def press(self, spot: PairPointer) -> bool:
        """Take hold of the chosen finding, choose another, or begin to draw."""
        if self.mapping is None or not spot.photo:
            return False
        place = self._photo(spot)
        self._from, self._handle, self.draft = None, None, None
        if self.drawing:
            self._from = place
            return True
        if self.editable and 0 <= self.current < len(self.rects):
            rect = self.rects[self.current]
            self._handle = handle_at(rect, *place, self._reach(spot))
            if self._handle is not None or rect.contains(*place):
                self._from = place
                return True
        inside = [at for at, rect in enumerate(self.rects) if rect.contains(*place)]
        if inside:
            self._chosen(min(inside, key=lambda at: self.rects[at].area))
        return bool(inside)

    def move(self, spot: PairPointer) -> None:
        """Shape the draft."""
        if self._from is None:
            return
        x, y = self._photo(spot)
        if self.drawing:
            self.draft = drawn(*self._from, x, y, self.size)
        elif self._handle is not None:
            self.draft = resized(self.rects[self.current], self._handle, x, y, self.size)
        else:
            way = x - self._from[0], y - self._from[1]
            self.draft = moved([self.rects[self.current]], *way, self.size)[0]

    def release(self, spot: PairPointer) -> None:
        """Report the changed finding."""
        self.move(spot)
        draft, self.draft = self.draft, None
        start, self._from = self._from, None
        if start is None or draft is None:
            return
        if self.drawing:
            self._added(draft)
        elif draft != self.rects[self.current]:
            self._reshaped(self.current, draft)

    def click(self, spot: PairPointer) -> None:
        """Beside all findings: none is chosen."""
        if spot.photo and self.current >= 0:
            self._chosen(-1)

    def paint(
        self, painter: QPainter, viewport: Viewport, photo: bool, colours: CanvasColours, _font: QFont
    ) -> None:
        """Paint the draft, and handles at the chosen finding."""
        if self.mapping is None or not photo:
            return
        chosen = self.rects[self.current] if 0 <= self.current < len(self.rects) else None
        rect = self.draft or (chosen if self.editable and not self.drawing else None)
        if rect is None:
            return
        painter.setPen(QPen(QColor(colours.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.draft is not None:
            corners = [viewport.to_view(*corner) for corner in mapped_corners(rect, self.mapping)]
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        painter.setBrush(QColor("#ffffff"))
        for handle in Handle:
            x, y = viewport.to_view(*mapped(self.mapping, *handle.point_on(rect)))
            painter.drawRect(QRectF(x - _HANDLE, y - _HANDLE, 2 * _HANDLE, 2 * _HANDLE))

    def _photo(self, spot: PairPointer) -> Place:
        assert self.mapping is not None
        return mapped(np.linalg.inv(self.mapping).astype(np.float64), spot.x, spot.y)

    def _reach(self, spot: PairPointer) -> float:
        x, y = self._photo(spot)
        edge = self._photo(PairPointer(spot.x + _REACH / spot.scale, spot.y, True, spot.scale))
        return float(np.hypot(edge[0] - x, edge[1] - y))


class ThreePointTool:
    """Takes the same three places alternately in the reference and in the photo."""

    counts_clicks = True

    def __init__(
        self, done: Callable[[list[Place], list[Place]], None], hint: Callable[[int, bool], str]
    ) -> None:
        """`done` gets the places in the reference and in the photo; `hint` says what to click next: number of
        the place from 1, and whether in the photo."""
        self._done, self._hint = done, hint
        self.reference: list[Place] = []
        self.photo: list[Place] = []

    @property
    def wants_photo(self) -> bool:
        """True when the next place is to be set in the photo."""
        return len(self.reference) > len(self.photo)

    @property
    def complete(self) -> bool:
        """True when all places are set."""
        return len(self.photo) == POINTS

    def undo(self) -> bool:
        """Take the last place back; False when there is none."""
        places = self.reference if self.wants_photo else self.photo
        if not places:
            return False
        places.pop()
        return True

    def press(self, _spot: PairPointer) -> bool:
        """The pictures can be dragged while places are set."""
        return False

    def move(self, _spot: PairPointer) -> None:
        """Nothing is held."""

    def release(self, _spot: PairPointer) -> None:
        """Nothing is held."""

    def click(self, spot: PairPointer) -> None:
        """Set the next place, when it is on the side that is next."""
        if self.complete or not spot.inside or spot.photo is not self.wants_photo:
            return
        (self.photo if spot.photo else self.reference).append((spot.x, spot.y))
        if len(self.photo) == POINTS:
            self._done(list(self.reference), list(self.photo))

    def paint(
        self, painter: QPainter, viewport: Viewport, photo: bool, colours: CanvasColours, font: QFont
    ) -> None:
        """Paint the numbered places, and on the side that is next what to do."""
        strong = chip_font(font)
        painter.setFont(strong)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = QColor(colours.accent)
        for number, place in enumerate(self.photo if photo else self.reference, 1):
            x, y = viewport.to_view(*place)
            painter.setPen(QPen(QColor("#ffffff"), 4))
            painter.drawLines(_cross(x, y))
            painter.setPen(QPen(accent, 2))
            painter.drawLines(_cross(x, y))
            draw_chip(painter, QRectF(x + 8, y - CHIP_HEIGHT - 4, 22, CHIP_HEIGHT), str(number), accent)
        if photo is self.wants_photo and not self.complete:
            hint = self._hint(len(self.photo) + 1, photo)
            width = QFontMetricsF(strong).horizontalAdvance(hint) + 14
            # Above the name of the side: the tools hide the upper edge.
            top = viewport.height - 2 * CHIP_HEIGHT - 18
            draw_chip(painter, QRectF(6, top, width, CHIP_HEIGHT + 4), hint, accent)


def _cross(x: float, y: float) -> list[QPointF]:
    return [QPointF(x - 9, y), QPointF(x + 9, y), QPointF(x, y - 9), QPointF(x, y + 9)]
