"""Paints the instruction of a challenge over the live picture: an arrow and a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from desktop.theme import DARK, text_font
from shared.wire.face import MovementName

_TEXT_PX = 16
_ARROW = 46.0
# The distance from the oval to the arrow in px.
_GAP = 14.0
_SHADE = QColor(0, 0, 0, 190)


@dataclass(frozen=True, slots=True)
class Instruction:
    """The current instruction: a movement (None: look straight ahead) and its sentence.

    `left` is the remaining share of its time, 0..1.
    """

    movement: MovementName | None
    text: str
    left: float


def paint_instruction(painter: QPainter, whole: QRectF, oval: QRectF, instruction: Instruction) -> None:
    """Paint `instruction` around the `oval` of a mirrored preview.

    In a mirror, the user's left is on the left, so the arrow points in the direction of the movement.
    """
    _paint_text(painter, whole, instruction.text)
    middle = oval.center()
    side, above = oval.width() / 2 + _GAP + _ARROW / 2, oval.height() / 2 + _GAP
    match instruction.movement:
        case "left":
            _paint_arrow(painter, _keep_inside(whole, middle - QPointF(side, 0)), 180)
        case "right":
            _paint_arrow(painter, _keep_inside(whole, middle + QPointF(side, 0)), 0)
        case "up":
            # On the forehead, so that it covers neither the text nor the eyes.
            _paint_arrow(painter, _keep_inside(whole, middle - QPointF(0, above * 0.62)), -90)
        case "closer":
            for angle in (45, 135, 225, 315):
                turn = math.radians(angle)
                position = middle + QPointF(math.cos(turn) * side * 0.86, math.sin(turn) * above * 0.86)
                _paint_arrow(painter, _keep_inside(whole, position), angle, 0.6)
        case None:
            pass


def _keep_inside(whole: QRectF, position: QPointF) -> QPointF:
    """Move `position` horizontally so that an arrow there is completely visible."""
    edge = _ARROW / 2 + 4
    return QPointF(min(max(position.x(), whole.left() + edge), whole.right() - edge), position.y())


def _paint_arrow(painter: QPainter, position: QPointF, angle: float, scale: float = 1.0) -> None:
    """Paint an arrow centred at `position`. Its dark rim makes it visible on any background."""
    arrow = QPainterPath()
    half = _ARROW / 2
    arrow.moveTo(-half, 0)
    arrow.lineTo(half, 0)
    arrow.moveTo(half - 17, -17)
    arrow.lineTo(half, 0)
    arrow.lineTo(half - 17, 17)
    painter.save()
    painter.translate(position)
    painter.rotate(angle)
    painter.scale(scale, scale)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((_SHADE, 14.0), (QColor(DARK.accent), 8.0)):
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPath(arrow)
    painter.restore()


def _paint_text(painter: QPainter, whole: QRectF, text: str) -> None:
    font = text_font(_TEXT_PX, bold=True)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    bounds = QRectF(0, 0, whole.width() - 72, whole.height() / 2)
    text_bounds = QFontMetricsF(font).boundingRect(bounds, flags, text)
    pill = QRectF(0, 0, text_bounds.width() + 32, text_bounds.height() + 16)
    pill.moveCenter(QPointF(whole.center().x(), 0))
    pill.moveTop(14)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_SHADE)
    painter.drawRoundedRect(pill, 10, 10)
    painter.setPen(QColor(DARK.text))
    painter.setFont(font)
    painter.drawText(pill, flags, text)
