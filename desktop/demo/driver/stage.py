"""Drives real windows: waits, clicks, types and drags, with a line per step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QImage, QInputMethodEvent, QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from desktop.canvas.views.canvas_view import CanvasView
from shared.geometry import Rect

T = TypeVar("T")
Found = TypeVar("Found", bound=QWidget)

_LEFT = Qt.MouseButton.LeftButton
_TURN_MS = 20
_DRAG_MOVES = 6
_REST_SECONDS = 0.6


class StepFailedError(Exception):
    """A step did not do what it should; `str()` is a sentence."""


class WindowDriver:
    """Steps are reported by `say(name, seconds)`; the first failure of a step ends the demo."""

    def __init__(self, say: Callable[[str, float], None]) -> None:
        self._say = say
        self.at = ""
        """The step that is played."""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One thing that the person does."""
        self.at = name
        began = time.perf_counter()
        yield
        self._say(name, time.perf_counter() - began)


def process_events() -> None:
    """Let the windows work for a moment."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, _TURN_MS)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    time.sleep(0.002)


def wait_until(ready: Callable[[], T], what: str, seconds: float = 15.0) -> T:
    """Let the windows work until `ready()` gives something true; gives that.

    Raises StepFailedError with "`what` did not happen" after `seconds`.
    """
    ends = time.monotonic() + seconds
    while True:
        process_events()
        value = ready()
        if value:
            return value
        if time.monotonic() > ends:
            raise StepFailedError(f"{what} did not happen within {seconds:.0f} s")


def _any_widget(_widget: QWidget) -> bool:
    return True


def check(holds: object, sentence: str) -> None:
    """Raises StepFailedError with `sentence` unless `holds`."""
    if not holds:
        raise StepFailedError(sentence)


def find(
    kind: type[Found], within: QWidget, name: str = "", where: Callable[[Found], bool] = _any_widget
) -> Found:
    """The first visible widget of `kind`, by its object name and `where` if given. Raises StepFailedError."""
    for widget in within.findChildren(kind):
        if widget.isVisible() and name in ("", widget.objectName()) and where(widget):
            return widget
    raise StepFailedError(f"there is no {kind.__name__} {name}".rstrip())


def click(widget: QWidget, at: QPoint | None = None) -> None:
    """Press and release the mouse on a widget that can be seen and used: in its middle, or on its tick."""
    wait_until(lambda: widget.isVisible() and widget.isEnabled(), f"{_widget_name(widget)} can be clicked")
    middle = QPoint(10, widget.height() // 2) if isinstance(widget, QCheckBox) else widget.rect().center()
    QTest.mouseClick(widget, _LEFT, Qt.KeyboardModifier.NoModifier, at or middle)
    process_events()


def write(widget: QWidget, text: str) -> None:
    """Put the cursor into an editor and replace what is in it by typing `text`."""
    wait_until(lambda: widget.isVisible() and widget.isEnabled(), f"{_widget_name(widget)} can be written in")
    widget.setFocus()
    editor = widget.focusProxy() or widget
    if isinstance(editor, QComboBox):
        line = editor.lineEdit()
        if line is None:
            raise StepFailedError(f"{_widget_name(editor)} cannot be typed into")
        editor = line
    assert isinstance(editor, QLineEdit | QPlainTextEdit)
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    _type(editor, text)
    process_events()


def _type(editor: QWidget, text: str) -> None:
    for letter in text:
        if letter.isascii():
            QTest.keyClicks(editor, letter)
        else:
            # As an input method commits what was composed; no key of a keyboard stands for these.
            event = QInputMethodEvent()
            event.setCommitString(letter)
            QCoreApplication.sendEvent(editor, event)


def choose(combo: QComboBox, row: Callable[[], int]) -> None:
    """Go by keys to the entry `row()`, once it is offered (a row below 0: not yet)."""
    wait_until(lambda: row() >= 0, f"{_widget_name(combo)} offers what is wanted")
    combo.setFocus()
    for _ in range(combo.count()):
        if combo.currentIndex() == row():
            return
        QTest.keyClick(combo, Qt.Key.Key_Down if row() > combo.currentIndex() else Qt.Key.Key_Up)
        process_events()
    check(combo.currentIndex() == row(), f"{_widget_name(combo)} cannot be set")


def press(widget: QWidget, keys: str) -> None:
    """Press a key or a chord such as ``"Ctrl+R"`` where the keyboard is."""
    window = widget.window()
    window.activateWindow()
    wait_until(window.isActiveWindow, "the window comes to the front")
    QTest.keySequence(widget, QKeySequence(keys))
    process_events()


def drag(view: CanvasView, rect: Rect) -> None:
    """Drag on the canvas from corner to corner of `rect` (px of the picture)."""
    start = QPointF(*view.viewport.to_view(rect.x, rect.y))
    end = QPointF(*view.viewport.to_view(rect.right, rect.bottom))
    _mouse(view, QEvent.Type.MouseButtonPress, start)
    for number in range(1, _DRAG_MOVES + 1):
        _mouse(view, QEvent.Type.MouseMove, start + (end - start) * (number / _DRAG_MOVES))
        process_events()
    _mouse(view, QEvent.Type.MouseButtonRelease, end)
    process_events()


def _mouse(view: QWidget, kind: QEvent.Type, where: QPointF) -> None:
    button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else _LEFT
    held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else _LEFT
    on_screen = QPointF(view.mapToGlobal(QPoint(0, 0))) + where
    event = QMouseEvent(kind, where, on_screen, button, held, Qt.KeyboardModifier.NoModifier)
    QCoreApplication.sendEvent(view, event)


def dialog(kind: type[Found]) -> Found:
    """The visible window of `kind`, once it is there. Raises StepFailedError."""

    def visible() -> list[Found]:
        every = QApplication.topLevelWidgets()
        return [widget for widget in every if isinstance(widget, kind) and widget.isVisible()]

    return wait_until(visible, f"a {kind.__name__} opens")[0]


def choose_files(open_dialog: Callable[[], None], paths: Sequence[Path]) -> None:
    """Do what opens a file dialog, and choose `paths` (in one folder) in it.

    The dialog blocks `open_dialog` until it is answered, so a timer answers it. Raises StepFailedError.
    """
    answered: list[bool] = []

    def answer() -> None:
        asking = QApplication.activeModalWidget()
        if not isinstance(asking, QFileDialog):
            return
        line = asking.findChild(QLineEdit, "fileNameEdit")
        assert line is not None
        if not answered:
            asking.setDirectory(str(paths[0].parent))
            names = " ".join(f'"{path.name}"' for path in paths) if len(paths) > 1 else paths[0].name
            line.setText(names)
            answered.append(True)
        # The dialog takes no name before it has read its folder.
        QTest.keyClick(line, Qt.Key.Key_Return)

    timer = QTimer()
    timer.timeout.connect(answer)
    timer.start(_TURN_MS)
    try:
        open_dialog()
        wait_until(lambda: bool(answered), "the file dialog opens")
    finally:
        timer.stop()


def settled_picture(window: QWidget, seconds: float = 10.0) -> QImage:
    """What a window shows once it has not changed for a moment.

    Raises StepFailedError when it keeps changing.
    """
    ends = time.monotonic() + seconds
    image, since = window.grab().toImage(), time.monotonic()
    while time.monotonic() - since < _REST_SECONDS:
        check(time.monotonic() < ends, "the window does not come to rest")
        process_events()
        now = window.grab().toImage()
        if now != image:
            image, since = now, time.monotonic()
    return image


def click_in_dialog(
    kind: type[Found], ask: Callable[[], None], button: Callable[[Found], QAbstractButton]
) -> None:
    """Do what asks a question, and click the button that `button` gives. Raises StepFailedError."""
    clicked: list[bool] = []

    def reply() -> None:
        asking = QApplication.activeModalWidget()
        if isinstance(asking, kind):
            timer.stop()
            clicked.append(True)
            QTest.mouseClick(button(asking), _LEFT)

    timer = QTimer()
    timer.timeout.connect(reply)
    timer.start(_TURN_MS)
    try:
        ask()
        wait_until(lambda: bool(clicked), f"a {kind.__name__} opens")
    finally:
        timer.stop()


def _widget_name(widget: QWidget) -> str:
    return widget.accessibleName() or widget.objectName() or type(widget).__name__
