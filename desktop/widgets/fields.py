"""Defines input fields: text, password, search and choices. They keep what the user typed."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from desktop.theme import LABEL_PX, line_px, theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind
from desktop.widgets.basic.icons import paint_icon
from desktop.widgets.basic.labels import label
from desktop.widgets.basic.popups import RoundedCorners

_SEARCH_MS = 250
_ACTION_PX = 20
"""The height of a button beside a label."""
_AROUND_PX = 70
"""Width in px of the parts beside the text of a search field: icon, key and margins."""


class TextArea(QPlainTextEdit):
    """Several lines of plain text. Tab leaves the field."""

    def __init__(self, lines: int = 3, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 22)


class Combo(QComboBox):
    """A choice among a few values. `set_choices` takes (value, text) pairs."""

    picked = Signal(object)
    """The value that the user chose."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda index: self.picked.emit(self.itemData(index)))
        # Qt's own delegate of a popup keeps a column for a check mark that nothing here has.
        self.setItemDelegate(QStyledItemDelegate(self))
        RoundedCorners(self.view().window())

    def set_choices(self, choices: Iterable[tuple[object, str]]) -> None:
        """Set the choices. The chosen value stays chosen if it still exists."""
        was = self.currentData()
        self.blockSignals(True)
        self.clear()
        for value, text in choices:
            self.addItem(text, value)
        self.blockSignals(False)
        self.set_value(was)

    def value(self) -> object:
        """The chosen value, or None."""
        return self.currentData()

    def set_value(self, value: object) -> None:
        """Choose a value without a signal. An unknown value chooses the first."""
        values = [self.itemData(index) for index in range(self.count())]
        self.setCurrentIndex(values.index(value) if value in values else 0 if values else -1)

    def event(self, event: QEvent) -> bool:
        # A letter searches in the choices; it must not reach a command of the page with the same key.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
            if plain and event.text().isprintable() and event.text():
                event.accept()
                return True
        return super().event(event)

    def wheelEvent(self, event: QEvent) -> None:
        # A wheel over a closed combo scrolls the page; it must not change a value by accident.
        event.ignore()


Editor = QLineEdit | QPlainTextEdit | QComboBox


class Field(QWidget):
    """A label and an editor, with an error line below them if there is an error."""

    changed = Signal()
    """The user changed the value. The error line is hidden before."""

    def __init__(
        self,
        name: str,
        editor: Editor | None = None,
        *,
        placeholder: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.action: Button | None = None
        """The button at the right of the label, where there is one."""
        self.editor: Editor = QLineEdit() if editor is None else editor
        self.editor.setAccessibleName(name)
        self._label = label(name, "label")
        self._label.setBuddy(self.editor)
        self._error = label("", "error", wrap=True)
        self._error.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._label)
        column.addWidget(self.editor)
        column.addWidget(self._error)
        self.setFocusProxy(self.editor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        if isinstance(self.editor, QComboBox):
            self.editor.activated.connect(self._on_edited)
        elif isinstance(self.editor, QLineEdit):
            self.editor.setPlaceholderText(placeholder)
            self.editor.textEdited.connect(self._on_edited)
        else:
            self.editor.setPlaceholderText(placeholder)
            self.editor.textChanged.connect(self._on_edited)

    def text(self) -> str:
        """The typed text, unchanged."""
        if isinstance(self.editor, QPlainTextEdit):
            return self.editor.toPlainText()
        return self.editor.currentText() if isinstance(self.editor, QComboBox) else self.editor.text()

    def set_text(self, text: str) -> None:
        """Put a text into the editor without a signal."""
        self.editor.blockSignals(True)
        if isinstance(self.editor, QPlainTextEdit):
            self.editor.setPlainText(text)
        elif isinstance(self.editor, QComboBox):
            self.editor.setCurrentText(text)
        else:
            self.editor.setText(text)
            # A long text shows its beginning, except to the person who types it.
            if not self.editor.hasFocus():
                self.editor.setCursorPosition(0)
        self.editor.blockSignals(False)

    def add_action(self, button: Button) -> None:
        """Put a quiet button at the right of the label."""
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.removeWidget(self._label)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addStretch(1)
        row.addWidget(button)
        column.insertLayout(0, row)
        # Little higher than the label: fields with a button and without one stand in one row.
        button.setProperty("inline", True)
        button.setFixedHeight(_ACTION_PX)
        self.action = button

    def reserve_action(self) -> None:
        """Make the label as high as one with a button beside it, for fields in one row."""
        self._label.setFixedHeight(_ACTION_PX)

    def set_error(self, sentence: str) -> None:
        """Show an error below the editor; an empty text hides it. The typed text stays."""
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))
        # No higher than it wants to be: but that is computed for one width, where a sentence may need more.
        grows = QSizePolicy.Policy.Minimum if sentence else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, grows)
        self.editor.setAccessibleDescription(sentence)
        self.editor.setProperty("invalid", bool(sentence))
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)

    def error(self) -> str:
        """The sentence below the editor, or an empty string."""
        return self._error.text()

    def _on_edited(self) -> None:
        if self.error():
            self.set_error("")
        self.changed.emit()


class PasswordField(Field):
    """A field for a password, with a word inside that shows and hides it.

    Where one password follows another, see `reveal_after`.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        line = QLineEdit()
        super().__init__(name, line, parent=parent)
        self._line = line
        line.setEchoMode(QLineEdit.EchoMode.Password)
        line.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
        )
        # Not a child of the line: what is typed while the word has the focus would go into the password.
        self.toggle = Button(self.tr("Show"), kind=ButtonKind.QUIET, parent=self)
        self.toggle.clicked.connect(self._switch)
        line.installEventFilter(self)
        self._place()

    def clear(self) -> None:
        """Clear the text and hide the next one."""
        self.set_text("")
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self.toggle.setText(self.tr("Show"))

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return False

    def _switch(self) -> None:
        hidden = self._line.echoMode() == QLineEdit.EchoMode.Password
        self._line.setEchoMode(QLineEdit.EchoMode.Normal if hidden else QLineEdit.EchoMode.Password)
        self.toggle.setText(self.tr("Hide") if hidden else self.tr("Show"))
        self._place()

    def _place(self) -> None:
        size = self.toggle.sizeHint()
        self._line.setTextMargins(0, 0, size.width() + 4, 0)
        line = self._line.geometry()
        self.toggle.setGeometry(
            line.right() + 1 - size.width() - 8,
            line.top() + (line.height() - size.height()) // 2,
            size.width(),
            size.height(),
        )
        self.toggle.raise_()


def reveal_after(last: QWidget, *fields: PasswordField) -> None:
    """Let Tab lead from one password to the next field, and to the words that show them only after `last`.

    A user who types a password twice does not watch the focus. All must be in one window by now.
    """
    before = last
    for field in fields:
        QWidget.setTabOrder(before, field.toggle)
        before = field.toggle


class SearchField(QLineEdit):
    """A search line with a glass before it and the key '/' after it."""

    searched = Signal(str)
    """The text after a pause of 250 ms in typing, or immediately after Enter."""

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setClearButtonEnabled(True)
        self._reported = ""
        self._pause = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self._pause.timeout.connect(self._tell)
        self.textChanged.connect(lambda _: self._pause.start())
        self.returnPressed.connect(self._tell)
        self.setTextMargins(22, 0, 0, 0)
        self._key = label("/", "key")
        self._key.setParent(self)
        self._key.setAlignment(Qt.AlignmentFlag.AlignCenter)
        side = max(18, line_px(LABEL_PX) + 2)
        self._key.setFixedSize(side, side)
        self.textChanged.connect(lambda _: self._show_key())

    def sizeHint(self) -> QSize:
        """The placeholder is visible as a whole, with the icon and the key beside it."""
        text_width = self.fontMetrics().horizontalAdvance(self.placeholderText()) + _AROUND_PX + 10
        return QSize(max(250, text_width), super().sizeHint().height())

    def _tell(self) -> None:
        self._pause.stop()
        if self.text() != self._reported:
            self._reported = self.text()
            self.searched.emit(self._reported)

    def _show_key(self) -> None:
        room = self.width() - self.fontMetrics().horizontalAdvance(self.placeholderText())
        self._key.setVisible(not self.hasFocus() and not self.text() and room > _AROUND_PX)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_key()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_key()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._key.move(self.width() - self._key.width() - 10, (self.height() - self._key.height()) // 2)
        self._show_key()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_icon(painter, "search", theme_manager().theme.dim, QRectF(10, self.height() / 2 - 7, 14, 14))
        painter.end()
