"""Finds places for the chips of regions and findings: beside them, never on what they name.

Draws chips with numbers or names, verdict marks and the focus ring.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from desktop.canvas.layers.colours import chip_colours
from desktop.canvas.model.regions import Edges, RegionState

CHIP_HEIGHT = 20
"""View px."""

_Numbers = npt.NDArray[np.float64]
_Flags = npt.NDArray[np.bool_]
_INSIDE_SHARE = 3
"""A chip is put inside a region that is at least this many times as large."""
_TOLERANCE = 1.0
"""View px by which edges may differ that are drawn on the same px."""
_CELL = CHIP_HEIGHT // 2
"""The side of a square of the grid in which chips must not meet, in view px."""
_CLEARANCE = 1.5 * CHIP_HEIGHT
"""So far from the usual place, a chip does not meet that of a neighbour."""
_BEYOND = 30_000
"""No view is as large, in px."""
POSITIONS = 9
"""The number of positions of a chip. Where regions are dense, the first two suffice: above and inside."""


def _whole(numbers: _Numbers) -> npt.NDArray[np.int16]:
    """Whole view px as short numbers; what lies beyond every view, beyond it."""
    return np.minimum(np.maximum(numbers, -_BEYOND), _BEYOND).astype(np.int16)


def _squares(x: float, y: float, width: float) -> tuple[range, int]:
    """The rows of the grid that a chip touches, and the bits of its squares in each of them."""
    first, last = int(x) // _CELL, int(x + width) // _CELL
    rows = range(int(y) // _CELL, (int(y) + CHIP_HEIGHT - 1) // _CELL + 1)
    return rows, (1 << last + 1) - (1 << first)


class ChipPlaces:
    """Places chips one after the other so that they cover neither each other nor another region.

    `boxes`: left, top, right and bottom of the regions that get chips in view px, shape (n, 4), and `widths`
    (n) of their chips. `others` (m, 4): all regions. `view`: its width and height. What a region lies in does
    not count as covered. All positions of one kind are compared at once, and only when they are needed.
    """

    def __init__(
        self,
        boxes: Edges,
        widths: _Numbers,
        others: Edges,
        view: tuple[float, float],
        positions: int = POSITIONS,
    ) -> None:
        self._widths, self._view = np.rint(widths), view
        # By column: NumPy takes and compares single numbers several times as fast as rows of four.
        self._boxes, self._others = np.ascontiguousarray(boxes.T), np.ascontiguousarray(others.T)
        # Chips lie on whole px: compared with them, an edge within a px is the end of that px. Short numbers
        # are compared several times as fast.
        self._outer_px = (*_whole(np.floor(self._others[:2])), *_whole(np.ceil(self._others[2:])))
        x, y = self._corners()
        self._x, self._y = np.rint(x[:positions]), np.rint(y[:positions])
        max_x, max_y = np.maximum(view[0] - self._widths, 0), max(view[1] - CHIP_HEIGHT, 0)
        is_inside = (self._x >= 0) & (self._x <= max_x) & (self._y >= 0) & (self._y <= max_y)
        self._places = list(zip(self._x.tolist(), self._y.tolist(), is_inside.tolist(), strict=True))
        self._free: list[list[bool]] = []
        self._width_of: list[float] = self._widths.tolist()
        self._taken = [0] * (int(view[1]) // _CELL + 3)
        """For each row of the grid a number with a bit for each square in which a chip lies."""

    def block(self, chip: QRectF) -> None:
        """Keep this place free: another layer has a chip there."""
        rows, squares = _squares(max(chip.left(), 0), max(chip.top(), 0), chip.width())
        for row in rows:
            if row < len(self._taken):
                self._taken[row] |= squares

    def reserve(self, index: int, *, required: bool = False) -> QRectF | None:
        """The place of the chip of a region; None if there is no room.

        A `required` chip gets the best place inside the view even if that covers something else.
        """
        best = None
        for column, (x, y, is_inside) in enumerate(self._places):
            if not is_inside[index]:
                continue
            is_free = self._is_free(column, index)
            if is_free or required:
                rows, squares = _squares(x[index], y[index], self._width_of[index])
                is_best = is_free and not any(self._taken[row] & squares for row in rows)
                if is_best or best is None:
                    best = x[index], y[index], rows, squares
                if is_best:
                    break
        else:
            if not required or best is None:
                return None
        left, top, rows, squares = best
        for row in rows:
            self._taken[row] |= squares
        return QRectF(left, top, self._width_of[index], CHIP_HEIGHT)

    def positions(self, index: int) -> Iterator[QRectF]:
        """The positions of the chip of a region inside the view, the best one first."""
        for x, y, is_inside in self._places:
            if is_inside[index]:
                yield QRectF(x[index], y[index], self._width_of[index], CHIP_HEIGHT)

    def _is_free(self, column: int, index: int) -> bool:
        """Whether the chip of a region covers no other region in a position."""
        while len(self._free) <= column:
            kind = len(self._free)
            self._free.append((~self._covers_another(self._x[kind], self._y[kind])).tolist())
        return self._free[column][index]

    def _corners(self) -> tuple[_Numbers, _Numbers]:
        """The upper left corners of all chips in each kind of position; beyond the view where a region has
        none.

        The best one is above the region at its left, the next one inside a large region.
        """
        # Outwards to whole px: a chip just below a region must not meet the last px of one beside it.
        left, top = np.floor(self._boxes[:2])
        right, bottom = np.ceil(self._boxes[2:])
        max_x = np.maximum(np.floor(self._view[0] - self._widths), 0)
        near_left = np.minimum(np.maximum(left - 1, 0), max_x)
        above, middle, at_right = (
            top - CHIP_HEIGHT,
            (top + bottom - CHIP_HEIGHT) / 2,
            right + 1 - self._widths,
        )
        inside_x, inside_y = self._inside()
        places = (
            (near_left, above),
            (inside_x, inside_y),
            (near_left, bottom),
            (at_right, above),
            (at_right, bottom),
            (right + 2, middle),
            (left - self._widths - 2, middle),
            (near_left, above - _CLEARANCE),
            (near_left, bottom + _CLEARANCE),
        )
        x, y = zip(*places, strict=True)
        return np.array(x), np.array(y)

    def _inside(self) -> tuple[_Numbers, _Numbers]:
        left, top, right, bottom = self._boxes
        x, y = np.maximum(left - 1, 0), np.maximum(top, 0)
        width, height = np.minimum(right, self._view[0]) - x, np.minimum(bottom, self._view[1]) - y
        has_room = (width >= self._widths) & (height >= CHIP_HEIGHT)
        has_room &= width * height >= _INSIDE_SHARE * self._widths * CHIP_HEIGHT
        return np.where(has_room, x, -_BEYOND), y

    def _covers_another(self, x: _Numbers, y: _Numbers) -> _Flags:
        """Whether chips at these corners cover a region that theirs does not lie in, shape (n)."""
        left, top, right, bottom = self._outer_px
        chip_left, chip_top = _whole(x)[:, None], _whole(y)[:, None]
        hit = left < _whole(x + self._widths)[:, None]
        hit &= right > chip_left
        hit &= top < _whole(y + CHIP_HEIGHT)[:, None]
        hit &= bottom > chip_top
        # NumPy finds places in a row many times as fast as in rows and columns.
        chips, regions = np.divmod(np.flatnonzero(hit), hit.shape[1])
        inner, outer = self._boxes[:, chips], self._others[:, regions]
        is_around = (outer[:2] <= inner[:2] + _TOLERANCE) & (outer[2:] >= inner[2:] - _TOLERANCE)
        covers = np.zeros(len(x), bool)
        covers[chips[~(is_around[0] & is_around[1])]] = True
        return covers


MAX_NAME_WIDTH = 260
"""The maximum width of a name in a chip, in view px. The lists show the whole name."""


def chip_text(metrics: QFontMetricsF, name: str) -> str:
    """A name elided to the maximum width in a chip."""
    return metrics.elidedText(name, Qt.TextElideMode.ElideRight, MAX_NAME_WIDTH)


def chip_font(font: QFont) -> QFont:
    """The font of chips: 12 px, semibold."""
    strong = QFont(font)
    strong.setPixelSize(12)
    strong.setWeight(QFont.Weight.DemiBold)
    return strong


@lru_cache(maxsize=4096)
def chip_label(font: str, number: int, name: str = "", note: str = "") -> tuple[str, float]:
    """The text for the chip of a region and its width in view px, which take long to measure.

    `font` is the key of the font of the chip.
    """
    used_font = QFont()
    used_font.fromString(font)
    metrics = QFontMetricsF(used_font)
    text = " ".join(part for part in (str(number), chip_text(metrics, name), note) if part)
    return text, metrics.horizontalAdvance(text)


def draw_chip(
    painter: QPainter, box: QRectF, text: str, colour: QColor, state: RegionState = RegionState.NONE
) -> None:
    """Draw a chip with a text and the mark of `state`. The font of the painter must be set."""
    draw_chips(painter, [(box, text, colour, state)])


def draw_chips(painter: QPainter, chips: Iterable[tuple[QRectF, str, QColor, RegionState]]) -> None:
    """Draw chips as `draw_chip` does. To read the font of the painter takes longer than to draw a chip."""
    font, ratio = painter.font().key(), painter.device().devicePixelRatio()
    for box, text, colour, state in chips:
        pixmap = _chip_pixmap(text, font, colour.rgba(), state, box.width(), box.height(), ratio)
        painter.drawPixmap(box.topLeft(), pixmap)


@lru_cache(maxsize=512)
def _chip_pixmap(
    text: str, font: str, colour: int, state: RegionState, width: float, height: float, ratio: float
) -> QPixmap:
    """A chip as it is painted in many frames: while zooming only its place changes."""
    pixmap = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    ground, ink = chip_colours(QColor.fromRgba(colour))
    box = QRectF(0, 0, width, height)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(ink)
        used_font = QFont()
        used_font.fromString(font)
        painter.setFont(used_font)
        text_box = box.adjusted(7, 0, -7, 0)
        painter.drawText(text_box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if state is not RegionState.NONE:
            draw_mark(painter, QRectF(box.right() - 16, box.center().y() - 4.5, 9, 9), state, ink)
    return pixmap


def draw_mark(painter: QPainter, box: QRectF, state: RegionState, ink: QColor) -> None:
    """Draw the mark of a state: a tick for passed, a cross for failed, a ring for undecided."""
    painter.setPen(QPen(ink, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, top, right, bottom = box.left(), box.top(), box.right(), box.bottom()
    match state:
        case RegionState.PASSED:
            knee = QPointF(left + box.width() * 0.38, bottom - 1)
            painter.drawPolyline([QPointF(left, top + box.height() * 0.55), knee, QPointF(right, top + 1)])
        case RegionState.FAILED:
            inner = box.adjusted(1, 1, -1, -1)
            painter.drawLine(QLineF(inner.topLeft(), inner.bottomRight()))
            painter.drawLine(QLineF(inner.topRight(), inner.bottomLeft()))
        case RegionState.UNDECIDED:
            painter.drawEllipse(box.adjusted(1, 1, -1, -1))
        case RegionState.NONE:
            pass


class FocusRing:
    """The ring around a picture that got the focus by keyboard. It is not painted after a click."""

    def __init__(self) -> None:
        self._focused_by_keyboard = False

    def on_focus_in(self, event: QFocusEvent) -> None:
        """Remember whether the focus came by keyboard. Returning from another window changes nothing."""
        reasons = Qt.FocusReason
        if event.reason() not in (reasons.ActiveWindowFocusReason, reasons.PopupFocusReason):
            keys = (reasons.TabFocusReason, reasons.BacktabFocusReason, reasons.ShortcutFocusReason)
            self._focused_by_keyboard = event.reason() in keys

    def paint(self, painter: QPainter, box: QRect, has_focus: bool, accent: QColor) -> None:
        """Paint the ring, 1 px wide, inside `box` if it is needed."""
        if has_focus and self._focused_by_keyboard:
            painter.setPen(QPen(accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(0, 0, -1, -1))
