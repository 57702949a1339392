"""Owns the state that strip and large frame share: the frames, the chosen one, the view, and playing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

from desktop.pages.workbench.trend.frames import Frame, move_view, zoom_view
from desktop.pages.workbench.trend.pictures import WHOLE, FramePictures
from desktop.widgets import status_text
from shared.record.geometry import Rect

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
