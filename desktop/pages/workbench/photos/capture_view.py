"""Paints the picture of the camera, with the region of the reference image that is to be photographed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from desktop.camera import GuideHint, GuideResult, RegionGuide, target_rect
from desktop.camera.sources import Frame
from desktop.imaging.sources.cut import is_large, preview_crop
from desktop.imaging.sources.source import ImageSource
from desktop.theme import DARK, TEXT_PX, text_font, theme_manager
from desktop.widgets import paint_icon
from shared.record.geometry import Rect

_MARGIN = 0.5
"""Margin around the region that helps to find it, as a share of its longer side."""
_LONGEST_PX = 960


@dataclass(frozen=True, slots=True)
class CaptureTarget:
    """The region of an item on the reference image, upright px of it."""

    name: str
    source: ImageSource
    region: Rect


@dataclass(frozen=True, slots=True)
class PreparedTarget:
    """The overlay for the camera picture, and the guide that finds the region in frames."""

    ghost: QImage
    guide: RegionGuide


def prepare(target: CaptureTarget) -> PreparedTarget | None:
    """Create the overlay and the guide of a region; None for a region outside the picture.

    Blocking: call it off the GUI thread. Raises ImageError.
    """
    size = target.source.size
    region = target.region.clamp(*size)
    if region.is_empty:
        return None
    margin = _MARGIN * max(region.w, region.h)
    around = Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin)
    around = around.clamp(*size)
    if is_large(target.source):
        # The pixels of the preview suffice: the camera's picture is scaled down, too.
        whole = preview_crop(target.source)
        factor = whole.image.width() / size[0]
        image = whole.image
        left, top = 0.0, 0.0
        if max(around.w, around.h) * factor < _LONGEST_PX:
            image, factor, left, top = target.source.crop(around), 1.0, around.x, around.y
    else:
        image, factor, left, top = target.source.crop(around), 1.0, around.x, around.y
    left, top = float(np.floor(left)), float(np.floor(top))
    region = Rect((region.x - left) * factor, (region.y - top) * factor, region.w * factor, region.h * factor)
    if image.width() > _LONGEST_PX or image.height() > _LONGEST_PX:
        small = image.scaled(
            QSize(_LONGEST_PX, _LONGEST_PX),
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        factor = small.width() / image.width()
        image = small
        region = Rect(region.x * factor, region.y * factor, region.w * factor, region.h * factor)
    x, y = round(region.x), round(region.y)
    ghost = image.copy(x, y, max(1, round(region.w)), max(1, round(region.h)))
    return PreparedTarget(ghost, RegionGuide(_frame(image), region))


def _frame(image: QImage) -> Frame:
    """Convert pixels to the format of a camera."""
    plain = image.convertToFormat(QImage.Format.Format_BGR888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()


def hint_text(hint: GuideHint) -> str:
    """The hint, in a few words."""
    match hint:
        case GuideHint.SEARCH:
            return QCoreApplication.translate("CaptureDialog", "Point the camera at the region")
        case GuideHint.DARK:
            return QCoreApplication.translate("CaptureDialog", "Too dark: more light is needed")
        case GuideHint.CLOSER:
            return QCoreApplication.translate("CaptureDialog", "Closer")
        case GuideHint.FARTHER:
            return QCoreApplication.translate("CaptureDialog", "Farther away")
        case GuideHint.ROTATE_LEFT:
            return QCoreApplication.translate("CaptureDialog", "Rotate camera to the left")
        case GuideHint.ROTATE_RIGHT:
            return QCoreApplication.translate("CaptureDialog", "Rotate camera to the right")
        case GuideHint.LEFT:
            return QCoreApplication.translate("CaptureDialog", "Move left")
        case GuideHint.RIGHT:
            return QCoreApplication.translate("CaptureDialog", "Move right")
        case GuideHint.UP:
            return QCoreApplication.translate("CaptureDialog", "Move up")
        case GuideHint.DOWN:
            return QCoreApplication.translate("CaptureDialog", "Move down")
        case GuideHint.STILL:
            return QCoreApplication.translate("CaptureDialog", "Hold still: not sharp yet")
        case GuideHint.GOOD:
            return QCoreApplication.translate("CaptureDialog", "Sharp now: hold still")


_HINT_PX = 18
_RING_PX = 34
_ARROWS = {
    GuideHint.LEFT: (-1, 0),
    GuideHint.RIGHT: (1, 0),
    GuideHint.UP: (0, -1),
    GuideHint.DOWN: (0, 1),
}


class CaptureView(QWidget):
    """The live picture, or a sentence. Dark in both themes, as the picture is the brightest thing."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(480, 360)
        self.setAccessibleName(self.tr("Camera"))
        self.image = QImage()
        self.result: GuideResult | None = None
        """The result of the last frame; None if there is none."""
        self._ghost = QImage()
        self._opacity = 0.0
        self._share = 0.0
        self._sentence = self._note = ""

    def sizeHint(self) -> QSize:
        return QSize(960, 620)

    # What it shows

    def show_image(self, image: QImage) -> None:
        """A frame of the camera."""
        self.image, self._sentence = image, ""
        self.update()

    def show_text(self, text: str) -> None:
        """Why there is no picture."""
        self.image, self.result, self._sentence = QImage(), None, text
        self.setAccessibleDescription(text)
        self.update()

    def show_region(self, ghost: QImage) -> None:
        """Set the picture of the region to paint at the target; a null picture removes it."""
        self._ghost = ghost
        self.update()

    def set_opacity(self, opacity: float) -> None:
        """The opacity of the region's picture, 0..1."""
        self._opacity = opacity
        self.update()

    def show_result(self, result: GuideResult | None, share: float) -> None:
        """Show the place of the region in a frame, and the progress (0..1) towards the automatic photo."""
        self.result, self._share = result, share
        self.setAccessibleDescription(self.hint)
        self.update()

    def show_taken(self, image: QImage, note: str) -> None:
        """Show the photo that was taken, with a note in place of the hint."""
        self.image, self._note, self._sentence = image, note, ""
        self.setAccessibleDescription(note)
        self.update()

    def count_down(self, share: float) -> None:
        """Show the progress (0..1) until the photo is used."""
        self._share = share
        self.update()

    def show_live(self) -> None:
        """The camera's picture again."""
        self._note, self._share, self.result = "", 0.0, None
        self.update()

    @property
    def hint(self) -> str:
        """The text below the picture."""
        if self._note:
            return self._note
        return "" if self.result is None else hint_text(self.result.hint)

    @property
    def share(self) -> float:
        """How much of the ring is drawn, 0..1."""
        return self._share

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), DARK.colour("canvas"))
        whole = QRectF(self.rect())
        if self.image.isNull():
            self._paint_sentence(painter, whole)
        else:
            size = self.image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            where = QRectF(0, 0, size.width(), size.height())
            where.moveCenter(whole.center())
            painter.drawImage(where, self.image)
            if not self._ghost.isNull() and not self._note:
                self._paint_region(painter, where)
            if self.hint:
                self._paint_hint(painter, whole)
        painter.end()

    def _paint_sentence(self, painter: QPainter, whole: QRectF) -> None:
        middle = whole.center()
        paint_icon(painter, "camera", DARK.dim, QRectF(middle.x() - 16, middle.y() - 48, 32, 32))
        painter.setPen(DARK.colour("text"))
        painter.setFont(text_font(TEXT_PX))
        box = QRectF(24, middle.y(), whole.width() - 48, 80)
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, self._sentence)

    def _paint_region(self, painter: QPainter, where: QRectF) -> None:
        rect = target_rect(self._ghost.width(), self._ghost.height(), where.width(), where.height())
        target = QRectF(where.x() + rect.x, where.y() + rect.y, rect.w, rect.h)
        painter.setOpacity(self._opacity)
        painter.drawImage(target, self._ghost)
        painter.setOpacity(1.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Light on dark: seen on any surface.
        for colour, width in ((QColor(0, 0, 0, 150), 5), (QColor(DARK.text), 2)):
            pen = QPen(colour, width)
            pen.setDashPattern([12.0 / width, 8.0 / width])
            painter.setPen(pen)
            painter.drawRect(target)
        result = self.result
        if result is None or not result.corners:
            return
        theme = theme_manager().theme
        corners = QPolygonF(
            [
                QPointF(where.x() + x * where.width(), where.y() + y * where.height())
                for x, y in result.corners
            ]
        )
        painter.save()
        painter.setClipRect(where)
        for colour, width in (
            (QColor(0, 0, 0, 150), 5),
            (QColor(theme.passed if result.is_good else theme.accent), 3),
        ):
            painter.setPen(QPen(colour, width))
            painter.drawPolygon(corners)
        painter.restore()

    def _paint_hint(self, painter: QPainter, whole: QRectF) -> None:
        # At the foot of the widget: where the picture has another shape, it hides nothing of it.
        font = text_font(_HINT_PX, bold=True)
        width = QFontMetricsF(font).horizontalAdvance(self.hint)
        mark = _RING_PX + 12
        box = QRectF(0, 0, min(width + mark + 36, whole.width()), 52)
        box.moveCenter(QPointF(whole.center().x(), whole.bottom() - 36))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 190))
        painter.drawRoundedRect(box, 10, 10)
        centre = QPointF(box.left() + 18 + _RING_PX / 2, box.center().y())
        self._paint_mark(painter, centre)
        painter.setFont(font)
        painter.setPen(QColor(DARK.text))
        text = QRectF(box.left() + 18 + mark, box.top(), box.width() - mark - 18, box.height())
        aligned = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(
            text,
            aligned,
            painter.fontMetrics().elidedText(self.hint, Qt.TextElideMode.ElideRight, round(text.width())),
        )

    def _paint_mark(self, painter: QPainter, centre: QPointF) -> None:
        """Paint an arrow for the direction, or the ring of the time until the photo is taken or used."""
        hint = None if self.result is None or self._note else self.result.hint
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if hint in _ARROWS:
            _paint_arrow(painter, centre, math.degrees(math.atan2(_ARROWS[hint][1], _ARROWS[hint][0])))
        elif hint in (GuideHint.ROTATE_LEFT, GuideHint.ROTATE_RIGHT):
            _paint_turn(painter, centre, hint is GuideHint.ROTATE_RIGHT)
        elif hint in (GuideHint.CLOSER, GuideHint.FARTHER):
            _paint_distance(painter, centre, hint is GuideHint.CLOSER)
        else:
            ring = QRectF(0, 0, _RING_PX - 6, _RING_PX - 6)
            ring.moveCenter(centre)
            painter.setPen(QPen(QColor(255, 255, 255, 70), 4))
            painter.drawEllipse(ring)
            if self._share > 0:
                pen = QPen(QColor(theme_manager().theme.passed), 4)
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                painter.drawArc(ring, 90 * 16, -round(self._share * 360 * 16))


def _stroke() -> QPen:
    pen = QPen(QColor(DARK.text), 3)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


def _paint_arrow(painter: QPainter, centre: QPointF, degrees: float, length: float = 13.0) -> None:
    painter.save()
    painter.setPen(_stroke())
    painter.translate(centre)
    painter.rotate(degrees)
    painter.drawLine(QPointF(-length, 0), QPointF(length, 0))
    painter.drawPolyline([QPointF(length - 7, -7), QPointF(length, 0), QPointF(length - 7, 7)])
    painter.restore()


def _paint_turn(painter: QPainter, centre: QPointF, clockwise: bool) -> None:
    painter.save()
    painter.setPen(_stroke())
    painter.translate(centre)
    if not clockwise:
        painter.scale(-1, 1)
    path = QPainterPath()
    path.arcMoveTo(QRectF(-12, -12, 24, 24), 200)
    path.arcTo(QRectF(-12, -12, 24, 24), 200, -230)
    painter.drawPath(path)
    end = path.currentPosition()
    painter.drawPolyline([end + QPointF(-8, -3), end, end + QPointF(3, -9)])
    painter.restore()


def _paint_distance(painter: QPainter, centre: QPointF, closer: bool) -> None:
    """Four short arrows, to the corners for closer and from them for farther away."""
    for quarter in range(4):
        degrees = 45 + 90 * quarter
        way = QPointF(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
        painter.save()
        painter.setPen(_stroke())
        painter.translate(centre + way * 10)
        painter.rotate(degrees if closer else degrees + 180)
        painter.drawLine(QPointF(-5, 0), QPointF(5, 0))
        painter.drawPolyline([QPointF(1, -4), QPointF(5, 0), QPointF(1, 4)])
        painter.restore()
