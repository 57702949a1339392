"""Saves only the changed fields of a record, and asks if another user changed the same fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Invalid, Stale
from desktop.context import Context
from desktop.messages.error_messages import field_sentence, sentence
from desktop.pages.common.lists.list_section import NOTHING
from desktop.pages.record import fields_card as calls
from desktop.pages.record.fields_card import FieldsCard, RecordData, conflicting_fields
from desktop.widgets import Button, ButtonKind, Dialog, label, row_of, status_text, wrap_button_text
from shared.record.codes import Status
from shared.wire.inspection import RecordUpdate

_VALUE_PX = 220
"""The width in px at which a value wraps."""


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """A field that two users changed: its name in the service and on the page, and both values as text."""

    field: str
    name: str
    local: str
    stored: str


class FieldConflictDialog(Dialog):
    """Asks for each field which value to keep. The current user's value is preselected."""

    def __init__(self, conflicts: Sequence[FieldConflict], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Record modified by another user"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(640)
        self._groups: dict[str, QButtonGroup] = {}
        self.choices: dict[str, tuple[QRadioButton, QRadioButton]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(14)
        column.addWidget(label(self.tr("Record modified by another user"), "item"))
        text = self.tr(
            "You and another user both changed these fields. Select the value to keep for each. All "
            "other changes are kept."
        )
        column.addWidget(label(text, "dim", wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(10)
        grid.addWidget(label(self.tr("Mine"), "label"), 0, 1)
        grid.addWidget(label(self.tr("Theirs"), "label"), 0, 2)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for row, conflict in enumerate(conflicts, 1):
            values = [value or NOTHING for value in (conflict.local, conflict.stored)]
            local, stored = (
                QRadioButton(wrap_button_text(value, self.fontMetrics(), _VALUE_PX)) for value in values
            )
            local.setChecked(True)
            group = QButtonGroup(self)
            column_titles = (self.tr("Mine"), self.tr("Theirs"))
            for column_number, button in enumerate((local, stored), 1):
                button.setAccessibleName(
                    f"{conflict.name}, {column_titles[column_number - 1]}: {values[column_number - 1]}"
                )
                group.addButton(button)
                grid.addWidget(button, row, column_number)
            grid.addWidget(label(conflict.name, "dim"), row, 0)
            self._groups[conflict.field] = group
            self.choices[conflict.field] = (local, stored)
        column.addLayout(grid)
        button_row = row_of(1)
        cancel = Button(self.tr("Cancel"))
        self.save = Button(self.tr("Save"), kind=ButtonKind.MAIN)
        cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.accept)
        self.save.setDefault(True)
        button_row.addWidget(cancel)
        button_row.addWidget(self.save)
        column.addSpacing(4)
        column.addLayout(button_row)

    def stored_fields(self) -> set[str]:
        """The fields that get the other user's value."""
        return {field for field, (_, stored) in self.choices.items() if stored.isChecked()}


class RecordSaver(QObject):
    """Sends the changes of the record in `fields`, and asks above `window` about conflicts."""

    record_loaded = Signal(object, list)
    """The newer `RecordData`, and the names of the fields whose typed values are kept."""
    saved = Signal()
    """The changes were saved."""
    failed = Signal(str)
    """A sentence that says why saving failed; errors of fields are shown beside them."""

    def __init__(self, context: Context, fields: FieldsCard, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._fields = fields
        self._window = window
        self._sent_texts: dict[str, str] = {}
        self.busy = False

    def save(self, record_data: RecordData) -> None:
        """Send the fields that differ from `record_data`."""
        if self.busy:
            return
        try:
            changes = self._fields.changes()
        except ValueError:
            return
        if changes:
            self.send(record_data, changes)

    def send(self, record_data: RecordData, changes: dict[str, Any]) -> None:
        """Send `changes` of `record_data`. Other typed values are not sent."""
        self.busy = True
        self._sent_texts = {
            name: self._fields.field_text(name) for name in changes if name in self._fields.fields
        }
        self._fields.save.setEnabled(False)
        run(
            _update,
            self._context.session,
            record_data,
            RecordUpdate(**changes),
            owner=self,
            done=self._on_saved,
            failed=lambda error: self._on_save_failed(error, record_data, changes),
        )

    def _on_saved(self, record_data: RecordData) -> None:
        self.busy = False
        # Values that were not sent, or were typed while the request was running, are kept.
        unsent = [
            name
            for name in self._fields.changed_fields()
            if self._sent_texts.get(name) != self._fields.field_text(name)
        ]
        self.record_loaded.emit(record_data, unsent)
        self.saved.emit()

    def _on_save_failed(self, error: Exception, record_data: RecordData, changes: dict[str, Any]) -> None:
        self.busy = False
        self._fields.save.setEnabled(True)
        if isinstance(error, Stale):
            run(
                calls.load_record,
                self._context.session,
                record_data.record.inspection_id,
                owner=self,
                done=lambda newest: self._resolve_conflict(newest, record_data, changes),
                failed=lambda problem: self.failed.emit(sentence(problem)),
            )
            return
        messages = (
            {name: field_sentence(error, name) for name in changes} if isinstance(error, Invalid) else {}
        )
        for name, message in messages.items():
            if message:
                self._fields.show_field_error(name, message)
        if not any(messages.values()):
            self.failed.emit(sentence(error))

    def _resolve_conflict(self, newest: RecordData, base: RecordData, changes: dict[str, Any]) -> None:
        """Ask about the fields that both users changed, then save over the other user's version."""
        conflicting = [
            name
            for name in conflicting_fields(newest.record, base.record, changes)
            if name in self._fields.fields
        ]
        if not conflicting:
            self._save_over(newest, changes)
            return
        conflicts = [
            FieldConflict(
                name,
                self._fields.names[name],
                _local_text(changes[name], self._fields.field_text(name)),
                self._fields.stored_text(newest, name),
            )
            for name in conflicting
        ]
        dialog = FieldConflictDialog(conflicts, self._window)
        dialog.accepted.connect(
            lambda: self._save_over(
                newest, {name: value for name, value in changes.items() if name not in dialog.stored_fields()}
            )
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _save_over(self, newest: RecordData, changes: dict[str, Any]) -> None:
        self.record_loaded.emit(newest, list(changes))
        if changes:
            self.send(newest, changes)


def _update(session: Session, record_data: RecordData, change: RecordUpdate) -> RecordData:
    versioned = session.records.update(record_data.record.inspection_id, change, record_data.etag)
    return calls.load_related(session, versioned)


def _local_text(value: Any, field_text: str) -> str:
    """The text of a value to send; `field_text` is the text of its field."""
    if value is None:
        return ""
    return status_text(value) if isinstance(value, Status) else field_text
