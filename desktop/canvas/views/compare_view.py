# ruff: noqa: N815 - Qt signals
"""Compares reference and photo: side by side, swiped, blinking, as difference, overlaid."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.finding_layer import FindingBox, FindingLayer
from desktop.canvas.layers.image_layer import NEAREST_ABOVE
from desktop.canvas.layers.marks import CHIP_HEIGHT, FocusRing, chip_font, draw_chip
from desktop.canvas.model.viewport import ZOOM_STEP, Viewport
from desktop.canvas.tools.tool_machine import DRAG_DISTANCE
from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.overlays import show_reason
from desktop.canvas.views.pair_drawing import CompareMode, draw_grip, draw_toned
from desktop.canvas.views.pair_tools import PairPointer, PairTool
from desktop.canvas.views.panes import panes, useful_height
from desktop.imaging.decoding.tone import Tone
from shared.geometry import Rect

BLINK_MS = 600
"""How long each picture is seen when they blink."""

_GRIP = 10.0
_ORIGIN = QPointF()


class CompareView(QWidget):
    """An AlignedPair in one of the modes, with one zoom for both pictures."""

    modeChanged = Signal(object)
    """The new CompareMode."""
    mixChanged = Signal(float)
    """How much of the photo the overlay shows now, 0..1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Reference image and photo"))
        self.setMinimumSize(120, 80)
        self._pair: AlignedPair | None = None
        self._mode = CompareMode.SIDE_BY_SIDE
        self._tone = Tone()
        self._viewport = Viewport(0, 0, 1, 1)
        self._colours = CanvasColours()
        self._findings = FindingLayer()
        self._divider = 0.5
        self._mix = 0.5
        self._photo_seen = False
        self._message = ""
        self._drag_from: QPointF | None = None
        self._pressed = QPointF()
        self._swiping = False
        self._tool: PairTool | None = None
        self._held = False
        self._focus_ring = FocusRing()
        self.may_stack = False
        """Whether two pictures may lie one above the other, where they are seen larger so."""
        self._blink = QTimer(self, interval=BLINK_MS)
        self._blink.timeout.connect(self.flip)

    def sizeHint(self) -> QSize:
        """As in the inspector."""
        return QSize(312, 128)

    @property
    def mode(self) -> CompareMode:
        """How the pictures are compared."""
        return self._mode

    @property
    def mix(self) -> float:
        """How much of the photo the overlay shows, 0..1."""
        return self._mix

    @property
    def viewport(self) -> Viewport:
        """What is seen of each picture, in px of the pair."""
        return self._viewport

    def set_pair(self, pair: AlignedPair | None) -> None:
        """Show this pair, fitted; None for none."""
        self._pair = pair
        self._message = ""
        self._photo_seen = False
        self._findings.mapping = pair.mapping if pair is not None else None
        self.fit()
        self._run_blink()

    def show_message(self, text: str) -> None:
        """Say why there is nothing to compare; empty for nothing."""
        self._message = text
        self.update()

    def set_findings(self, boxes: Iterable[FindingBox]) -> None:
        """Boxes in px of the photo, shown wherever the photo is."""
        self._findings.boxes = tuple(boxes)
        self.update()

    @property
    def tool(self) -> PairTool | None:
        """What takes the left button first."""
        return self._tool

    def set_tool(self, tool: PairTool | None) -> None:
        """Let a tool take the left button where it wants it; None for none."""
        self._tool, self._held = tool, False
        self.update()

    def set_mode(self, mode: CompareMode) -> None:
        """Switch to another mode; the zoom stays."""
        if mode is self._mode:
            return
        side_by_side = CompareMode.SIDE_BY_SIDE in (mode, self._mode)
        self._mode = mode
        if side_by_side:
            self._viewport = self._viewport.resized(*self._pane_size())
        self._run_blink()
        self.modeChanged.emit(mode)
        self.update()

    def set_mix(self, share: float) -> None:
        """How much of the photo the overlay shows, 0..1."""
        share = min(max(share, 0.0), 1.0)
        if share != self._mix:
            self._mix = share
            self.mixChanged.emit(share)
            self.update()

    def set_tone(self, tone: Tone) -> None:
        """Brightness and contrast of reference and photo on view, not of their difference."""
        self._tone = tone
        self.update()

    def show_labels(self, on: bool) -> None:
        """Paint the names of findings, or only their boxes."""
        self._findings.show_labels = on
        self.update()

    def set_divider(self, share: float) -> None:
        """Where the swipe divides the view, 0..1 from the left."""
        self._divider = min(max(share, 0.0), 1.0)
        self.update()

    def flip(self) -> None:
        """Blinking: show the other picture now."""
        self._photo_seen = not self._photo_seen
        self.update()

    def flip_by_hand(self) -> None:
        """Blinking: show the other picture and stop blinking."""
        self._blink.stop()
        self.flip()

    def slide(self, share: float) -> None:
        """Move what divides the pair by this share: the edge of a swipe, the mix of an overlay."""
        if self._mode is CompareMode.SWIPE:
            self.set_divider(self._divider + share)
        elif self._mode is CompareMode.OVERLAY:
            self.set_mix(self._mix + share)

    def fit(self) -> None:
        """All of the pair."""
        self._viewport = Viewport(*self._size, *self._pane_size()).fit()
        self.update()

    def one_to_one(self) -> None:
        """One device px for each px of the pair."""
        self._zoom_to(1 / self.devicePixelRatioF())

    def zoom_in(self) -> None:
        """One step larger."""
        self._zoom_to(self._viewport.scale * ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step smaller."""
        self._zoom_to(self._viewport.scale / ZOOM_STEP)

    def set_colours(self, colours: CanvasColours) -> None:
        """Take the colours of the theme."""
        self._colours = colours
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the pair in its mode."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        if self._pair is not None:
            self._paint_pair(painter, self._pair)
        elif self._message:
            painter.setPen(QColor(self._colours.dim))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(QRectF(self.rect()).adjusted(12, 12, -12, -12), flags, self._message)
        self._focus_ring.paint(painter, self.rect(), self.hasFocus(), QColor(self._colours.accent))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Show as a tooltip why a box is not a finding."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            photo, at = self._in_pane(QPointF(event.pos()))
            show_reason(self, event, self._findings.reason_at(*at, self._viewport) if photo else "")
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keys go."""
        self._focus_ring.came(event)
        self.update()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Keep what was in the middle there."""
        self._viewport = self._viewport.resized(*self._pane_size())

    def useful_height(self) -> int | None:
        """The height, in px, from which on the pair is seen no larger at this width; None without a pair."""
        if self._pair is None:
            return None
        return round(useful_height(self.width(), self._size, two=self._mode is CompareMode.SIDE_BY_SIDE))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom both at the pointer; touch pads scroll with two fingers and zoom with Ctrl."""
        way = event.pixelDelta()
        if not way.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._viewport = self._viewport.panned(way.x(), way.y())
        else:
            scale = self._viewport.scale * ZOOM_STEP ** (event.angleDelta().y() / 120)
            self._viewport = self._viewport.zoomed(scale, *self._in_pane(event.position())[1])
        self.update()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of what the tool offers, of the divider, or of both pictures."""
        self._pressed = event.position()
        self._held = self._tool is not None and self._tool.press(self._spot(event.position()))
        if self._held:
            self.update()
            return
        self._swiping = self._on_divider(event.position())
        self._drag_from = event.position()
        self._show_cursor(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what the tool holds, the divider or both pictures."""
        if self._held and self._tool is not None:
            self._tool.move(self._spot(event.position()))
            self.update()
            return
        if self._drag_from is None:
            self._show_cursor(event.position())
            return
        if self._swiping:
            self.set_divider(event.position().x() / max(self.width(), 1))
        else:
            way = event.position() - self._drag_from
            self._viewport = self._viewport.panned(way.x(), way.y())
            self.update()
        self._drag_from = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag, or report a click."""
        way = event.position() - self._pressed
        if self._held and self._tool is not None:
            self._held = False
            self._tool.release(self._spot(event.position()))
            self.update()
        elif self._tool is not None and max(abs(way.x()), abs(way.y())) < DRAG_DISTANCE:
            self._tool.click(self._spot(event.position()))
            self.update()
        self._drag_from = None
        self._swiping = False
        self._show_cursor(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """All of the pair; with a tool that counts clicks, one more of them."""
        if self._tool is not None and self._tool.counts_clicks:
            self.mousePressEvent(event)
        else:
            self.fit()

    def _spot(self, place: QPointF) -> PairPointer:
        photo, at = self._in_pane(place)
        x, y = self._viewport.to_image(*at)
        inside = 0 <= x < self._viewport.image_width and 0 <= y < self._viewport.image_height
        return PairPointer(x, y, photo, self._viewport.scale, inside)

    def _zoom_to(self, scale: float) -> None:
        view = self._viewport
        self._viewport = view.zoomed(scale, view.width / 2, view.height / 2)
        self.update()

    def _on_divider(self, place: QPointF) -> bool:
        return self._mode is CompareMode.SWIPE and abs(place.x() - self._divider * self.width()) <= _GRIP

    def _show_cursor(self, place: QPointF) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self._swiping or (self._drag_from is None and self._on_divider(place)):
            shape = Qt.CursorShape.SizeHorCursor
        elif self._drag_from is not None:
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._tool is not None and self._tool.counts_clicks:
            shape = Qt.CursorShape.CrossCursor
        self.setCursor(shape)

    @property
    def _size(self) -> tuple[int, int]:
        """Width and height of the pair in px."""
        return (self._pair.reference.width(), self._pair.reference.height()) if self._pair else (0, 0)

    def _panes(self) -> tuple[Rect, Rect]:
        """Where reference and photo lie; in most modes in the same place."""
        width, height = max(self.width(), 1), max(self.height(), 1)
        if self._mode is CompareMode.SIDE_BY_SIDE:
            return panes(width, height, self._size, may_stack=self.may_stack)
        return Rect(0, 0, width, height), Rect(0, 0, width, height)

    def _pane_size(self) -> tuple[float, float]:
        pane = self._panes()[0]
        return pane.w, pane.h

    def _in_pane(self, place: QPointF) -> tuple[bool, tuple[float, float]]:
        """Whether a place of the view is on the photo, and where it is in the pane of the one it is on."""
        pane = self._panes()[1]
        photo = place.x() >= pane.x and place.y() >= pane.y
        left, top = (pane.x, pane.y) if photo else (0, 0)
        if self._mode is CompareMode.SWIPE:
            photo = place.x() >= self._divider * self.width()
        return photo, (place.x() - left, place.y() - top)

    def _run_blink(self) -> None:
        if self._mode is CompareMode.BLINK and self._pair is not None:
            self._blink.start()
        else:
            self._blink.stop()

    def _paint_pair(self, painter: QPainter, pair: AlignedPair) -> None:
        reference, photo = self.tr("Reference image"), self.tr("Photo")
        whole = QRectF(self.rect())
        match self._mode:
            case CompareMode.SIDE_BY_SIDE:
                first, second = (QRectF(pane.x, pane.y, pane.w, pane.h) for pane in self._panes())
                self._pane(painter, first, pair.reference, reference)
                self._pane(painter, second, pair.photo, photo, corner=second.topLeft(), findings=True)
            case CompareMode.SWIPE:
                edge = round(self._divider * whole.width())
                self._pane(painter, QRectF(0, 0, edge, whole.height()), pair.reference, reference)
                right = QRectF(edge, 0, whole.width() - edge, whole.height())
                self._pane(painter, right, pair.photo, photo, findings=True)
                draw_grip(painter, edge, self.height(), QColor(self._colours.accent))
            case CompareMode.BLINK if not self._photo_seen:
                self._pane(painter, whole, pair.reference, reference)
            case CompareMode.BLINK:
                self._pane(painter, whole, pair.photo, photo, findings=True)
            case CompareMode.DIFFERENCE:
                self._pane(painter, whole, pair.difference, self.tr("Difference"), findings=True)
            case CompareMode.OVERLAY:
                self._pane(painter, whole, pair.reference, "")
                name = self.tr("Photo {0} %").format(round(self._mix * 100))
                self._pane(painter, whole, pair.photo, name, opacity=self._mix, findings=True)

    def _pane(
        self,
        painter: QPainter,
        box: QRectF,
        image: QImage,
        name: str,
        *,
        corner: QPointF = _ORIGIN,
        opacity: float = 1.0,
        findings: bool = False,
    ) -> None:
        """One picture within `box`; its viewport begins at `corner`."""
        view = self._viewport
        painter.save()
        painter.setClipRect(box)
        painter.translate(corner)
        smooth = view.scale * self.devicePixelRatioF() < NEAREST_ABOVE
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.setOpacity(opacity)
        target = QRectF(view.left, view.top, image.width() * view.scale, image.height() * view.scale)
        tone = Tone() if self._mode is CompareMode.DIFFERENCE else self._tone
        draw_toned(painter, box.translated(-corner), target, image, tone, self.devicePixelRatioF())
        painter.setOpacity(1.0)
        if findings:
            self._findings.paint(painter, view, self._colours, self.font())
        if self._tool is not None:
            self._tool.paint(painter, view, findings, self._colours, self.font())
        painter.restore()
        if name:
            font = chip_font(self.font())
            painter.setFont(font)
            width = QFontMetricsF(font).horizontalAdvance(name) + 14
            chip_box = QRectF(box.left() + 6, box.bottom() - CHIP_HEIGHT - 6, width, CHIP_HEIGHT)
            if chip_box.right() <= box.right():
                draw_chip(painter, chip_box, name, QColor(self._colours.dim))
