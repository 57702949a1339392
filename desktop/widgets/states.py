"""Shows a state instead of a page's content (empty, loading, error, no permission), and banners."""

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

LOADING_DELAY_MS = 300

_LEVELS = {"info": ("info", "accent"), "warn": ("warning", "undecided"), "error": ("error", "failed")}


class IconLabel(QWidget):
    """An icon in a colour of the theme."""

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


class _StatePanel(QWidget):
    """An icon, a sentence and at most one button in the centre of the page."""

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

    def set_sentence(self, sentence: str) -> None:
        """Set the sentence."""
        self._sentence.setText(sentence)
        self.setAccessibleName(sentence)

    def _add_button(self, text: str, act: Callable[[], object], kind: ButtonKind) -> Button:
        button = Button(text, kind=kind)
        button.clicked.connect(lambda _checked=False: act())
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        return button


class EmptyState(_StatePanel):
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


class LoadingState(_StatePanel):
    """Shows that data is being loaded if it takes longer than 300 ms."""

    cancelled = Signal()
    """The user cancelled loading."""

    def __init__(self, sentence: str = "", cancellable: bool = False, parent: QWidget | None = None) -> None:
        super().__init__("cloud-wait", "dim", "", parent)
        self.set_sentence(sentence or self.tr("Loading…"))
        self._cancel = self._add_button(self.tr("Cancel"), self.cancelled.emit, ButtonKind.GHOST)
        self._cancellable = cancellable
        self._delay = QTimer(self, singleShot=True, interval=LOADING_DELAY_MS)
        self._delay.timeout.connect(lambda: self._set_parts_visible(True))
        self._set_parts_visible(False)

    def start(self) -> None:
        """Start waiting: blank at first, visible after 300 ms."""
        self._set_parts_visible(False)
        self._delay.start()

    def stop(self) -> None:
        """Stop waiting."""
        self._delay.stop()
        self._set_parts_visible(False)

    def _set_parts_visible(self, visible: bool) -> None:
        self._symbol.setVisible(visible)
        self._sentence.setVisible(visible)
        self._cancel.setVisible(visible and self._cancellable)


class ErrorState(_StatePanel):
    """Shows an error with a button to retry."""

    def __init__(self, sentence: str, retry: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__("warning", "undecided", sentence, parent)
        self.button = self._add_button(self.tr("Retry"), retry, ButtonKind.PLAIN)


class NoPermissionState(_StatePanel):
    """Shows that the user has no permission and should ask an administrator."""

    def __init__(self, sentence: str = "", parent: QWidget | None = None) -> None:
        super().__init__("lock", "dim", "", parent)
        self.set_sentence(
            sentence or self.tr("You do not have permission to view this. Contact an administrator.")
        )


class StateStack(QStackedWidget):
    """Shows a page's content or a state instead of it.

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
        """Show the content."""
        self._show(self.content)

    def show_loading(self, sentence: str = "") -> None:
        """Show after 300 ms that the content is being loaded."""
        if sentence:
            self.loading.set_sentence(sentence)
        self.loading.start()
        self._show(self.loading)

    def show_empty(
        self, icon: str, sentence: str, action: str = "", act: Callable[[], object] | None = None
    ) -> None:
        """Show that the page has no content yet."""
        self._show(EmptyState(icon, sentence, action, act))

    def show_state(self, state: QWidget) -> None:
        """Show a page's own widget for a state. It is deleted when another one is shown."""
        self._show(state)

    def show_error(self, sentence: str, retry: Callable[[], object]) -> None:
        """Show an error with a button that calls `retry`."""
        self._show(ErrorState(sentence, retry))

    def show_no_permission(self, sentence: str = "") -> None:
        """Show that the permission is missing."""
        self._show(NoPermissionState(sentence))

    def _show(self, widget: QWidget) -> None:
        if widget is not self.loading:
            self.loading.stop()
        previous = self.currentWidget()
        if self.indexOf(widget) < 0:
            self.addWidget(widget)
        focused = QApplication.focusWidget()
        if (
            previous is not widget
            and previous is not None
            and focused is not None
            and previous.isAncestorOf(focused)
        ):
            # Qt would give the focus to the next widget, which would then show a focus frame.
            self._focused = focused if previous is self.content else self._focused
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setCurrentWidget(widget)
        if (
            widget is self.content
            and self.hasFocus()
            and self._focused is not None
            and isValid(self._focused)
        ):
            self._focused.setFocus(Qt.FocusReason.OtherFocusReason)
        if previous is not None and previous not in (widget, self.content, self.loading):
            self.removeWidget(previous)
            previous.deleteLater()


class Banner(Panel):
    """A message above the page with at most two actions. It stays while the message is true."""

    action_chosen = Signal()
    """The user chose the action."""
    second_action_chosen = Signal()
    """The user chose the second action."""
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
        self._action.clicked.connect(lambda _checked=False: self.action_chosen.emit())
        close = IconButton("close", self.tr("Close"), side=24)
        close.clicked.connect(self._close)
        self._close_button = close
        row.addWidget(self._symbol)
        row.addWidget(self._text, 1)
        self._second_action = Button("", kind=ButtonKind.LINK)
        self._second_action.clicked.connect(lambda _checked=False: self.second_action_chosen.emit())
        row.addWidget(self._action)
        row.addWidget(self._second_action)
        row.addWidget(close)
        self.hide()

    def text(self) -> str:
        """The displayed text."""
        return self._text.text()

    def show_message(
        self,
        sentence: str,
        level: Literal["info", "warn", "error"] = "info",
        action: str = "",
        closable: bool = True,
        second_action: str = "",
    ) -> None:
        """Show a sentence at a level. `action` and `second_action` are the texts of their buttons, if any."""
        self._symbol.show_icon(*_LEVELS[level])
        self._text.setText(sentence)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._second_action.setText(second_action)
        self._second_action.setVisible(bool(second_action))
        self._close_button.setVisible(closable)
        self.setAccessibleName(sentence)
        self.show()

    def _close(self) -> None:
        self.hide()
        self.closed.emit()
