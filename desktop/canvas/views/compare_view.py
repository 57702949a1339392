"""Compares reference and photo: side by side, swiped, blinking, as difference, overlaid."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from desktop.canvas.layers.chips import FocusRing
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.finding_layer import FindingBox, FindingLayer
from desktop.canvas.layers.image_layer import NEAREST_ABOVE
from desktop.canvas.model.viewport import ZOOM_STEP, Viewport
from desktop.canvas.tools.tool_machine import DRAG_DISTANCE
from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.overlays import show_reason
from desktop.canvas.views.pair_drawing import (
    CompareMode,
    draw_grip,
    draw_name,
    draw_with_tone,
    pane_rects,
    useful_height,
)
from desktop.canvas.views.pair_tools import PairPointer, PairTool
from desktop.imaging.decoding.pixels import Tone
from shared.record.geometry import Rect

BLINK_MS = 600
"""Time in ms for which blinking shows each picture."""

_LEFT = Qt.MouseButton.LeftButton
_GRIP = 10.0
_ORIGIN = QPointF()


class CompareView(QWidget):
    """An AlignedPair in one of the modes, with one zoom for both pictures."""

    mode_changed = Signal(object)
    """The new CompareMode."""
    mix_changed = Signal(float)
    """The new opacity of the photo in the overlay, 0..1."""

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
        self._covered = 0.0
        self._colours = CanvasColours()
        self._findings = FindingLayer()
        self._divider = 0.5
        self._mix = 0.5
        self._shows_photo = False
        self._message = ""
        self._button: Qt.MouseButton | None = None
        """The button of the click or drag that is in progress."""
        self._drag_position: QPointF | None = None
        self._press_position = QPointF()
        self._drags_divider = False
        self._tool: PairTool | None = None
        self._tool_has_mouse = False
        self._focus_ring = FocusRing()
        self.may_stack = False
        """Whether the two pictures may be stacked if they are larger then."""
        self._blink_timer = QTimer(self, interval=BLINK_MS)
        self._blink_timer.timeout.connect(self.flip)

    def sizeHint(self) -> QSize:
        """The size in the properties panel."""
        return QSize(312, 128)

    @property
    def mode(self) -> CompareMode:
        """The mode of the comparison."""
        return self._mode

    @property
    def drawn_mode(self) -> CompareMode:
        """How the pair is drawn: without an alignment only side by side shows both."""
        is_aligned = self._pair is None or self._pair.aligned
        return self._mode if is_aligned else CompareMode.SIDE_BY_SIDE

    @property
    def mix(self) -> float:
        """The opacity of the photo in the overlay, 0..1."""
        return self._mix

    @property
    def viewport(self) -> Viewport:
        """The visible part of each picture, in px of the pair."""
        return self._viewport

    def set_pair(self, pair: AlignedPair | None) -> None:
        """Show this pair, fitted to the view; None shows no pair."""
        self._pair = pair
        self._message = ""
        self._shows_photo = False
        self._findings.mapping = pair.mapping if pair is not None else None
        self.fit()
        self._update_blink_timer()

    def show_message(self, text: str) -> None:
        """Show a message while there is no pair; an empty one hides it."""
        self._message = text
        self.update()

    def set_findings(self, boxes: Iterable[FindingBox]) -> None:
        """Show boxes, in px of the photo, on the photo."""
        self._findings.boxes = tuple(boxes)
        self.update()

    @property
    def tool(self) -> PairTool | None:
        """The tool of the left button; None if there is none."""
        return self._tool

    def set_tool(self, tool: PairTool | None) -> None:
        """Set the tool that gets the left button first; None for no tool."""
        self._tool, self._tool_has_mouse = tool, False
        self.update()

    def set_mode(self, mode: CompareMode) -> None:
        """Switch to another mode without changing the zoom."""
        if mode is self._mode:
            return
        side_by_side = CompareMode.SIDE_BY_SIDE in (mode, self._mode)
        self._mode = mode
        if side_by_side:
            self._viewport = self._viewport.resized(*self._pane_size())
        self._update_blink_timer()
        self.mode_changed.emit(mode)
        self.update()

    def set_mix(self, share: float) -> None:
        """Set the opacity of the photo in the overlay, 0..1."""
        share = min(max(share, 0.0), 1.0)
        if share != self._mix:
            self._mix = share
            self.mix_changed.emit(share)
            self.update()

    def set_tone(self, tone: Tone) -> None:
        """Set brightness and contrast of reference and photo. The difference is not changed."""
        self._tone = tone
        self.update()

    def show_labels(self, visible: bool) -> None:
        """Show or hide the names of findings."""
        self._findings.show_labels = visible
        self.update()

    def set_divider(self, share: float) -> None:
        """Set the position of the divider of the swipe, 0..1 from the left."""
        self._divider = min(max(share, 0.0), 1.0)
        self.update()

    def flip(self) -> None:
        """Show the other picture of a blinking pair."""
        self._shows_photo = not self._shows_photo
        self.update()

    def flip_manually(self) -> None:
        """Show the other picture of a blinking pair and stop blinking."""
        self._blink_timer.stop()
        self.flip()

    def slide(self, share: float) -> None:
        """Move the divider of a swipe, or change the opacity of an overlay, by this share."""
        if self._mode is CompareMode.SWIPE:
            self.set_divider(self._divider + share)
        elif self._mode is CompareMode.OVERLAY:
            self.set_mix(self._mix + share)

    def set_covered(self, height: int) -> None:
        """Fit pairs below the upper `height` px of the view, which something else covers."""
        self._covered = float(height)
        self.fit()

    def fit(self) -> None:
        """Fit the whole pair into the view."""
        self._viewport = Viewport(*self._size, *self._pane_size(), covered=self._covered).fit()
        self.update()

    def one_to_one(self) -> None:
        """Show one px of the pair as one device px."""
        self._zoom_to(1 / self.devicePixelRatioF())

    def zoom_in(self) -> None:
        """Zoom in by one step."""
        self._zoom_to(self._viewport.scale * ZOOM_STEP)

    def zoom_out(self) -> None:
        """Zoom out by one step."""
        self._zoom_to(self._viewport.scale / ZOOM_STEP)

    def set_colours(self, colours: CanvasColours) -> None:
        """Set the colours."""
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
            photo, position = self._to_pane(QPointF(event.pos()))
            show_reason(self, event, self._findings.reason_at(*position, self._viewport) if photo else "")
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Paint the focus ring if the focus came by keyboard."""
        self._focus_ring.on_focus_in(event)
        self.update()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Keep the point in the middle."""
        self._viewport = self._viewport.resized(*self._pane_size())

    def useful_height(self) -> int | None:
        """The height in px above which the pair gets no larger at this width; None without a pair."""
        if self._pair is None:
            return None
        return round(useful_height(self.width(), self._size, two=self.drawn_mode is CompareMode.SIDE_BY_SIDE))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom both pictures at the pointer. Touch pads scroll with two fingers and zoom with Ctrl."""
        delta = event.pixelDelta()
        if not delta.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._viewport = self._viewport.panned(delta.x(), delta.y())
        else:
            scale = self._viewport.scale * ZOOM_STEP ** (event.angleDelta().y() / 120)
            self._viewport = self._viewport.zoomed(scale, *self._to_pane(event.position())[1])
        self.update()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag with the tool, or the divider, or both pictures; by the middle button only these."""
        button = event.button()
        # The drag of another button that is held continues.
        is_dragging = self._button not in (None, button) and self._button in event.buttons()
        if button not in (_LEFT, Qt.MouseButton.MiddleButton) or is_dragging:
            return
        self._button = button
        self._press_position = event.position()
        self._tool_has_mouse = (
            button is _LEFT
            and self._tool is not None
            and self._tool.press(self._pair_pointer(event.position()))
        )
        if self._tool_has_mouse:
            self.update()
            return
        self._drags_divider = button is _LEFT and self._is_on_divider(event.position())
        self._drag_position = event.position()
        self._show_cursor(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the drag with the tool, or of the divider or both pictures."""
        if self._tool_has_mouse and self._tool is not None:
            self._tool.move(self._pair_pointer(event.position()))
            self.update()
            return
        if self._drag_position is None:
            self._show_cursor(event.position())
            return
        if self._drags_divider:
            self.set_divider(event.position().x() / max(self.width(), 1))
        else:
            delta = event.position() - self._drag_position
            self._viewport = self._viewport.panned(delta.x(), delta.y())
            self.update()
        self._drag_position = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag, or pass a click of the left button to the tool."""
        if event.button() is not self._button:
            return
        self._button = None
        delta = event.position() - self._press_position
        if self._tool_has_mouse and self._tool is not None:
            self._tool_has_mouse = False
            self._tool.release(self._pair_pointer(event.position()))
            self.update()
        elif (
            event.button() is _LEFT
            and self._tool is not None
            and max(abs(delta.x()), abs(delta.y())) < DRAG_DISTANCE
        ):
            self._tool.click(self._pair_pointer(event.position()))
            self.update()
        self._drag_position = None
        self._drags_divider = False
        self._show_cursor(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Fit the pair, or count another click of the tool."""
        if event.button() is not _LEFT:
            return
        if self._tool is not None and self._tool.counts_clicks:
            self.mousePressEvent(event)
        else:
            self.fit()

    def _pair_pointer(self, position: QPointF) -> PairPointer:
        photo, pane_position = self._to_pane(position)
        x, y = self._viewport.to_image(*pane_position)
        inside = 0 <= x < self._viewport.image_width and 0 <= y < self._viewport.image_height
        return PairPointer(x, y, photo, self._viewport.scale, inside)

    def _zoom_to(self, scale: float) -> None:
        view = self._viewport
        self._viewport = view.zoomed(scale, view.width / 2, view.height / 2)
        self.update()

    def _is_on_divider(self, position: QPointF) -> bool:
        return (
            self.drawn_mode is CompareMode.SWIPE and abs(position.x() - self._divider * self.width()) <= _GRIP
        )

    def _show_cursor(self, position: QPointF) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self._drags_divider or (self._drag_position is None and self._is_on_divider(position)):
            shape = Qt.CursorShape.SizeHorCursor
        elif self._drag_position is not None:
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._tool is not None and self._tool.counts_clicks:
            shape = Qt.CursorShape.CrossCursor
        self.setCursor(shape)

    @property
    def _size(self) -> tuple[int, int]:
        """Width and height of the pair in px."""
        return (self._pair.reference.width(), self._pair.reference.height()) if self._pair else (0, 0)

    def _pane_rects(self) -> tuple[Rect, Rect]:
        """The places of reference and photo in the view, which are the same in most modes."""
        width, height = max(self.width(), 1), max(self.height(), 1)
        if self.drawn_mode is CompareMode.SIDE_BY_SIDE:
            return pane_rects(width, height, self._size, may_stack=self.may_stack)
        return Rect(0, 0, width, height), Rect(0, 0, width, height)

    def _pane_size(self) -> tuple[float, float]:
        pane = self._pane_rects()[0]
        return pane.w, pane.h

    def _to_pane(self, position: QPointF) -> tuple[bool, tuple[float, float]]:
        """Whether a position of the view is on the photo, and the position in the pane of that picture."""
        pane = self._pane_rects()[1]
        photo = position.x() >= pane.x and position.y() >= pane.y
        left, top = (pane.x, pane.y) if photo else (0, 0)
        if self.drawn_mode is CompareMode.SWIPE:
            photo = position.x() >= self._divider * self.width()
        return photo, (position.x() - left, position.y() - top)

    def _update_blink_timer(self) -> None:
        if self.drawn_mode is CompareMode.BLINK and self._pair is not None:
            self._blink_timer.start()
        else:
            self._blink_timer.stop()

    def _paint_pair(self, painter: QPainter, pair: AlignedPair) -> None:
        reference, photo = self.tr("Reference image"), self.tr("Photo")
        full = QRectF(self.rect())
        match self.drawn_mode:
            case CompareMode.SIDE_BY_SIDE:
                first, second = (QRectF(pane.x, pane.y, pane.w, pane.h) for pane in self._pane_rects())
                self._paint_pane(painter, first, pair.reference, reference)
                self._paint_pane(painter, second, pair.photo, photo, corner=second.topLeft(), findings=True)
            case CompareMode.SWIPE:
                edge = round(self._divider * full.width())
                self._paint_pane(painter, QRectF(0, 0, edge, full.height()), pair.reference, reference)
                right = QRectF(edge, 0, full.width() - edge, full.height())
                self._paint_pane(painter, right, pair.photo, photo, findings=True)
                draw_grip(painter, edge, self.height(), QColor(self._colours.accent))
            case CompareMode.BLINK if not self._shows_photo:
                self._paint_pane(painter, full, pair.reference, reference)
            case CompareMode.BLINK:
                self._paint_pane(painter, full, pair.photo, photo, findings=True)
            case CompareMode.DIFFERENCE:
                self._paint_pane(painter, full, pair.difference, self.tr("Difference"), findings=True)
            case CompareMode.OVERLAY:
                self._paint_pane(painter, full, pair.reference, "")
                name = self.tr("Photo {0}%").format(round(self._mix * 100))
                self._paint_pane(painter, full, pair.photo, name, opacity=self._mix, findings=True)

    def _paint_pane(
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
        """Paint one picture inside `box`. Its viewport begins at `corner`."""
        view = self._viewport
        painter.save()
        painter.setClipRect(box)
        painter.translate(corner)
        smooth = view.scale * self.devicePixelRatioF() < NEAREST_ABOVE
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.setOpacity(opacity)
        target = QRectF(view.left, view.top, image.width() * view.scale, image.height() * view.scale)
        tone = Tone() if self.drawn_mode is CompareMode.DIFFERENCE else self._tone
        draw_with_tone(painter, box.translated(-corner), target, image, tone, self.devicePixelRatioF())
        painter.setOpacity(1.0)
        if findings:
            self._findings.paint(painter, view, self._colours, self.font())
        if self._tool is not None:
            self._tool.paint(painter, view, findings, self._colours, self.font())
        painter.restore()
        if name:
            draw_name(painter, box, name, self.font(), QColor(self._colours.dim))
