"""Imports many items in slices as one undo step, so that the window stays responsive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QProgressDialog, QWidget

from desktop.record.edit_names import EditName
from desktop.record.open_record import OpenRecord
from desktop.record.slices import SLICE_SIZE, Slices
from shared.ids import new_key

_SHOW_AFTER_MS = 500


class BulkImport(QObject):
    """Appends the items of one import to the journal and shows them slice by slice."""

    imported = Signal(int)
    """Emits the number of created items."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self._fields: Sequence[Mapping[str, Any]] = ()
        self._done_count = 0
        self._step = ""
        self._record_id = ""
        self._progress: QProgressDialog | None = None
        self._slices = Slices(open_record.edits.slice_gate, self)

    @property
    def busy(self) -> bool:
        """True while items are being created."""
        return self._slices.is_running

    def start(self, fields: Sequence[Mapping[str, Any]]) -> None:
        """Create an item from each of `fields` in the open record."""
        self._fields, self._done_count, self._step = fields, 0, new_key()
        self._record_id = self._open_record.record_id
        if len(fields) > SLICE_SIZE:
            self._progress = QProgressDialog(
                self.tr("Importing regions…"), self.tr("Stop"), 0, len(fields), self._window
            )
            self._progress.setMinimumDuration(_SHOW_AFTER_MS)
            self._progress.setAutoReset(False)
        self._slices.start(self._import_slice)

    def _import_slice(self) -> bool:
        """True while items are left."""
        open_record, document = self._open_record, self._open_record.document
        stopped = self._progress is not None and self._progress.wasCanceled()
        away = document is None or open_record.record_id != self._record_id
        if (
            document is None
            or away
            or not open_record.editable
            or stopped
            or self._done_count >= len(self._fields)
        ):
            return self._end()
        part = self._fields[self._done_count : self._done_count + SLICE_SIZE]
        edits = (document.make(EditName.IMPORT, each) for each in part)
        has_more = self._done_count + len(part) < len(self._fields)
        if not open_record.edits.do(*edits, step=self._step, has_more=has_more):
            return self._end()
        self._done_count += len(part)
        if self._progress is not None:
            self._progress.setValue(self._done_count)
        return True

    def _end(self) -> bool:
        if self._progress is not None:
            self._progress.close()
            self._progress.deleteLater()
            self._progress = None
        self._fields = ()
        self.imported.emit(self._done_count)
        return False
