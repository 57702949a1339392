"""Draws chips with numbers or names, verdict marks and the focus ring."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetricsF, QPainter, QPen

from desktop.canvas.layers.colours import chip_colours
from desktop.canvas.model.regions import RegionState
from shared.geometry import Rect

CHIP_HEIGHT = 20
"""View px."""


LONGEST_NAME = 260
"""The widest that a name gets in a chip, view px; the whole name stands in the lists."""


def chip_text(metrics: QFontMetricsF, name: str) -> str:
    """A name as it fits into a chip: with an ellipsis where it is too long."""
    return metrics.elidedText(name, Qt.TextElideMode.ElideRight, LONGEST_NAME)


def chip_cells(chip: QRectF) -> list[tuple[int, int]]:
    """The squares of half a chip's height that a chip lies on: what it takes from others."""
    side = CHIP_HEIGHT / 2
    columns = range(int(chip.left() // side), int(chip.right() // side) + 1)
    rows = range(int(chip.top() // side), int((chip.bottom() - 1) // side) + 1)
    return [(column, row) for column in columns for row in rows]


def chip_places(box: Rect, width: float, view: tuple[float, float]) -> Iterator[QRectF]:
    """Yield where a chip of this width may stand at a region, the best place first; all in view px.

    That is above the region at its left, inside of a large one at the upper edge; none covers a small one.
    """
    left, right = box.x - 1, box.right + 1 - width
    above, below = box.y - CHIP_HEIGHT, box.bottom
    most_x, most_y = max(view[0] - width, 0.0), max(view[1] - CHIP_HEIGHT, 0.0)
    best = above if above >= 0 else below if box.h < CHIP_HEIGHT else max(box.y, 0.0)
    yield QRectF(round(min(max(round(left), 0.0), most_x)), round(best), round(width), CHIP_HEIGHT)
    middle = box.y + (box.h - CHIP_HEIGHT) / 2
    around = [(left, below), (right, above), (right, below)]
    around += [(box.right + 2, middle), (box.x - width - 2, middle)]
    # Clear of a neighbour's chip, also by the squares in which chips are compared.
    beyond = 1.5 * CHIP_HEIGHT
    around += [(left, above - beyond), (left, below + beyond)]
    for x, y in around:
        if 0 <= round(x) <= most_x and 0 <= round(y) <= most_y:
            yield QRectF(round(x), round(y), round(width), CHIP_HEIGHT)


def chip_font(font: QFont) -> QFont:
    """The font of chips: 12 px, semibold."""
    strong = QFont(font)
    strong.setPixelSize(12)
    strong.setWeight(QFont.Weight.DemiBold)
    return strong


def draw_chip(
    painter: QPainter, box: QRectF, text: str, colour: QColor, state: RegionState = RegionState.NONE
) -> None:
    """A chip with a text and, at its end, the mark of `state`. The painter has the font already."""
    ground, ink = chip_colours(colour)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(ink)
    text_box = box.adjusted(7, 0, -7, 0)
    painter.drawText(text_box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
    if state is not RegionState.NONE:
        draw_mark(painter, QRectF(box.right() - 16, box.center().y() - 4.5, 9, 9), state, ink)
    painter.restore()


def draw_mark(painter: QPainter, box: QRectF, state: RegionState, ink: QColor) -> None:
    """A tick for passed, a cross for failed, a ring for undecided."""
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
    """The ring around a picture that has the focus: for who came by keys, as who clicked on it knows.

    Without it no line lies on the edge of the picture.
    """

    def __init__(self) -> None:
        self._came_by_keys = False

    def came(self, event: QFocusEvent) -> None:
        """The focus came; back from another window it is as it was."""
        reasons = Qt.FocusReason
        if event.reason() not in (reasons.ActiveWindowFocusReason, reasons.PopupFocusReason):
            keys = (reasons.TabFocusReason, reasons.BacktabFocusReason, reasons.ShortcutFocusReason)
            self._came_by_keys = event.reason() in keys

    def paint(self, painter: QPainter, box: QRect, has_focus: bool, accent: QColor) -> None:
        """Paint it where it belongs, 1 px."""
        if has_focus and self._came_by_keys:
            painter.setPen(QPen(accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(0, 0, -1, -1))
