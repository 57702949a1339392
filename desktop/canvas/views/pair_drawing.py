"""Draws one picture of a compared pair with its name, and the divider between the two."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from desktop.canvas.layers.chips import CHIP_HEIGHT, chip_font, draw_chip
from desktop.imaging.decoding.pixels import Tone
from shared.record.geometry import Rect

GAP = 2
"""View px between two pictures."""


def pane_rects(
    width: float, height: float, picture: tuple[int, int], *, may_stack: bool
) -> tuple[Rect, Rect]:
    """The places (view px) of reference and photo: side by side, or one above the other.

    They are stacked if `may_stack` is True and pictures of this size (px) are larger then.
    """
    half_width, half_height = max((width - GAP) // 2, 1), max((height - GAP) // 2, 1)
    picture_width, picture_height = picture
    if (
        may_stack
        and picture_width > 0
        and picture_height > 0
        and min(width / picture_width, half_height / picture_height)
        > min(half_width / picture_width, height / picture_height)
    ):
        return Rect(0, 0, width, half_height), Rect(0, half_height + GAP, width, height - half_height - GAP)
    return Rect(0, 0, half_width, height), Rect(half_width + GAP, 0, half_width, height)


def useful_height(width: float, picture: tuple[int, int], *, two: bool) -> float:
    """The height of a view of this width in which one picture, or two stacked ones, fill it."""
    height = width * picture[1] / max(picture[0], 1)
    return 2 * height + GAP if two else height


_GRIP_RADIUS = 8


class CompareMode(StrEnum):
    """The modes of the comparison."""

    SIDE_BY_SIDE = "side_by_side"
    SWIPE = "swipe"
    BLINK = "blink"
    DIFFERENCE = "difference"
    OVERLAY = "overlay"


def draw_with_tone(
    painter: QPainter, box: QRectF, target: QRectF, image: QImage, tone: Tone, ratio: float
) -> None:
    """Draw `image` into `target` with this tone, clipped to `box`.

    The tone is applied to the visible part only, at `ratio` device px per px of the view.
    """
    size = (box.size() * ratio).toSize()
    if tone == Tone() or size.isEmpty():
        painter.drawImage(target, image)
        return
    visible = QImage(size, QImage.Format.Format_RGB32)
    visible.fill(0)
    visible.setDevicePixelRatio(ratio)
    visible_painter = QPainter(visible)
    visible_painter.setRenderHints(painter.renderHints())
    visible_painter.drawImage(target.translated(-box.topLeft()), image)
    visible_painter.end()
    toned_image = tone.apply(visible)
    toned_image.setDevicePixelRatio(ratio)
    painter.setClipRect(target, Qt.ClipOperation.IntersectClip)
    painter.drawImage(box.topLeft(), toned_image)
    painter.setClipRect(box)


def draw_name(painter: QPainter, box: QRectF, name: str, font: QFont, colour: QColor) -> None:
    """Draw the name of a picture at the bottom left of `box`, if it fits."""
    small_font = chip_font(font)
    painter.setFont(small_font)
    width = QFontMetricsF(small_font).horizontalAdvance(name) + 14
    chip_box = QRectF(box.left() + 6, box.bottom() - CHIP_HEIGHT - 6, width, CHIP_HEIGHT)
    if chip_box.right() <= box.right():
        draw_chip(painter, chip_box, name, colour)


def draw_grip(painter: QPainter, edge: int, height: int, accent: QColor) -> None:
    """Draw the divider of a swipe with its handle."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#ffffff"), 2))
    painter.drawLine(QPointF(edge, 0), QPointF(edge, height))
    painter.setPen(QPen(accent, 2))
    painter.setBrush(QColor("#ffffff"))
    painter.drawEllipse(QPointF(edge, height / 2), _GRIP_RADIUS, _GRIP_RADIUS)
    painter.restore()
