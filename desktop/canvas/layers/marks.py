"""Draws chips with numbers or names, verdict marks and the focus ring."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from desktop.canvas.layers.colours import chip_colours
from desktop.canvas.model.regions import RegionState

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
