"""Draws one side of a compared pair, and the handle between the two."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from desktop.imaging.decoding.tone import Tone

_GRIP_RADIUS = 8


class CompareMode(StrEnum):
    """How the two pictures are compared."""

    SIDE_BY_SIDE = "side_by_side"
    SWIPE = "swipe"
    BLINK = "blink"
    DIFFERENCE = "difference"
    OVERLAY = "overlay"


def draw_toned(
    painter: QPainter, box: QRectF, target: QRectF, image: QImage, tone: Tone, ratio: float
) -> None:
    """Draw `image` into `target`, as much of it as lies in `box` (the clip), in this tone.

    Only the visible part is recomputed, at `ratio` device px for each px of the view.
    """
    size = (box.size() * ratio).toSize()
    if tone == Tone() or size.isEmpty():
        painter.drawImage(target, image)
        return
    visible = QImage(size, QImage.Format.Format_RGB32)
    visible.fill(0)
    visible.setDevicePixelRatio(ratio)
    inner = QPainter(visible)
    inner.setRenderHints(painter.renderHints())
    inner.drawImage(target.translated(-box.topLeft()), image)
    inner.end()
    toned = tone.apply(visible)
    toned.setDevicePixelRatio(ratio)
    painter.setClipRect(target, Qt.ClipOperation.IntersectClip)
    painter.drawImage(box.topLeft(), toned)
    painter.setClipRect(box)


def draw_grip(painter: QPainter, edge: int, height: int, accent: QColor) -> None:
    """Draw the line where a swipe divides the view, with what takes hold of it."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#ffffff"), 2))
    painter.drawLine(QPointF(edge, 0), QPointF(edge, height))
    painter.setPen(QPen(accent, 2))
    painter.setBrush(QColor("#ffffff"))
    painter.drawEllipse(QPointF(edge, height / 2), _GRIP_RADIUS, _GRIP_RADIUS)
    painter.restore()
