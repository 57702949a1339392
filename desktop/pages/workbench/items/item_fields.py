"""Edits number, name, description, model and detection settings of an item in place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionFrame,
    QWidget,
)

from desktop.localization.detection_terms import model_word
from desktop.pages.workbench.items.detection_settings_box import DetectionSettingsBox
from desktop.record.document import ItemView
from desktop.theme import ITEM_PX, text_font, theme_manager
from desktop.widgets import Combo, column_of, escape_tooltip, is_enter_key, label, row_of
from shared.wire.detection import DetectionModel

PAUSE_MS = 700
"""Pause in typing, in ms, after which a text is committed. It is also committed when the field is left."""

_LONGEST_NAME = 255
_LONGEST_TEXT = 20_000
_TEXT_INSET = 2
"""Distance of the text of a QLineEdit from its contents' edges, px (`horizontalMargin` in its sources)."""


class NameEdit(QLineEdit):
    """A field that shows a name and edits it in place."""

    committed = Signal(str)
    """The stripped text after a pause in typing or when the field is left. It is never empty."""
    ended = Signal()
    """Enter committed the name, or Escape restored the old one: the focus moves on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("bare", True)
        self.setFont(text_font(ITEM_PX, bold=True))
        self.setStyleSheet(f"QLineEdit {{ font-size: {ITEM_PX}px; font-weight: 600; margin-left: -2px; }}")
        self.setMaxLength(_LONGEST_NAME)
        # It would take a dropped file as its address: files belong to the page.
        self.setAcceptDrops(False)
        self._emitted_text = ""
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.commit)
        self.textEdited.connect(lambda _: self._pause.start())
        self.editingFinished.connect(self._on_editing_finished)

    @property
    def dirty(self) -> bool:
        """True while typed text has not been emitted."""
        return self.text().strip() not in ("", self._emitted_text)

    def show_text(self, text: str) -> None:
        """Show a name, unless the user is typing."""
        if self.hasFocus() and (self.dirty or self.text().strip() == text.strip()):
            self._emitted_text = text.strip()
            return
        if self.text() != text:
            self.setText(text)
            self.setCursorPosition(0)
            self._show_tooltip()
        # As this field would emit it: merely visiting the field must not change the name.
        self._emitted_text = self.text().strip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tooltip()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a name that is longer than the field elided, unless the field has the focus."""
        if self.hasFocus() or not self.toolTip():
            super().paintEvent(event)
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        contents = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        box = contents.adjusted(_TEXT_INSET, 0, -_TEXT_INSET, 0)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, box.width())
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.Text))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _show_tooltip(self) -> None:
        """Show a name that is longer than the field as a tooltip."""
        width = self.contentsRect().width() - 2 * _TEXT_INSET
        wide = self.fontMetrics().horizontalAdvance(self.text()) > width
        self.setToolTip(escape_tooltip(self.text()) if wide else "")

    def commit(self) -> None:
        """Emit the typed text if it changed."""
        self._pause.stop()
        text = self.text().strip()
        if text and text != self._emitted_text:
            self._emitted_text = text
            self.committed.emit(text)

    def forget(self) -> None:
        """Restore the text before the typing that was not emitted."""
        self._pause.stop()
        self.setText(self._emitted_text)

    def _on_editing_finished(self) -> None:
        self.commit()
        if not self.text().strip():
            self.setText(self._emitted_text)
        # As for another item: a long name is shown from its start, and elided because it has a tooltip.
        self.setCursorPosition(0)
        self._show_tooltip()

    def event(self, event: QEvent) -> bool:
        # Escape belongs to what is typed here before it belongs to a command of the page.
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.forget()
            self.ended.emit()
        elif is_enter_key(event):
            self._on_editing_finished()
            self.ended.emit()
        else:
            super().keyPressEvent(event)


class TextEdit(QPlainTextEdit):
    """A text field whose height follows its content."""

    committed = Signal(str)
    """The text after a pause in typing or when the field is left."""

    def __init__(
        self, placeholder: str, *, frameless: bool, lines: int = 1, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._placeholder = placeholder
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._is_frameless, self._lines = frameless, lines
        self._emitted_text = ""
        if frameless:
            self.document().setDocumentMargin(0)
            self.update_colours()
            theme_manager().theme_changed.connect(self.update_colours)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.on_pause)
        self.textChanged.connect(self._on_text_changed)
        self._ignore_changes = False
        self._fit_height()

    def update_colours(self) -> None:
        """Apply the colours of the theme to a frameless field."""
        self.setStyleSheet(
            "QPlainTextEdit { background: transparent; border: 0; padding: 0; min-height: 0;"
            f" color: {theme_manager().theme.dim_text}; }}"
        )

    def setReadOnly(self, on: bool) -> None:
        """Refuse typing, and do not ask for it."""
        super().setReadOnly(on)
        self.setPlaceholderText("" if on else self._placeholder)

    @property
    def dirty(self) -> bool:
        """True while typed text has not been emitted."""
        return self._on_committed() != self._emitted_text

    def show_text(self, text: str) -> None:
        """Show a text, unless the user is typing."""
        if self.hasFocus() and (self.dirty or self.toPlainText().strip() == text.strip()):
            self._emitted_text = text.strip()
            return
        if self.toPlainText() != text:
            self._ignore_changes = True
            self.setPlainText(text)
            self._ignore_changes = False
            self._fit_height()
        self._emitted_text = self._on_committed()

    def on_pause(self) -> None:
        """Handle a pause in typing."""
        self.commit()

    def commit(self) -> None:
        """Emit the typed text if it changed."""
        self._pause.stop()
        text = self._on_committed()
        if text != self._emitted_text:
            self._emitted_text = text
            self.committed.emit(text)

    def forget(self) -> None:
        """Take the typed text for emitted, so that it is not emitted for another item."""
        self._pause.stop()
        self._emitted_text = self._on_committed()

    def _on_committed(self) -> str:
        return self.toPlainText().strip()[:_LONGEST_TEXT]

    def _on_text_changed(self) -> None:
        if not self._ignore_changes:
            self._pause.start()
            self._fit_height()

    def _fit_height(self) -> None:
        # The document's height counts lines here, as in every QPlainTextEdit.
        lines = min(max(round(self.document().size().height()), self._lines), 8)
        frame = 2 if self._is_frameless else 24
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
        else:
            super().keyPressEvent(event)


class ItemFields(QWidget):
    """The fields for number, name, description, model and detection settings."""

    renamed = Signal(str)
    ended = Signal()
    """Emitted when editing the name ends."""
    described = Signal(str)
    model_picked = Signal(object)
    """The id of the chosen model, or None."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = label("", "label")
        self.name = NameEdit()
        self.name.setObjectName("item-name")
        self.name.setAccessibleName(self.tr("Item name"))
        self.description = TextEdit(self.tr("Add description"), frameless=True)
        self.description.setObjectName("item-description")
        self.description.setAccessibleName(self.tr("Description"))
        self.model = Combo(self.tr("Detection model"))
        self.model.setObjectName("item-model")
        self.model.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.model.setMinimumContentsLength(8)
        self.detection_settings = DetectionSettingsBox()
        self._models: Sequence[DetectionModel] = ()
        self.detection = QWidget()
        """Model and settings, which the inspector places beside the detection they belong to."""
        self._build()
        self.name.committed.connect(self.renamed)
        self.name.ended.connect(self.ended)
        self.description.committed.connect(self.described)
        self.model.picked.connect(self.model_picked)

    def _build(self) -> None:
        column_of(self.number, self.name, self.description, parent=self, margins=0, spacing=2)
        choice = row_of(label(self.tr("Detection model"), "label"), (self.model, 1), spacing=10)
        column_of(choice, self.detection_settings, parent=self.detection, margins=0, spacing=2)

    def set_models(self, models: Sequence[DetectionModel]) -> None:
        """Set the models to choose from."""
        self._models = models

    def commit(self) -> None:
        """Emit typed text that has not been emitted yet."""
        self.name.commit()
        self.description.commit()

    def show_item(self, item: ItemView, number: int) -> None:
        """Show an item. Texts that the user is typing are not replaced."""
        self.number.setText(self.tr("Item {n}").format(n=number))
        self.name.show_text(item.item_name)
        self.description.show_text(item.description or "")
        choices: list[tuple[object, str]] = [(None, self.tr("No model"))]
        choices += [
            (model.model_id, model_word(model.model_id, model.model_name))
            for model in self._models
            if model.enabled or model.model_id == item.model_id
        ]
        if item.model_id not in [value for value, _ in choices]:
            # A model that this service does not know stays what it is.
            choices.append((item.model_id, model_word(item.model_id, item.model_name)))
        if [self.model.itemData(i) for i in range(self.model.count())] != [value for value, _ in choices]:
            self.model.set_choices(choices)
        self.model.set_value(item.model_id)

    def set_editable(self, on: bool) -> None:
        """Enable or disable editing."""
        self.name.setReadOnly(not on)
        self.description.setReadOnly(not on)
        self.model.setEnabled(on)
        self.detection_settings.set_editable(on)
