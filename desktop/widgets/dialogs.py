"""Defines dialogs, confirmations and toasts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.theme import CARD_RADIUS, LABEL_PX, line_px, theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind
from desktop.widgets.basic.labels import in_lines, label

_TOAST_MS = 4_000
_VEIL = 170
"""How much a dialog is covered that waits for another one, of 255."""
_TOAST_BESIDE = 120
"""Free space beside the text of a toast, in view px."""


class _Overlay(QWidget):
    """Covers a dialog while another one is open above it, so that the wrong buttons are not pressed."""

    def __init__(self, dialog: QWidget) -> None:
        super().__init__(dialog)
        self.setGeometry(dialog.rect())
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        veil = QColor(theme_manager().theme.canvas)
        veil.setAlpha(_VEIL)
        painter = QPainter(self)
        painter.fillRect(self.rect(), veil)
        painter.end()


class HelpCalls(QObject):
    """A child of a main window that opens the guide for the dialogs over it."""

    wanted = Signal(object)
    """F1 in the dialog that is given."""


class BaseDialog(QDialog):
    """A dialog whose F1 opens the guide: its own window blocks the command of the main window."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_F1:
            super().keyPressEvent(event)
            return
        top: QWidget = self
        while (parent := top.parentWidget()) is not None:
            top = parent.window()
        calls = top.findChild(HelpCalls)
        if calls is not None:
            calls.wanted.emit(self)


class Dialog(BaseDialog):
    """A dialog whose height follows its content, also after a text appears."""

    _veil: _Overlay | None = None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fit(self)
        owner = self.parentWidget()
        behind = None if owner is None else owner.window()
        if isinstance(behind, QDialog) and self._veil is None:
            self._veil = _Overlay(behind)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._veil is not None:
            self._veil.hide()
            self._veil.deleteLater()
            self._veil = None

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest and self.isVisible():
            grow(self)
        return done


class Confirm(Dialog):
    """Asks before an action. The verb names the action, and the harmless button is the default."""

    def __init__(self, parent: QWidget | None, title: str, text: str, verb: str, danger: bool = True) -> None:
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
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.harmless = Button(self.tr("Cancel"))
        self.harmless.clicked.connect(self.reject)
        self.act = Button(verb, kind=ButtonKind.DANGER if danger else ButtonKind.MAIN)
        self.act.clicked.connect(self.accept)
        row.addWidget(self.harmless)
        row.addWidget(self.act)
        column.addLayout(row)
        self.harmless.setDefault(True)
        self.harmless.setFocus()


def fit(dialog: QDialog) -> None:
    """Make a dialog exactly as high as it needs, for its `showEvent`.

    Qt computes with sentences that wrap at the smallest width; what is left over would spread between them.
    """
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        dialog.resize(dialog.width(), layout.totalHeightForWidth(dialog.width()))


def grow(dialog: QDialog) -> None:
    """Make a dialog as high as it needs now; it never shrinks.

    A sentence that breaks into lines makes a window no taller by itself: it would lie on its neighbours.
    """
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        dialog.resize(dialog.width(), max(dialog.height(), layout.totalHeightForWidth(dialog.width())))


def confirm(parent: QWidget | None, title: str, text: str, verb: str, danger: bool = True) -> bool:
    """Ask, and return True if the user chose `verb`. Enter, Esc and closing the dialog cancel."""
    dialog = Confirm(parent, title, text, verb, danger)
    try:
        return dialog.exec() == QDialog.DialogCode.Accepted
    finally:
        dialog.deleteLater()


class Toast(QWidget):
    """A short notice at the bottom of the window that closes after 4 s or a click."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 10)
        self._text: QLabel = label("")
        self._sentence = ""
        row.addWidget(self._text)
        self._timer = QTimer(self, singleShot=True, interval=_TOAST_MS)
        self._timer.timeout.connect(self.hide)
        window.installEventFilter(self)
        self.hide()

    def text(self) -> str:
        """The displayed text."""
        return self._sentence

    def say(self, sentence: str) -> None:
        """Show a sentence, and read it out to a screen reader."""
        self._sentence = sentence
        self._place()
        self.show()
        self.raise_()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def _place(self) -> None:
        window = self.parentWidget()
        if window is not None:
            # A path has no blanks at which a label would break by itself.
            self._text.setText(
                in_lines(self._sentence, self._text.fontMetrics(), window.width() - _TOAST_BESIDE)
            )
            self.adjustSize()
            self.move((window.width() - self.width()) // 2, window.height() - self.height() - 40)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
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
    """A label that shows a key beside its action."""
    hint = label(keys, "key")
    hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
    side = max(18, line_px(LABEL_PX) + 2)
    hint.setFixedHeight(side)
    hint.setMinimumWidth(side)
    return hint
