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

from desktop.canvas.layers.chips import CHIP_HEIGHT, chip_font, draw_chip
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.finding_layer import Matrix, map_corners
from desktop.canvas.model.shaping import Handle, Size, handle_at, move_rects, rect_between, resize_rect
from desktop.canvas.model.viewport import Viewport
from shared.record.geometry import Rect

POINTS = 3
"""The number of point pairs that define an alignment."""

_REACH = 7.0
_HANDLE = 4.0

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PairPointer:
    """The position of the pointer in px of the pair, whether it is on the photo, and the view px per px.

    `inside` is False outside the pictures.
    """

    x: float
    y: float
    photo: bool
    scale: float
    inside: bool = True


class PairTool(Protocol):
    """The interface of a tool of the left button."""

    counts_clicks: bool
    """True when a double click is two clicks."""

    def press(self, pointer: PairPointer) -> bool:
        """Handle a press of the left button. Return True when the tool handles the mouse until the
        release."""

    def move(self, pointer: PairPointer) -> None:
        """Handle a move after `press` returned True."""

    def release(self, pointer: PairPointer) -> None:
        """Handle the release after `press` returned True."""

    def click(self, pointer: PairPointer) -> None:
        """Handle a click that `press` did not handle."""

    def paint(
        self, painter: QPainter, viewport: Viewport, photo: bool, colours: CanvasColours, font: QFont
    ) -> None:
        """Paint over one of the two pictures. `photo` is True for the photo."""


def map_point(mapping: Matrix, x: float, y: float) -> Place:
    """Map a point by a 3 x 3 homography."""
    u, v, w = mapping @ np.array([x, y, 1.0])
    return float(u / w), float(v / w)


class BoxTool:
    """Selects, moves, resizes and draws findings. Rectangles are in whole px inside the photo.

    `mapping` (3 x 3) maps px of the photo to px of the pair; None while there is no pair.
    """

    counts_clicks = False

    def __init__(
        self,
        on_select: Callable[[int], None],
        on_reshape: Callable[[int, Rect], None],
        on_add: Callable[[Rect], None],
    ) -> None:
        self._on_select, self._on_reshape, self._on_add = on_select, on_reshape, on_add
        self.rects: Sequence[Rect] = ()
        self.current = -1
        self.mapping: Matrix | None = None
        self.size: Size = (0, 0)
        self.editable = False
        self.drawing = False
        self._start: Place | None = None
        self._handle: Handle | None = None
        self.draft: Rect | None = None

    def press(self, pointer: PairPointer) -> bool:
        """Begin to drag the selected finding or to draw, or select another finding."""
        if self.mapping is None or not pointer.photo:
            return False
        place = self._to_photo(pointer)
        self._start, self._handle, self.draft = None, None, None
        if self.drawing:
            self._start = place
            return True
        if self.editable and 0 <= self.current < len(self.rects):
            rect = self.rects[self.current]
            self._handle = handle_at(rect, *place, self._reach(pointer))
            if self._handle is not None or rect.contains(*place):
                self._start = place
                return True
        inside = [index for index, rect in enumerate(self.rects) if rect.contains(*place)]
        if inside:
            self._on_select(min(inside, key=lambda index: self.rects[index].area))
        return bool(inside)

    def move(self, pointer: PairPointer) -> None:
        """Update the draft."""
        if self._start is None:
            return
        x, y = self._to_photo(pointer)
        if self.drawing:
            self.draft = rect_between(*self._start, x, y, self.size)
        elif self._handle is not None:
            self.draft = resize_rect(self.rects[self.current], self._handle, x, y, self.size)
        else:
            delta = x - self._start[0], y - self._start[1]
            self.draft = move_rects([self.rects[self.current]], *delta, self.size)[0]

    def release(self, pointer: PairPointer) -> None:
        """Report the changed finding."""
        self.move(pointer)
        draft, self.draft = self.draft, None
        start, self._start = self._start, None
        if start is None or draft is None:
            return
        if self.drawing:
            self._on_add(draft)
        elif draft != self.rects[self.current]:
            self._on_reshape(self.current, draft)

    def click(self, pointer: PairPointer) -> None:
        """Clear the selection after a click outside all findings."""
        if pointer.photo and self.current >= 0:
            self._on_select(-1)

    def paint(
        self, painter: QPainter, viewport: Viewport, photo: bool, colours: CanvasColours, _font: QFont
    ) -> None:
        """Paint the draft, or the handles of the selected finding."""
        if self.mapping is None or not photo:
            return
        selected_rect = self.rects[self.current] if 0 <= self.current < len(self.rects) else None
        rect = self.draft or (selected_rect if self.editable and not self.drawing else None)
        if rect is None:
            return
        painter.setPen(QPen(QColor(colours.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.draft is not None:
            corners = [viewport.to_view(*corner) for corner in map_corners(rect, self.mapping)]
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        painter.setBrush(QColor("#ffffff"))
        for handle in Handle:
            x, y = viewport.to_view(*map_point(self.mapping, *handle.point_on(rect)))
            painter.drawRect(QRectF(x - _HANDLE, y - _HANDLE, 2 * _HANDLE, 2 * _HANDLE))

    def _to_photo(self, pointer: PairPointer) -> Place:
        assert self.mapping is not None
        return map_point(np.linalg.inv(self.mapping).astype(np.float64), pointer.x, pointer.y)

    def _reach(self, pointer: PairPointer) -> float:
        x, y = self._to_photo(pointer)
        edge = self._to_photo(PairPointer(pointer.x + _REACH / pointer.scale, pointer.y, True, pointer.scale))
        return float(np.hypot(edge[0] - x, edge[1] - y))


class ThreePointTool:
    """Sets three pairs of points, alternately in the reference and in the photo."""

    counts_clicks = True

    def __init__(
        self, on_complete: Callable[[list[Place], list[Place]], None], hint: Callable[[int, bool], str]
    ) -> None:
        """Create a tool without points.

        `on_complete` gets the points in the reference and in the photo. `hint` returns the instruction for
        the next point: its number from 1, and whether it is in the photo.
        """
        self._on_complete, self._hint = on_complete, hint
        self.reference: list[Place] = []
        self.photo: list[Place] = []

    @property
    def wants_photo(self) -> bool:
        """True when the next point belongs to the photo."""
        return len(self.reference) > len(self.photo)

    @property
    def complete(self) -> bool:
        """True when all points are set."""
        return len(self.photo) == POINTS

    def undo(self) -> bool:
        """Remove the last point. Return False when there is none."""
        places = self.reference if self.wants_photo else self.photo
        if not places:
            return False
        places.pop()
        return True

    def press(self, _spot: PairPointer) -> bool:
        """Return False, so that the pictures can be dragged."""
        return False

    def move(self, _pointer: PairPointer) -> None:
        """Do nothing: this tool uses only clicks."""

    def release(self, _pointer: PairPointer) -> None:
        """Do nothing: this tool uses only clicks."""

    def click(self, pointer: PairPointer) -> None:
        """Set the next point if the click is on the picture that it belongs to."""
        if self.complete or not pointer.inside or pointer.photo is not self.wants_photo:
            return
        (self.photo if pointer.photo else self.reference).append((pointer.x, pointer.y))
        if len(self.photo) == POINTS:
            self._on_complete(list(self.reference), list(self.photo))

    def paint(
        self, painter: QPainter, viewport: Viewport, photo: bool, colours: CanvasColours, font: QFont
    ) -> None:
        """Paint the numbered points, and the instruction on the picture of the next point."""
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
            # The tool strip hides the upper edge, so it is above the name of the picture.
            top = viewport.height - 2 * CHIP_HEIGHT - 18
            draw_chip(painter, QRectF(6, top, width, CHIP_HEIGHT + 4), hint, accent)


def _cross(x: float, y: float) -> list[QPointF]:
    return [QPointF(x - 9, y), QPointF(x + 9, y), QPointF(x, y - 9), QPointF(x, y + 9)]
