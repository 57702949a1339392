"""Defines dialogs, confirmations and toasts.

Runs modal questions, and ends those that no person can answer.

Nobody sees the windows of Qt's platforms "offscreen" and "minimal", on which the tests, the demo and the
benchmarks run. A question that opens there would wait forever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.theme import CARD_RADIUS, LABEL_PX, line_px, theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind
from desktop.widgets.basic.labels import label, wrap_text
from desktop.widgets.basic.layouts import row_of

_PLATFORMS_WITHOUT_PERSON = ("offscreen", "minimal")
_ANSWER_MS = 60_000
"""How long a program may take to answer a question, ms."""

_answering_programs = 0


class UnansweredQuestionError(RuntimeError):
    """A modal question opened where no person can answer it; `str()` has its title and text."""


def is_unattended() -> bool:
    """Return True if no person can see the windows. Needs a QGuiApplication."""
    return QGuiApplication.platformName() in _PLATFORMS_WITHOUT_PERSON


@contextmanager
def answers_by_program() -> Iterator[None]:
    """In the block, a program answers the questions, so an unattended question may stay for a minute."""
    global _answering_programs
    _answering_programs += 1
    try:
        yield
    finally:
        _answering_programs -= 1


@contextmanager
def question() -> Iterator[None]:
    """Contains the call that opens a modal question and returns with its answer.

    Raises UnansweredQuestionError at the end of the block if no person was there. Then the question was
    closed as soon as it was open, or after a minute within `answers_by_program`.
    """
    if not is_unattended():
        yield
        return
    closed: list[str] = []

    def close() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog):
            closed.append(_describe(dialog))
            dialog.reject()

    timer = QTimer(interval=_ANSWER_MS if _answering_programs else 0)
    timer.timeout.connect(close)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
    if closed:
        raise UnansweredQuestionError(f"no person is there to answer: {closed[0]}")


def ask(dialog: QDialog) -> bool:
    """Open a modal dialog; return True if it was accepted. Raises UnansweredQuestionError, see `question`."""
    with question():
        return dialog.exec() == QDialog.DialogCode.Accepted


def _describe(dialog: QDialog) -> str:
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible() and label.text()]
    title = dialog.windowTitle()
    return " / ".join([title, *(text for text in texts if text != title)])


_TOAST_MS = 4_000
_OVERLAY_ALPHA = 170
"""Alpha (0..255) of the overlay on a dialog below another one."""
_TOAST_MARGIN = 120
"""Free space beside the text of a toast, px."""


class _Overlay(QWidget):
    """Covers a dialog while another one is open above it, so that the wrong buttons are not pressed."""

    def __init__(self, dialog: QWidget) -> None:
        super().__init__(dialog)
        self.setGeometry(dialog.rect())
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        colour = QColor(theme_manager().theme.canvas)
        colour.setAlpha(_OVERLAY_ALPHA)
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour)
        painter.end()


class HelpRequests(QObject):
    """Lets dialogs request the guide. It is a child of the main window."""

    requested = Signal(object)
    """The user pressed F1 in this dialog."""


class BaseDialog(QDialog):
    """A dialog in which F1 opens the guide, because the command of the main window does not reach it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_F1:
            super().keyPressEvent(event)
            return
        top: QWidget = self
        while (parent := top.parentWidget()) is not None:
            top = parent.window()
        requests = top.findChild(HelpRequests)
        if requests is not None:
            requests.requested.emit(self)


class Dialog(BaseDialog):
    """A dialog whose height follows its content, also after a text appears."""

    _overlay: _Overlay | None = None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fit_height(self)
        owner = self.parentWidget()
        dialog_below = None if owner is None else owner.window()
        if isinstance(dialog_below, QDialog) and self._overlay is None:
            self._overlay = _Overlay(dialog_below)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._overlay is not None:
            self._overlay.hide()
            self._overlay.deleteLater()
            self._overlay = None

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest and self.isVisible():
            grow_height(self)
        return is_handled


class Confirm(Dialog):
    """Asks before an action. The confirm button names the action.

    It is the default, unless the action is dangerous (`danger`) or not possible yet. `dismiss` names the
    other button where "Cancel" could be taken for the action.
    """

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        text: str,
        verb: str,
        danger: bool = True,
        dismiss: str = "",
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        self.heading = label(title, "item", wrap=True)
        column.addWidget(self.heading)
        self.text = label(text, wrap=True)
        self.text.setMinimumWidth(360)
        self.text.setMaximumWidth(480)
        column.addWidget(self.text)
        self.body = QVBoxLayout()
        """The layout for further inputs, below the text."""
        column.addLayout(self.body)
        column.addSpacing(12)
        row = row_of(1, spacing=8)
        self.cancel_button = Button(dismiss or self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.confirm_button = Button(verb, kind=ButtonKind.DANGER if danger else ButtonKind.MAIN)
        self.confirm_button.clicked.connect(self.accept)
        row.addWidget(self.cancel_button)
        row.addWidget(self.confirm_button)
        column.addLayout(row)
        self._enter_confirms = not danger

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        confirms = self._enter_confirms and self.confirm_button.isEnabled()
        default = self.confirm_button if confirms else self.cancel_button
        default.setDefault(True)
        if self.focusWidget() in (None, self.cancel_button, self.confirm_button):
            default.setFocus()


def fit_height(dialog: QDialog) -> None:
    """Set the height of a dialog to the height that its content needs; for its `showEvent`.

    Qt computes the height for the smallest width, at which texts have more lines. The remaining space would
    appear between the widgets.
    """
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        dialog.resize(dialog.width(), layout.totalHeightForWidth(dialog.width()))


def grow_height(dialog: QDialog) -> None:
    """Increase the height of a dialog to the height that its content needs. It never shrinks.

    A text that wraps does not make its window higher by itself. It would overlap other widgets.
    """
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        dialog.resize(dialog.width(), max(dialog.height(), layout.totalHeightForWidth(dialog.width())))


def confirm(
    parent: QWidget | None, title: str, text: str, verb: str, danger: bool = True, dismiss: str = ""
) -> bool:
    """Ask as `Confirm` does, and return True if the user chose `verb`. Esc and closing the dialog dismiss.

    Raises UnansweredQuestionError where no person can answer, see `desktop/widgets/dialogs.py`.
    """
    dialog = Confirm(parent, title, text, verb, danger, dismiss)
    try:
        return ask(dialog)
    finally:
        dialog.deleteLater()


_BARRIER_MS = 5_000
_KEYS = {QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride, QEvent.Type.Shortcut}


class KeyBarrier(QObject):
    """Drops keys for the window of `owner` while a dialog that the user asked for is being prepared."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._timer = QTimer(self, singleShot=True, interval=_BARRIER_MS)
        self._timer.timeout.connect(self.lift)

    def raise_until_dialog(self) -> None:
        """Drop keys until `lift`, at most for 5 s: the service may be away."""
        self._timer.start()
        application = QCoreApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def lift(self) -> None:
        """Let keys pass again."""
        self._timer.stop()
        application = QCoreApplication.instance()
        if application is not None:
            application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in _KEYS:
            return False
        window = watched.window() if isinstance(watched, QWidget) else None
        if event.type() == QEvent.Type.ShortcutOverride and window is self._owner.window():
            # An accepted override keeps the key from becoming a command.
            event.accept()
            return True
        return window is self._owner.window()


class Toast(QWidget):
    """A short notice at the bottom of the window that closes after 4 s or a click."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 10)
        self._text: QLabel = label("")
        self._sentence = ""
        self._undo: Callable[[], object] | None = None
        self.undo_button = Button(self.tr("Undo"), kind=ButtonKind.LINK)
        self.undo_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.undo_button.clicked.connect(self._call_undo)
        self.undo_button.hide()
        row.addWidget(self._text)
        row.addWidget(self.undo_button)
        self._timer = QTimer(self, singleShot=True, interval=_TOAST_MS)
        self._timer.timeout.connect(self.hide)
        window.installEventFilter(self)
        self.hide()

    def text(self) -> str:
        """The displayed text."""
        return self._sentence

    def show_message(self, sentence: str) -> None:
        """Show a sentence and announce it to screen readers."""
        self._show(sentence, None)

    def show_undoable(self, sentence: str, undo: Callable[[], object]) -> None:
        """Show a sentence with a button that calls `undo`."""
        self._show(sentence, undo)

    def _call_undo(self) -> None:
        undo = self._undo
        self.hide()
        if undo is not None:
            undo()

    def _show(self, sentence: str, undo: Callable[[], object] | None) -> None:
        self._undo = undo
        self.undo_button.setVisible(undo is not None)
        self._sentence = sentence
        self._move_to_bottom()
        self.show()
        self.raise_()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def _move_to_bottom(self) -> None:
        window = self.parentWidget()
        if window is not None:
            # QLabel breaks lines only at blanks, and a path may have none.
            self._text.setText(
                wrap_text(self._sentence, self._text.fontMetrics(), window.width() - _TOAST_MARGIN)
            )
            self.adjustSize()
            self.move((window.width() - self.width()) // 2, window.height() - self.height() - 40)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._move_to_bottom()
        return False

    def mousePressEvent(self, _event: QEvent) -> None:
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(theme.line))
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), CARD_RADIUS, CARD_RADIUS)
        painter.end()


def key_hint(keys: str) -> QLabel:
    """Return a label that shows a key beside its action."""
    hint = label(keys, "key")
    hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
    side = max(18, line_px(LABEL_PX) + 2)
    hint.setFixedHeight(side)
    hint.setMinimumWidth(side)
    return hint
