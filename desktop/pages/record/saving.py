"""Saves only the changed fields of a record, and shows what another user changed in the same fields."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Invalid, Stale
from desktop.context import Context
from desktop.messages.error_messages import field_sentence, sentence
from desktop.pages.record import fields_card as calls
from desktop.pages.record.fields_card import FieldsCard, RecordData
from shared.wire.inspection import RecordUpdate


class RecordSaver(QObject):
    """Sends the changes of the record in `fields`."""

    record_loaded = Signal(object, list)
    """The newer `RecordData`, and the names of the fields whose typed values are kept."""
    saved = Signal()
    """The changes were saved."""
    failed = Signal(str)
    """A sentence that says why saving failed; errors of fields are shown beside them."""

    def __init__(self, context: Context, fields: FieldsCard, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._fields = fields
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
        self._send(record_data, changes)

    def _send(self, record_data: RecordData, changes: dict[str, Any]) -> None:
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
        if isinstance(error, Stale):
            run(
                calls.load_record,
                self._context.session,
                record_data.record.inspection_id,
                owner=self,
                done=lambda newest: self._merge(newest, record_data, changes),
                failed=self._fail,
            )
            return
        messages = (
            {name: field_sentence(error, name) for name in changes} if isinstance(error, Invalid) else {}
        )
        if not any(messages.values()):
            self._fail(error)
            return
        self._stop()
        for name, message in messages.items():
            if message:
                self._fields.show_field_error(name, message)

    def _merge(self, newest: RecordData, base: RecordData, changes: dict[str, Any]) -> None:
        """Send `changes` over the other user's version, unless both users changed the same fields.

        Such fields show the other user's value. As the user has seen it then, saving again overwrites it.
        """
        self.record_loaded.emit(newest, self._fields.changed_fields())
        conflicts = self._fields.show_conflicts(base.record)
        if conflicts.isdisjoint(changes):
            self._send(newest, changes)
            return
        self._stop()
        text = self.tr("Another user modified this. Save again to keep your changes, or discard them.")
        self.failed.emit(text)

    def _fail(self, error: Exception) -> None:
        self._stop()
        self.failed.emit(sentence(error))

    def _stop(self) -> None:
        self.busy = False
        self._fields.save.setEnabled(self._fields.has_changes)


def _update(session: Session, record_data: RecordData, change: RecordUpdate) -> RecordData:
    versioned = session.records.update(record_data.record.inspection_id, change, record_data.etag)
    return calls.load_related(session, versioned)
