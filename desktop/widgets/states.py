"""Shows a page's state in place of its content: empty, loading, failed, forbidden; and banners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from desktop.theme import theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind, IconButton
from desktop.widgets.basic.icons import paint_icon
from desktop.widgets.basic.labels import Panel, label

LOADING_AFTER_MS = 300

_LEVELS = {"info": ("info", "accent"), "warn": ("warning", "undecided"), "error": ("error", "failed")}


class IconLabel(QWidget):
    """An icon of the kit as a picture, in a colour of the theme."""

    def __init__(self, name: str, tone: str = "dim", side: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._tone, self._side = name, tone, side
        self.setFixedSize(side, side)

    def show_icon(self, name: str, tone: str) -> None:
        """Show another icon."""
        self._name, self._tone = name, tone
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, self._name, getattr(theme_manager().theme, self._tone), QRectF(self.rect()))
        painter.end()


class _State(QWidget):
    """An icon, a sentence and at most one button, in the middle of the page."""

    def __init__(self, icon: str, tone: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.setSpacing(12)
        self._symbol = IconLabel(icon, tone, 32)
        self._column.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignHCenter)
        self._sentence = label(sentence, wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setMinimumWidth(360)
        self._sentence.setMaximumWidth(460)
        self._column.addWidget(self._sentence, 0, Qt.AlignmentFlag.AlignHCenter)
        self.setAccessibleName(sentence)

    def say(self, sentence: str) -> None:
        """Say something else."""
        self._sentence.setText(sentence)
        self.setAccessibleName(sentence)

    def _add_button(self, text: str, act: Callable[[], object], kind: ButtonKind) -> Button:
        button = Button(text, kind=kind)
        button.clicked.connect(lambda _checked=False: act())
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        return button


class EmptyState(_State):
    """Shows why a page is empty, with one action."""

    def __init__(
        self,
        icon: str,
        sentence: str,
        action: str = "",
        act: Callable[[], object] | None = None,
        parent: QWidget | None = None,
        kind: ButtonKind = ButtonKind.MAIN,
    ) -> None:
        """Create the state.

        `kind` is PLAIN for several states side by side, because a page has one main button.
        """
        super().__init__(icon, "dim", sentence, parent)
        self.button = self._add_button(action, act, kind) if act is not None else None


class LoadingState(_State):
    """Shows that data is being loaded if it takes longer than 300 ms."""

    cancelled = Signal()
    """The user cancelled loading."""

    def __init__(self, sentence: str = "", cancellable: bool = False, parent: QWidget | None = None) -> None:
        super().__init__("cloud-wait", "dim", "", parent)
        self.say(sentence or self.tr("Loading…"))
        self._cancel = self._add_button(self.tr("Cancel"), self.cancelled.emit, ButtonKind.GHOST)
        self._cancellable = cancellable
        self._delay = QTimer(self, singleShot=True, interval=LOADING_AFTER_MS)
        self._delay.timeout.connect(lambda: self._reveal(True))
        self._reveal(False)

    def begin(self) -> None:
        """Start the wait: blank now, visible after 300 ms."""
        self._reveal(False)
        self._delay.start()

    def end(self) -> None:
        """The wait is over."""
        self._delay.stop()
        self._reveal(False)

    def _reveal(self, on: bool) -> None:
        self._symbol.setVisible(on)
        self._sentence.setVisible(on)
        self._cancel.setVisible(on and self._cancellable)


class ErrorState(_State):
    """Shows an error, with a button that tries again."""

    def __init__(self, sentence: str, retry: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__("warning", "undecided", sentence, parent)
        self.button = self._add_button(self.tr("Retry"), retry, ButtonKind.PLAIN)


class NoPermissionState(_State):
    """Shows that the user has no permission, and whom to ask."""

    def __init__(self, sentence: str = "", parent: QWidget | None = None) -> None:
        super().__init__("lock", "dim", "", parent)
        self.say(sentence or self.tr("You do not have permission to view this. Contact an administrator."))


class StateStack(QStackedWidget):
    """A page's content, or the state that stands in for it.

    stack = StateStack(table)
    stack.show_loading(); stack.show_content(); stack.show_error(str(error), retry=self.reload)
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self._focused: QWidget | None = None
        self.loading = LoadingState()
        self.addWidget(content)
        self.addWidget(self.loading)

    def show_content(self) -> None:
        """Show the content itself."""
        self._show(self.content)

    def show_loading(self, sentence: str = "") -> None:
        """Show that it is being fetched, from 300 ms on."""
        if sentence:
            self.loading.say(sentence)
        self.loading.begin()
        self._show(self.loading)

    def show_empty(
        self, icon: str, sentence: str, action: str = "", act: Callable[[], object] | None = None
    ) -> None:
        """Show that there is nothing yet."""
        self._show(EmptyState(icon, sentence, action, act))

    def show_state(self, state: QWidget) -> None:
        """Show a page's own widget for a state. It is deleted when another one is shown."""
        self._show(state)

    def show_error(self, sentence: str, retry: Callable[[], object]) -> None:
        """Show an error with a button that calls `retry`."""
        self._show(ErrorState(sentence, retry))

    def show_no_permission(self, sentence: str = "") -> None:
        """Show that the right is missing."""
        self._show(NoPermissionState(sentence))

    def _show(self, widget: QWidget) -> None:
        if widget is not self.loading:
            self.loading.end()
        before = self.currentWidget()
        if self.indexOf(widget) < 0:
            self.addWidget(widget)
        focused = QApplication.focusWidget()
        if (
            before is not widget
            and before is not None
            and focused is not None
            and before.isAncestorOf(focused)
        ):
            # Qt would pass the focus on to whatever comes next, and that would be ringed.
            self._focused = focused if before is self.content else self._focused
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setCurrentWidget(widget)
        if (
            widget is self.content
            and self.hasFocus()
            and self._focused is not None
            and isValid(self._focused)
        ):
            self._focused.setFocus(Qt.FocusReason.OtherFocusReason)
        if before is not None and before not in (widget, self.content, self.loading):
            self.removeWidget(before)
            before.deleteLater()


class Banner(Panel):
    """A line above the page with at most two actions, which stays while its message is true."""

    acted = Signal()
    """The action was chosen."""
    other_acted = Signal()
    """The second action was chosen."""
    closed = Signal()
    """The user closed the banner."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(10)
        self._symbol = IconLabel("info", "accent")
        self._text: QLabel = label("", wrap=True)
        self._action = Button("", kind=ButtonKind.LINK)
        self._action.clicked.connect(lambda _checked=False: self.acted.emit())
        close = IconButton("close", self.tr("Close"), side=24)
        close.clicked.connect(self._close)
        self._close_button = close
        row.addWidget(self._symbol)
        row.addWidget(self._text, 1)
        self._other = Button("", kind=ButtonKind.LINK)
        self._other.clicked.connect(lambda _checked=False: self.other_acted.emit())
        row.addWidget(self._action)
        row.addWidget(self._other)
        row.addWidget(close)
        self.hide()

    def text(self) -> str:
        """The displayed text."""
        return self._text.text()

    def say(
        self,
        sentence: str,
        level: Literal["info", "warn", "error"] = "info",
        action: str = "",
        closable: bool = True,
        other: str = "",
    ) -> None:
        """Show a sentence at a level, with a word for the action and for a second one where there are any."""
        self._symbol.show_icon(*_LEVELS[level])
        self._text.setText(sentence)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._other.setText(other)
        self._other.setVisible(bool(other))
        self._close_button.setVisible(closable)
        self.setAccessibleName(sentence)
        self.show()

    def _close(self) -> None:
        self.hide()
        self.closed.emit()
