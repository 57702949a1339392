# ruff: noqa: N815 - Qt signals
"""Reference and photo of a region, laid on each other: side by side, swipe, blink, difference, overlay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.canvas.findings import mapped_corners
from desktop.imaging.source import ImageSource
from desktop.pages.workbench.rows import Finding
from desktop.theme import CARD_RADIUS, LABEL_PX, look, sized
from shared.geometry import Rect

LONGEST_PX = 1400
"""Longer side of the pictures that are laid on each other."""

_MARGIN = 0.08
_BLINK_MS = 600


class CompareMode(StrEnum):
    """How the two pictures are shown."""

    SIDE = "side"
    SWIPE = "swipe"
    BLINK = "blink"
    DIFFERENCE = "difference"
    OVERLAY = "overlay"


@dataclass(frozen=True, slots=True)
class Pair:
    """The region in the reference image and in the photo, and the findings in px of `photo`.

    `aligned`: both have the same size and show the same place; otherwise `photo` is the whole photo.
    """

    reference: QImage
    photo: QImage
    boxes: tuple[tuple[tuple[float, float], ...], ...] = ()
    aligned: bool = False


def seen_region(region: Rect, width: int, height: int) -> Rect:
    """A region with a little of what is around it, inside the picture."""
    margin = _MARGIN * max(region.w, region.h)
    grown = Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin)
    return grown.clamped(width, height)


def make_pair(
    source: ImageSource | None,
    region: Rect | None,
    photo: QImage,
    mapping: list[list[float]] | None,
    findings: Sequence[Finding],
) -> Pair:
    """The pictures to compare; blocking. `mapping` brings reference px to px of `photo`."""
    reference = QImage()
    seen = None
    if source is not None and region is not None and not region.empty:
        seen = seen_region(region, *source.size)
        reference = _fitted(source.crop(seen))
    if photo.isNull():
        return Pair(reference, QImage())
    if seen is None or mapping is None:
        fitted = _fitted(photo)
        scale = fitted.width() / photo.width()
        boxes = tuple(
            tuple((x * scale, y * scale) for x, y in mapped_corners(finding.rect, None))
            for finding in findings
        )
        return Pair(reference, fitted, boxes)
    scale = reference.width() / seen.w
    flat = [value for row in mapping for value in row]
    # Qt multiplies row vectors, so the matrix is handed over turned.
    to_photo = QTransform(flat[0], flat[3], flat[6], flat[1], flat[4], flat[7], flat[2], flat[5], flat[8])
    from_photo, possible = to_photo.inverted()
    if not possible:
        return Pair(reference, _fitted(photo))
    way = from_photo * QTransform.fromTranslate(-seen.x, -seen.y) * QTransform.fromScale(scale, scale)
    laid = QImage(reference.size(), QImage.Format.Format_RGB32)
    laid.fill(QColor(40, 40, 40))
    painter = QPainter(laid)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setTransform(way)
    painter.drawImage(0, 0, photo)
    painter.end()
    boxes = tuple(
        tuple(way.map(QPointF(x, y)).toTuple() for x, y in mapped_corners(finding.rect, None))
        for finding in findings
    )
    return Pair(reference, laid, boxes, aligned=True)


def _fitted(image: QImage) -> QImage:
    if max(image.width(), image.height()) > LONGEST_PX:
        image = image.scaled(
            QSize(LONGEST_PX, LONGEST_PX),
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    return image.convertToFormat(QImage.Format.Format_RGB32)


class ComparePane(QWidget):
    """Shows a pair in one of the modes. Left and right arrow or the mouse move the line of the swipe."""

    activated = Signal()
    """It was double-clicked."""
    filesDropped = Signal(list)
    """Paths of files that were dropped on it."""

    def __init__(self, *, corners: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Reference and photo"))
        self._corners = corners
        self._pair: Pair | None = None
        self._mode = CompareMode.SIDE
        self._split = 0.5
        self._flipped = False
        self._chosen = -1
        self._sentence = ""
        self._blink = QTimer(self, interval=_BLINK_MS)
        self._blink.timeout.connect(self._flip)

    @property
    def pair(self) -> Pair | None:
        """What is shown."""
        return self._pair

    @property
    def mode(self) -> CompareMode:
        """The mode that was asked for; without an alignment side by side is shown instead."""
        return self._mode

    def show_pair(self, pair: Pair | None, sentence: str = "") -> None:
        """Show a pair, or a sentence."""
        self._pair, self._sentence = pair, sentence
        self.setAccessibleDescription(sentence)
        self._set_blinking()
        self.update()

    def set_mode(self, mode: CompareMode) -> None:
        """Show the pair in this way."""
        self._mode = mode
        self._flipped = False
        self._set_blinking()
        self.update()

    def choose(self, place: int) -> None:
        """Mark one of the boxes; -1 for none."""
        self._chosen = place
        self.update()

    def _set_blinking(self) -> None:
        shown = self._pair is not None and self._pair.aligned and self._mode is CompareMode.BLINK
        if shown and self.isVisible():
            self._blink.start()
        else:
            self._blink.stop()

    def _flip(self) -> None:
        self._flipped = not self._flipped
        self.update()

    def showEvent(self, event: object) -> None:
        self._set_blinking()

    def hideEvent(self, event: object) -> None:
        self._blink.stop()

    def sizeHint(self) -> QSize:
        return QSize(306, 128)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._swipe(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._swipe(event.position().x())

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.activated.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -0.05, Qt.Key.Key_Right: 0.05}.get(Qt.Key(event.key()))
        if step is not None and self._mode is CompareMode.SWIPE:
            self._split = min(max(self._split + step, 0.0), 1.0)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.activated.emit()
        else:
            super().keyPressEvent(event)

    def _swipe(self, x: float) -> None:
        if self._mode is CompareMode.SWIPE and self._pair is not None and self._pair.aligned:
            where = self._fit(self._pair.reference.size(), QRectF(self.rect()))
            self._split = min(max((x - where.left()) / max(where.width(), 1), 0.0), 1.0)
            self.update()

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = look().theme
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        whole = QRectF(self.rect())
        if self._corners:
            path = QPainterPath()
            path.addRoundedRect(whole, CARD_RADIUS - 4, CARD_RADIUS - 4)
            painter.setClipPath(path)
        painter.fillRect(whole, QColor(theme.canvas))
        pair = self._pair
        if pair is None:
            self._say(painter, whole, self._sentence)
        elif pair.aligned and self._mode is not CompareMode.SIDE:
            self._paint_laid(painter, whole, pair)
        else:
            half = whole.width() / 2
            left, right = (
                QRectF(0, 0, half - 1, whole.height()),
                QRectF(half + 1, 0, half - 1, whole.height()),
            )
            self._paint_side(painter, left, pair.reference, self.tr("No region"))
            inside = self._paint_side(painter, right, pair.photo, self._sentence or self.tr("No photo"))
            painter.fillRect(QRectF(half - 1, 0, 2, whole.height()), QColor(theme.panel))
            self._paint_boxes(painter, inside, pair, right)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.drawRoundedRect(whole.adjusted(1, 1, -1, -1), CARD_RADIUS - 4, CARD_RADIUS - 4)
        painter.end()

    def _paint_side(self, painter: QPainter, where: QRectF, image: QImage, missing: str) -> QRectF:
        if image.isNull():
            self._say(painter, where, missing)
            return where
        inside = self._cover(image.size(), where)
        painter.save()
        painter.setClipRect(where, Qt.ClipOperation.IntersectClip)
        painter.drawImage(inside, image)
        painter.restore()
        return inside

    def _paint_laid(self, painter: QPainter, whole: QRectF, pair: Pair) -> None:
        inside = self._fit(pair.reference.size(), whole)
        theme = look().theme
        match self._mode:
            case CompareMode.SWIPE:
                line = inside.left() + inside.width() * self._split
                painter.drawImage(inside, pair.reference)
                painter.save()
                part = QRectF(line, inside.top(), inside.right() - line, inside.height())
                painter.setClipRect(part, Qt.ClipOperation.IntersectClip)
                painter.drawImage(inside, pair.photo)
                self._paint_boxes(painter, inside, pair, part)
                painter.restore()
                painter.fillRect(QRectF(line - 1, inside.top(), 2, inside.height()), QColor(theme.accent))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.accent))
                painter.drawEllipse(QPointF(line, inside.center().y()), 5, 5)
            case CompareMode.BLINK:
                painter.drawImage(inside, pair.photo if self._flipped else pair.reference)
                if self._flipped:
                    self._paint_boxes(painter, inside, pair, inside)
            case CompareMode.DIFFERENCE:
                painter.drawImage(inside, pair.reference)
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Difference)
                painter.drawImage(inside, pair.photo)
                # Small differences are what matters: twice as bright.
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_ColorDodge)
                painter.fillRect(inside, QColor(128, 128, 128))
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
                self._paint_boxes(painter, inside, pair, inside)
            case _:
                painter.drawImage(inside, pair.reference)
                painter.setOpacity(0.5)
                painter.drawImage(inside, pair.photo)
                painter.setOpacity(1.0)
                self._paint_boxes(painter, inside, pair, inside)

    def _paint_boxes(self, painter: QPainter, inside: QRectF, pair: Pair, clip: QRectF) -> None:
        if pair.photo.isNull():
            return
        theme = look().theme
        scale = inside.width() / pair.photo.width()
        painter.save()
        painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for place, corners in enumerate(pair.boxes):
            chosen = place == self._chosen
            painter.setPen(QPen(QColor(theme.accent if chosen else theme.failed), 3 if chosen else 2))
            points = [QPointF(inside.left() + x * scale, inside.top() + y * scale) for x, y in corners]
            painter.drawPolygon(QPolygonF(points))
        painter.restore()

    def _say(self, painter: QPainter, where: QRectF, text: str) -> None:
        painter.setPen(QColor(look().theme.dim))
        painter.setFont(sized(LABEL_PX + 1))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(where.adjusted(10, 6, -10, -6), flags, text)

    @staticmethod
    def _fit(size: QSize, where: QRectF) -> QRectF:
        fitted = size.scaled(where.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
        inside = QRectF(0, 0, fitted.width(), fitted.height())
        inside.moveCenter(where.center())
        return inside

    def _cover(self, size: QSize, where: QRectF) -> QRectF:
        """Fill a small pane; in a large one show all of the picture."""
        if not self._corners:
            return self._fit(size, where.adjusted(8, 8, -8, -8))
        covered = size.scaled(where.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
        inside = QRectF(0, 0, covered.width(), covered.height())
        inside.moveCenter(where.center())
        return inside
