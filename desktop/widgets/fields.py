"""Defines input fields: text, password, search and choices, and accepts dragged files.

An error does not change the typed text.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
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
from desktop.widgets.basic.labels import ErrorLine, label
from desktop.widgets.basic.layouts import column_of, row_of
from desktop.widgets.basic.popups import RoundedCorners

_SEARCH_MS = 250
_ACTION_PX = 20
"""The height of a button beside a label."""
_SEARCH_PADDING_PX = 70
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
        # Qt's default delegate reserves a column for check marks, which these lists do not have.
        self.setItemDelegate(QStyledItemDelegate(self))
        RoundedCorners(self.view().window())

    def set_choices(self, choices: Iterable[tuple[object, str]]) -> None:
        """Set the choices. The chosen value stays chosen if it still exists."""
        previous = self.currentData()
        self.blockSignals(True)
        self.clear()
        for value, text in choices:
            self.addItem(text, value)
        self.blockSignals(False)
        self.set_value(previous)

    def value(self) -> object:
        """The chosen value, or None."""
        return self.currentData()

    def set_value(self, value: object) -> None:
        """Choose a value without a signal. An unknown value chooses the first."""
        values = [self.itemData(index) for index in range(self.count())]
        self.setCurrentIndex(values.index(value) if value in values else 0 if values else -1)

    def event(self, event: QEvent) -> bool:
        # A letter searches in the choices. It must not run a command of the page with the same key.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
            if plain and event.text().isprintable() and event.text():
                event.accept()
                return True
        return super().event(event)

    def wheelEvent(self, event: QEvent) -> None:
        # The wheel scrolls the page. It must not change a value by accident.
        event.ignore()


Editor = QLineEdit | QPlainTextEdit | QComboBox


class Field(QWidget):
    """A label and an editor, with an error line below them if there is an error."""

    changed = Signal()
    """The user changed the value. The error is already hidden."""

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
        """The button at the right of the label, if any."""
        self.editor: Editor = QLineEdit() if editor is None else editor
        self.editor.setAccessibleName(name)
        self._label = label(name, "label")
        self._label.setBuddy(self.editor)
        self._error = ErrorLine()
        column_of(self._label, self.editor, self._error, parent=self, margins=0, spacing=6)
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
        """Return the typed text, unchanged."""
        if isinstance(self.editor, QPlainTextEdit):
            return self.editor.toPlainText()
        return self.editor.currentText() if isinstance(self.editor, QComboBox) else self.editor.text()

    def set_text(self, text: str) -> None:
        """Set the text of the editor without a signal."""
        self.editor.blockSignals(True)
        if isinstance(self.editor, QPlainTextEdit):
            self.editor.setPlainText(text)
        elif isinstance(self.editor, QComboBox):
            self.editor.setCurrentText(text)
        else:
            self.editor.setText(text)
            # Show the beginning of a long text, unless the user is typing.
            if not self.editor.hasFocus():
                self.editor.setCursorPosition(0)
        self.editor.blockSignals(False)

    def add_action(self, button: Button) -> None:
        """Put a quiet button at the right of the label."""
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.removeWidget(self._label)
        row = row_of(self._label, 1, button, spacing=8)
        column.insertLayout(0, row)
        # Not much higher than the label, because fields with and without a button can be in one row.
        button.setProperty("inline", True)
        button.setFixedHeight(_ACTION_PX)
        self.action = button

    def reserve_action(self) -> None:
        """Make the label as high as a label with a button, for fields in one row."""
        self._label.setFixedHeight(_ACTION_PX)

    def set_error(self, sentence: str) -> None:
        """Show an error below the editor; an empty text hides it. The typed text stays."""
        self._error.setText(sentence)
        # The preferred height is computed for one width; in another one an error may need more lines.
        vertical_policy = QSizePolicy.Policy.Minimum if sentence else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical_policy)
        self.editor.setAccessibleDescription(sentence)
        self.editor.setProperty("invalid", bool(sentence))
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)

    def error(self) -> str:
        """Return the error below the editor, or ""."""
        return self._error.text()

    def _on_edited(self) -> None:
        if self.error():
            self.set_error("")
        self.changed.emit()


class PasswordField(Field):
    """A password field with a button inside that shows and hides the text.

    For several passwords in a row, see `move_toggles_after`.
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
        # Not a child of the line edit, which would receive the keys that the user types in the button.
        self.toggle = Button(self.tr("Show"), kind=ButtonKind.QUIET, parent=self)
        self.toggle.clicked.connect(self._toggle_echo)
        line.installEventFilter(self)
        self._place_toggle()

    def clear(self) -> None:
        """Clear the text and hide the next one."""
        self.set_text("")
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self.toggle.setText(self.tr("Show"))

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place_toggle()
        return False

    def _toggle_echo(self) -> None:
        hidden = self._line.echoMode() == QLineEdit.EchoMode.Password
        self._line.setEchoMode(QLineEdit.EchoMode.Normal if hidden else QLineEdit.EchoMode.Password)
        self.toggle.setText(self.tr("Hide") if hidden else self.tr("Show"))
        self._place_toggle()

    def _place_toggle(self) -> None:
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


def move_toggles_after(last: QWidget, *fields: PasswordField) -> None:
    """Put the buttons that show the passwords of `fields` after `last` in the tab order.

    Tab then leads from one password to the next, because users who type a password twice do not watch the
    focus. All widgets must already be in one window.
    """
    previous = last
    for field in fields:
        QWidget.setTabOrder(previous, field.toggle)
        previous = field.toggle


class SearchField(QLineEdit):
    """A search field with an icon at the left and the key "/" at the right."""

    searched = Signal(str)
    """The text after a pause of 250 ms in typing, or immediately after Enter."""

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setClearButtonEnabled(True)
        self._last_search = ""
        self._pause = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self._pause.timeout.connect(self._emit_search)
        self.textChanged.connect(lambda _: self._pause.start())
        self.returnPressed.connect(self._emit_search)
        self.setTextMargins(22, 0, 0, 0)
        self._key = label("/", "key")
        self._key.setParent(self)
        self._key.setAlignment(Qt.AlignmentFlag.AlignCenter)
        side = max(18, line_px(LABEL_PX) + 2)
        self._key.setFixedSize(side, side)
        self.textChanged.connect(lambda _: self._update_key_visibility())

    def sizeHint(self) -> QSize:
        """Return a size with enough width for the placeholder, the icon and the key."""
        text_width = self.fontMetrics().horizontalAdvance(self.placeholderText()) + _SEARCH_PADDING_PX + 10
        return QSize(max(250, text_width), super().sizeHint().height())

    def _emit_search(self) -> None:
        self._pause.stop()
        if self.text() != self._last_search:
            self._last_search = self.text()
            self.searched.emit(self._last_search)

    def _update_key_visibility(self) -> None:
        free_width = self.width() - self.fontMetrics().horizontalAdvance(self.placeholderText())
        self._key.setVisible(not self.hasFocus() and not self.text() and free_width > _SEARCH_PADDING_PX)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._update_key_visibility()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._update_key_visibility()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._key.move(self.width() - self._key.width() - 10, (self.height() - self._key.height()) // 2)
        self._update_key_visibility()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_icon(painter, "search", theme_manager().theme.dim, QRectF(10, self.height() / 2 - 7, 14, 14))
        painter.end()


def accept_copy(event: QDropEvent) -> None:
    """Accept a drag or a drop as a copy: after a move, its source would delete the original."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
