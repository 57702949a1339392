"""Edits the label of a finding over its row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QComboBox, QWidget

from desktop.localization.detection_terms import finding_word


class LabelEditor(QComboBox):
    """Edits a label, with suggestions by name. It closes when editing ends."""

    labelled = Signal(str)
    """The label, emitted once if the user entered one."""
    left = Signal()
    """Emitted when a key closes it, so that the focus can return."""

    def __init__(self, labels: Sequence[str], current: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("finding-label")
        self.setAccessibleName(self.tr("Finding label"))
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._labels = {finding_word(name): name for name in labels}
        self.addItems(list(self._labels))
        self.setEditText(finding_word(current))
        self._done = self._open = False
        field = self.lineEdit()
        assert field is not None
        # Enter on a selected text takes its completion: without a prefix, that is the first of all labels.
        completer = self.completer()
        assert completer is not None
        completer.setCompletionPrefix(self.currentText())
        field.selectAll()
        field.returnPressed.connect(self.commit)
        self.activated.connect(lambda _place: self._on_picked())

    def commit(self) -> None:
        """Emit the label and close."""
        text = self.currentText().strip()[:255]
        if not self._done:
            self._done = True
            if text:
                self.labelled.emit(self._labels.get(text, text))
            self._go()

    def _on_picked(self) -> None:
        # Qt also says so when the field loses the focus to the list that drops down.
        if not self._open:
            self.commit()

    def event(self, event: QEvent) -> bool:
        """Esc and Enter are meant for this field, not for the commands of the page."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            handled_keys = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.key() in handled_keys:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes without a label."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_without_label()
        else:
            super().keyPressEvent(event)

    def close_without_label(self) -> None:
        """Close; the finding keeps its label."""
        self._done = True
        self._go()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Losing the focus accepts the label."""
        super().focusOutEvent(event)
        # The list that drops down is a window of its own: it takes the focus, and the editor waits for it.
        reasons = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if not self._open and event.reason() not in reasons:
            self.commit()

    def showPopup(self) -> None:
        """Open the list. The editor stays until a label is chosen."""
        self._open = True
        super().showPopup()

    def hidePopup(self) -> None:
        """Called when the list closes."""
        super().hidePopup()
        self._open = False

    def _go(self) -> None:
        by_key = self.hasFocus()
        self.hide()
        if by_key:
            self.left.emit()
        self.deleteLater()
