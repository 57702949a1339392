"""Owns the state that strip and large frame share: the frames, the chosen one, the view, and playing.

Defines a frame of a film strip, and paints its picture with the findings on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPainterPath, QPen

from desktop.pages.statistics.painting import series_colour
from desktop.pages.workbench.trend.pictures import WHOLE, FramePicture, FramePictures
from desktop.theme import LABEL_PX, Theme, ink_on, text_font, theme_manager
from desktop.widgets import status_text
from shared.record.geometry import Rect

_PAD = 4
_MARKS = 4
CLOSEST = 16.0
"""The smallest view, as a fraction of the place's sides."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A finding in fractions of the place. `series` is its number in the chart, or None."""

    rect: Rect
    series: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the strip.

    `status` is a `Verdict` or empty. `note` names what is unusual. `opens` is True if
    it leads to a record. A `faded` frame is shown but does not count.
    """

    key: str
    day: str
    name: str
    status: str = ""
    note: str = ""
    outlines: tuple[Outline, ...] = ()
    opens: bool = True
    faded: bool = False


def zoom_view(view: Rect, factor: float, x: float = 0.5, y: float = 0.5) -> Rect:
    """Zoom a view by `factor` about a point in fractions of the view, limited to the place."""
    side = min(max(view.w / factor, 1 / CLOSEST), 1.0)
    return _inside(view.x + (view.w - side) * x, view.y + (view.h - side) * y, side)


def move_view(view: Rect, dx: float, dy: float) -> Rect:
    """A view moved by fractions of itself, within the place."""
    return _inside(view.x + dx * view.w, view.y + dy * view.h, view.w)


def _inside(x: float, y: float, side: float) -> Rect:
    if side >= 1.0:
        return WHOLE
    # Rounded, so that zooming in and out again comes to the same view and its picture.
    x, y = (round(min(max(value, 0.0), 1.0 - side), 6) for value in (x, y))
    return Rect(x, y, side, side)


def paint_picture(
    painter: QPainter,
    box: QRectF,
    picture: FramePicture | None,
    view: Rect,
    frame: Frame,
    placeholder: str,
    labelled: bool,
) -> None:
    """Paint the part of a frame in `view` into `box`, with its findings, or `placeholder` if it has no
    picture."""
    theme = theme_manager().theme
    painter.save()
    painter.setClipRect(box)
    painter.fillRect(box, theme.colour("canvas"))
    if picture is None:
        painter.setFont(text_font(LABEL_PX + 1))
        painter.setPen(theme.colour("dim"))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(box.adjusted(8, 8, -8, -8), int(flags), placeholder)
    else:
        # The visible part of the picture's view, in px of the picture.
        ratio = painter.device().devicePixelRatio()
        image = picture.smallest_fitting(box.width() * ratio * picture.view.w / view.w)
        wide, high = image.width() / picture.view.w, image.height() / picture.view.h
        part = QRectF(
            (view.x - picture.view.x) * wide, (view.y - picture.view.y) * high, view.w * wide, view.h * high
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(box, image, part)
        _paint_outlines(painter, box, view, frame.outlines, theme, labelled)
    painter.restore()


def _paint_outlines(
    painter: QPainter, box: QRectF, view: Rect, outlines: Sequence[Outline], theme: Theme, labelled: bool
) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for outline in outlines:
        where = QRectF(
            box.left() + (outline.rect.x - view.x) / view.w * box.width(),
            box.top() + (outline.rect.y - view.y) / view.h * box.height(),
            outline.rect.w / view.w * box.width(),
            outline.rect.h / view.h * box.height(),
        ).adjusted(-1.5, -1.5, 1.5, 1.5)
        colour = QColor(theme.failed if outline.series is None else series_colour(theme, outline.series))
        # A dark line below keeps it visible on metal of its own colour.
        painter.setPen(QPen(QColor(0, 0, 0, 150), 3.5))
        painter.drawRect(where)
        painter.setPen(QPen(colour, 1.75))
        painter.drawRect(where)
        if labelled and outline.text:
            _paint_label(painter, box, where, outline.text, colour)


def _paint_label(painter: QPainter, box: QRectF, where: QRectF, text: str, colour: QColor) -> None:
    painter.setFont(text_font(LABEL_PX, bold=True))
    metrics = QFontMetricsF(painter.font())
    size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2 * _PAD, metrics.height() + 2)
    top = where.top() - size.height() if where.top() - size.height() > box.top() else where.bottom()
    left = min(max(where.left(), box.left()), box.right() - size.width())
    chip = size.translated(left, min(top, box.bottom() - size.height()))
    painter.fillRect(chip, colour)
    painter.setPen(QColor(ink_on(colour.name())))
    painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)


def paint_mark(painter: QPainter, number: int, middle: QPointF, radius: float) -> None:
    """Paint the mark of a series with the painter's pen and brush: four shapes, one after another."""
    x, y, r = middle.x(), middle.y(), radius
    match number % _MARKS:
        case 0:
            painter.drawEllipse(middle, r, r)
        case 1:
            painter.drawRect(QRectF(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8))
        case 2:
            painter.drawPath(_polygon([(x, y - r * 1.2), (x + r * 1.1, y + r), (x - r * 1.1, y + r)]))
        case _:
            painter.drawPath(
                _polygon([(x, y - r * 1.3), (x + r * 1.3, y), (x, y + r * 1.3), (x - r * 1.3, y)])
            )


def _polygon(points: Sequence[tuple[float, float]]) -> QPainterPath:
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(QPointF(*point))
    path.closeSubpath()
    return path


STEP = 1.25
"""The factor of a step of the zoom."""
PLAY_MS = 700
"""How long each frame is shown while the strip plays."""


class FilmStripModel(QObject):
    """What strip and large frame share: the frames, which one is chosen, the view, and whether it plays."""

    frames_changed = Signal()
    current_changed = Signal(int)
    view_changed = Signal()
    playing_changed = Signal(bool)
    opened = Signal(str)
    """The key of a frame that the user wants to open."""

    def __init__(self, pictures: FramePictures, parent: QObject) -> None:
        super().__init__(parent)
        self.pictures = pictures
        self.frames: Sequence[Frame] = ()
        self.current = 0
        self.view: Rect = WHOLE
        self.aspect = 1.0
        self.waiting = ""
        """The text of a frame whose picture is being created."""
        self._clock = QTimer(self, interval=PLAY_MS)
        self._clock.timeout.connect(self._tick)

    def show(self, frames: Sequence[Frame], aspect: float, current: int) -> None:
        """Show these frames of a place that is `aspect` times as wide as high."""
        self.frames, self.aspect = frames, aspect
        self.current = min(max(current, 0), max(len(frames) - 1, 0))
        self.frames_changed.emit()
        self.current_changed.emit(self.current)

    def choose(self, index: int) -> None:
        """Choose a frame by its index, limited to the existing ones."""
        index = min(max(index, 0), len(self.frames) - 1)
        if index != self.current and self.frames:
            self.current = index
            self.current_changed.emit(index)

    def set_view(self, view: Rect) -> None:
        """Show this part of the place in every frame."""
        if view != self.view:
            self.view = view
            self.view_changed.emit()

    @property
    def is_playing(self) -> bool:
        """True while the frames are shown one after another."""
        return self._clock.isActive()

    def play(self, on: bool) -> None:
        """Show the frames one after another, again and again, or stop."""
        on = on and len(self.frames) > 1
        if on == self.is_playing:
            return
        if on:
            self._clock.start()
        else:
            self._clock.stop()
        self.playing_changed.emit(on)

    def next_keys(self) -> list[str]:
        """The keys of the next frames while it plays."""
        count = len(self.frames)
        return [self.frames[(self.current + step) % count].key for step in range(1, min(count, 4))]

    def _tick(self) -> None:
        following = (self.current + 1) % len(self.frames)
        # Wait for a picture that is being made: else the place would flicker.
        if self.pictures.is_settled(self.frames[following].key):
            self.choose(following)

    def handle_key(self, event: QKeyEvent) -> bool:
        """Handle a key of strip and large frame. Returns False if it has no effect."""
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        moves = {
            Qt.Key.Key_Left: (-0.1, 0.0),
            Qt.Key.Key_Right: (0.1, 0.0),
            Qt.Key.Key_Up: (0.0, -0.1),
            Qt.Key.Key_Down: (0.0, 0.1),
        }
        steps = {
            Qt.Key.Key_Left: self.current - 1,
            Qt.Key.Key_Right: self.current + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self.frames) - 1,
        }
        key = Qt.Key(event.key())
        if shifted and key in moves:
            self.set_view(move_view(self.view, *moves[key]))
        elif key in steps:
            self.choose(steps[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.set_view(zoom_view(self.view, STEP))
        elif key is Qt.Key.Key_Minus:
            self.set_view(zoom_view(self.view, 1 / STEP))
        elif key is Qt.Key.Key_0:
            self.set_view(WHOLE)
        elif key is Qt.Key.Key_Space:
            self.play(not self.is_playing)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_current()
        else:
            return False
        return True

    def open_current(self) -> None:
        """Open the chosen frame, where it leads somewhere."""
        if self.frames and self.frames[self.current].opens:
            self.opened.emit(self.frames[self.current].key)

    def placeholder(self, frame: Frame) -> str:
        """The text in place of a frame's picture."""
        if frame.note and frame.key not in self.pictures.keys:
            return frame.note
        return self.pictures.failure(frame.key) or self.waiting

    def text(self) -> str:
        """The chosen frame as people read it."""
        if not self.frames:
            return ""
        frame = self.frames[self.current]
        parts = [frame.day, frame.name, status_text(frame.status) if frame.status else "", frame.note]
        parts += [outline.text for outline in frame.outlines]
        return f"{self.current + 1}/{len(self.frames)}: " + " · ".join(part for part in parts if part)
