"""Drives real windows: waits, clicks, types and drags, and reports each step.

Fills in the forms of the program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
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
from shiboken6 import isValid

from desktop.canvas.views.canvas_view import CanvasView
from desktop.crash.handler import record_callback_errors
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import Form
from desktop.widgets import answers_by_program
from shared.record.geometry import Rect

T = TypeVar("T")
WidgetT = TypeVar("WidgetT", bound=QWidget)

_LEFT = Qt.MouseButton.LeftButton
_EVENT_LOOP_MS = 20
_DRAG_MOVES = 6
_STILL_SECONDS = 0.6


_callback_errors: list[BaseException] = []
"""The exceptions in callbacks of the current step."""


class StepFailedError(Exception):
    """A step failed; `str()` is a sentence about the reason."""


class WindowDriver:
    """Runs the steps of the demo and reports each of them to `report(name, seconds)`."""

    def __init__(self, report: Callable[[str, float], None]) -> None:
        self._report = report
        self.current_step = ""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Run the block as a step of the demo with this name.

        Raises StepFailedError if a callback of Qt raised an exception; `wait_until` raises it earlier.
        """
        global _callback_errors
        self.current_step = name
        start = time.perf_counter()
        with record_callback_errors() as _callback_errors:
            yield
        _check_callbacks()
        self._report(name, time.perf_counter() - start)


def _check_callbacks() -> None:
    if _callback_errors:
        error = _callback_errors[0]
        raise StepFailedError(f"an unexpected error occurred: {error or type(error).__name__}") from error


def process_events() -> None:
    """Process events of Qt for a moment."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, _EVENT_LOOP_MS)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    time.sleep(0.002)


def wait_until(ready: Callable[[], T], event: str, seconds: float = 15.0) -> T:
    """Process events until `ready()` returns a true value, and return it.

    Raises StepFailedError with "`event` did not happen" after `seconds`, or after an exception in a callback.
    """
    deadline = time.monotonic() + seconds
    while True:
        process_events()
        _check_callbacks()
        value = ready()
        if value:
            return value
        if time.monotonic() > deadline:
            raise StepFailedError(f"{event} did not happen within {seconds:.0f} s")


def _any_widget(_widget: QWidget) -> bool:
    return True


def check(condition: object, sentence: str) -> None:
    """Raise StepFailedError with `sentence` unless `condition` is true."""
    if not condition:
        raise StepFailedError(sentence)


def find_widget(
    kind: type[WidgetT], within: QWidget, name: str = "", matches: Callable[[WidgetT], bool] = _any_widget
) -> WidgetT:
    """Return the first visible widget of `kind` with this object name and for which `matches` is true.

    Raises StepFailedError if there is none.
    """
    for widget in within.findChildren(kind):
        if widget.isVisible() and name in ("", widget.objectName()) and matches(widget):
            return widget
    raise StepFailedError(f"there is no {kind.__name__} {name}".rstrip())


def click(widget: QWidget, position: QPoint | None = None) -> None:
    """Click a widget once it is visible and enabled: at `position`, in its centre, or on the check mark."""
    wait_until(lambda: widget.isVisible() and widget.isEnabled(), f"{_widget_name(widget)} can be clicked")
    centre = QPoint(10, widget.height() // 2) if isinstance(widget, QCheckBox) else widget.rect().center()
    QTest.mouseClick(widget, _LEFT, Qt.KeyboardModifier.NoModifier, position or centre)
    process_events()


def type_text(widget: QWidget, text: str) -> None:
    """Replace the text of an editor by typing `text`."""
    wait_until(lambda: widget.isVisible() and widget.isEnabled(), f"{_widget_name(widget)} can be edited")
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
    _send_text(editor, text)
    process_events()


def _send_text(editor: QWidget, text: str) -> None:
    for letter in text:
        if letter.isascii():
            QTest.keyClicks(editor, letter)
        else:
            # No key types these letters. An input method commits them.
            event = QInputMethodEvent()
            event.setCommitString(letter)
            QCoreApplication.sendEvent(editor, event)


def choose_entry(combo: QComboBox, row: Callable[[], int]) -> None:
    """Select the entry `row()` by keys, once the combo box has it (a negative row: not yet)."""
    wait_until(lambda: row() >= 0, f"{_widget_name(combo)} has the entry")
    combo.setFocus()
    for _ in range(combo.count()):
        if combo.currentIndex() == row():
            return
        QTest.keyClick(combo, Qt.Key.Key_Down if row() > combo.currentIndex() else Qt.Key.Key_Up)
        process_events()
    check(combo.currentIndex() == row(), f"{_widget_name(combo)} cannot be set")


def press_keys(widget: QWidget, keys: str) -> None:
    """Press a key or a combination such as ``"Ctrl+R"`` in the widget's window."""
    window = widget.window()
    window.activateWindow()
    wait_until(window.isActiveWindow, "the window comes to the front")
    QTest.keySequence(widget, QKeySequence(keys))
    process_events()


def drag_rect(view: CanvasView, rect: Rect) -> None:
    """Drag on the canvas from the top left to the bottom right of `rect` (px of the picture)."""
    start = QPointF(*view.viewport.to_view(rect.x, rect.y))
    end = QPointF(*view.viewport.to_view(rect.right, rect.bottom))
    _send_mouse_event(view, QEvent.Type.MouseButtonPress, start)
    for number in range(1, _DRAG_MOVES + 1):
        _send_mouse_event(view, QEvent.Type.MouseMove, start + (end - start) * (number / _DRAG_MOVES))
        process_events()
    _send_mouse_event(view, QEvent.Type.MouseButtonRelease, end)
    process_events()


def _send_mouse_event(view: QWidget, kind: QEvent.Type, position: QPointF) -> None:
    button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else _LEFT
    pressed = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else _LEFT
    on_screen = QPointF(view.mapToGlobal(QPoint(0, 0))) + position
    event = QMouseEvent(kind, position, on_screen, button, pressed, Qt.KeyboardModifier.NoModifier)
    QCoreApplication.sendEvent(view, event)


def wait_for_dialog(kind: type[WidgetT]) -> WidgetT:
    """Wait for a visible window of `kind` and return it. Raises StepFailedError after the time limit."""

    def visible_windows() -> list[WidgetT]:
        widgets = QApplication.topLevelWidgets()
        return [widget for widget in widgets if isinstance(widget, kind) and widget.isVisible()]

    return wait_until(visible_windows, f"a {kind.__name__} opens")[0]


def choose_files(open_dialog: Callable[[], None], paths: Sequence[Path]) -> None:
    """Call `open_dialog` and choose `paths` (in one folder) in the file dialog that it opens.

    The dialog blocks `open_dialog` until it is answered, so a timer answers it. Raises StepFailedError.
    """
    answered: list[bool] = []

    def answer() -> None:
        file_dialog = QApplication.activeModalWidget()
        if not isinstance(file_dialog, QFileDialog):
            return
        line = file_dialog.findChild(QLineEdit, "fileNameEdit")
        assert line is not None
        if not answered:
            file_dialog.setDirectory(str(paths[0].parent))
            names = " ".join(f'"{path.name}"' for path in paths) if len(paths) > 1 else paths[0].name
            line.setText(names)
            answered.append(True)
        # The dialog accepts no name before it has read its folder.
        QTest.keyClick(line, Qt.Key.Key_Return)

    timer = QTimer()
    timer.timeout.connect(answer)
    timer.start(_EVENT_LOOP_MS)
    try:
        with answers_by_program():
            open_dialog()
        wait_until(lambda: bool(answered), "the file dialog opens")
    finally:
        timer.stop()


def grab_when_still(window: QWidget, seconds: float = 10.0) -> QImage:
    """Return a picture of a window once it has not changed for a moment.

    Raises StepFailedError if it keeps changing.
    """
    deadline = time.monotonic() + seconds
    image, since = window.grab().toImage(), time.monotonic()
    while time.monotonic() - since < _STILL_SECONDS:
        check(time.monotonic() < deadline, "the window keeps changing")
        process_events()
        newest = window.grab().toImage()
        if newest != image:
            image, since = newest, time.monotonic()
    return image


def click_in_dialog(
    kind: type[WidgetT], open_dialog: Callable[[], None], button: Callable[[WidgetT], QAbstractButton]
) -> None:
    """Call `open_dialog` and click the button of the dialog that `button` returns. Raises StepFailedError."""
    clicked: list[bool] = []

    def reply() -> None:
        modal = QApplication.activeModalWidget()
        if isinstance(modal, kind):
            timer.stop()
            clicked.append(True)
            QTest.mouseClick(button(modal), _LEFT)

    timer = QTimer()
    timer.timeout.connect(reply)
    timer.start(_EVENT_LOOP_MS)
    try:
        with answers_by_program():
            open_dialog()
        wait_until(lambda: bool(clicked), f"a {kind.__name__} opens")
    finally:
        timer.stop()


def _widget_name(widget: QWidget) -> str:
    return widget.accessibleName() or widget.objectName() or type(widget).__name__


def fill_form(form: Form, texts: Mapping[str, str]) -> None:
    """Type `texts` into the fields of a form and save it.

    Raises StepFailedError with the errors that the form shows.
    """
    for name, text in texts.items():
        editor = form.fields[name].editor
        if isinstance(editor, SearchCombo):
            type_text(editor, text)
            wait_until(partial(_has_choice, editor, text), f"{text} can be chosen")
        else:
            type_text(editor, text)
    click(form.save)
    wait_until(partial(_is_saved, form), "the form is saved")


def _is_saved(form: Form) -> bool:
    if not isValid(form) or not form.isVisible():
        return True
    if form_errors(form):
        raise StepFailedError(f"the form was not saved: {form_errors(form)}")
    return False


def _has_choice(chooser: SearchCombo, text: str) -> bool:
    return chooser.findText(text) >= 0


def form_errors(form: Form) -> str:
    """Return the errors that a form shows, or ""."""
    errors = [field.error() for field in form.fields.values() if field.error()]
    if form.banner.isVisible():
        errors.append(form.banner.text())
    return "; ".join(errors)
