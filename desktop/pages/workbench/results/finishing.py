"""Finishes the record and writes its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Conflict
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.report_file import ReportFileController, report_options
from desktop.pages.sealing.finish_dialog import (
    FinishDialog,
    FinishSummary,
    UndecidedItem,
    UninspectedItem,
    WaitingItem,
)
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import inspected_region
from desktop.record.saved_wait import SavedWait
from desktop.report.collect import collect
from desktop.widgets import KeyBarrier, status_text
from shared.names import user_label
from shared.record import results
from shared.record.codes import Verdict
from shared.wire.inspection import Photo, Record
from shared.wire.seal import RecordSeal


class FinishController(QObject):
    """Finishes the open record and writes its report."""

    undecided = Signal(str)
    """Emits the ID of the first item to decide before the record can be finished."""
    finished = Signal()
    """The service finished the record."""
    notice = Signal(str)
    """A message for the user."""
    written = Signal(str)
    """The path of a report that was written."""

    def __init__(
        self, open_record: OpenRecord, count_unassigned_photos: Callable[[], int], window: QWidget
    ) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self._count_unassigned_photos = count_unassigned_photos
        self._key_barrier = KeyBarrier(window)
        self._file = ReportFileController(window)
        self._file.notice.connect(self.notice)
        self._file.written.connect(self.written)

    def finish(self) -> None:
        """Ask, then finish the record. Undecided items are signed only when the user agrees."""
        open_record = self._open_record
        if open_record.document is None:
            return
        if not open_record.rows:
            self.notice.emit(self.tr("Cannot finish a record without items. Draw a region first."))
        else:
            # A key that is pressed before the dialog is open is meant for it, not for the page behind.
            self._key_barrier.raise_until_dialog()
            SavedWait(open_record, self._read_photos, self._on_unsaved, self)

    def _read_photos(self) -> None:
        # An opinion and an inspection count for the newest photo only, which another desktop may have added.
        run(
            self._open_record.context.session.items.record_photos,
            self._open_record.record_id,
            owner=self,
            done=partial(self._on_photos_read, self._open_record.record_id),
            failed=self._on_failed,
        )

    def _on_photos_read(self, record_id: str, photos: Sequence[Photo]) -> None:
        if self._open_record.record_id != record_id:
            self._key_barrier.lift()
            return
        newest = {
            photo.item_id: photo.file_id for photo in sorted(photos, key=lambda photo: photo.created_at)
        }
        self._ask(newest)

    def _ask(self, newest_photo: Mapping[str, str]) -> None:
        open_record = self._open_record
        if open_record.document is None:
            return
        finish = FinishSummary(
            open_record.counters,
            self._undecided_items(newest_photo),
            open_record.finding_context.me[1],
            self._count_unassigned_photos(),
            self._waiting_items(),
            self._uninspected_items(newest_photo),
        )
        dialog = FinishDialog(finish, self._window)
        dialog.go_to_item_requested.connect(self.undecided)
        listed = [item.item_id for item in finish.undecided]
        dialog.accepted.connect(lambda: self.finish_now(listed if dialog.accepts_opinion else ()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        self._key_barrier.lift()

    def _waiting_items(self) -> list[WaitingItem]:
        open_record = self._open_record
        rows = {row.item_id: row for row in open_record.rows}
        return [
            WaitingItem(item_id, rows[item_id].number, rows[item_id].name, self._waiting_text(item_id))
            for item_id in open_record.waiting
        ]

    def _waiting_text(self, item_id: str) -> str:
        draft = self._open_record.verdict_drafts.get(item_id)
        if draft is None:
            is_refused = item_id in {
                conflict.edit.object_id for conflict in self._open_record.edits.conflicts()
            }
            return self.tr("change refused") if is_refused else self.tr("correction not saved")
        verdict = status_text(draft.verdict.value)
        if draft.reason:
            return self.tr("{verdict}, reason not complete").format(verdict=verdict)
        return self.tr("{verdict}, reason missing").format(verdict=verdict)

    def _undecided_items(self, newest_photo: Mapping[str, str]) -> list[UndecidedItem]:
        open_record, undecided = self._open_record, []
        for row in open_record.rows:
            item = (
                None
                if row.is_judged or open_record.document is None
                else open_record.document.item(row.item_id)
            )
            if item is None:
                continue
            photo = newest_photo.get(open_record.edits.service_id(row.item_id))
            opinion = None
            region = inspected_region(item, open_record.link.record_file)
            if results.acceptable_version(item.result, photo, region) is not None:
                opinion = Verdict.PASSED if results.model_opinion(item.result) else Verdict.FAILED
            entry = results.finished_detection(item.result)
            is_corrected = entry is not None and results.is_correction(entry)
            undecided.append(UndecidedItem(row.item_id, row.number, row.name, opinion, is_corrected))
        return undecided

    def _uninspected_items(self, newest_photo: Mapping[str, str]) -> list[UninspectedItem]:
        open_record, uninspected = self._open_record, []
        for row in open_record.rows:
            item = None if open_record.document is None else open_record.document.item(row.item_id)
            if item is None or item.verdict is not Verdict.PASSED:
                continue
            photo = newest_photo.get(open_record.edits.service_id(row.item_id))
            region = inspected_region(item, open_record.link.record_file)
            gap = results.inspection_gap(item.result, photo, region)
            if gap is not None:
                coverage = results.entry_coverage(results.finished_detection(item.result))
                uninspected.append(UninspectedItem(row.item_id, row.number, row.name, gap, coverage))
        return uninspected

    def finish_now(self, accepted: Sequence[str] = ()) -> None:
        """Finish the record without a question when all edits are saved.

        `accepted` are the items on which the user signs the model's opinion. While an item waits, nothing is
        finished.
        """
        waiting = self._open_record.waiting
        if waiting:
            self.notice.emit(self.tr("Cannot finish: an item waits for you."))
            self.undecided.emit(waiting[0])
            return
        SavedWait(self._open_record, lambda: self._send(accepted), self._on_unsaved, self)

    def _send(self, accepted: Sequence[str]) -> None:
        run(
            _finish,
            self._open_record.context.session,
            self._open_record.record_id,
            [self._open_record.edits.service_id(item_id) for item_id in accepted],
            owner=self,
            done=self._on_finished,
            failed=self._on_failed,
        )

    def _on_finished(self, answer: tuple[Record, RecordSeal]) -> None:
        self._open_record.update_record(*answer)
        self.finished.emit()

    def _on_unsaved(self, why: str) -> None:
        self._key_barrier.lift()
        self.notice.emit(why)

    def _on_failed(self, error: Exception) -> None:
        self._key_barrier.lift()
        self.notice.emit(sentence(error))
        if isinstance(error, Conflict):
            named = error.details.get("items") or []
            if named:
                self.undecided.emit(self._open_record.edits.local_id(str(named[0].get("item_id", ""))))

    # -- the report

    def report(self) -> None:
        """Ask where, then write the report."""
        document = self._open_record.document
        if document is None:
            return
        path = self._file.ask(document.record.inspection_name or "")
        if path is not None:
            self.write(path)

    def write(self, path: Path) -> None:
        """Write the report to `path` as a PDF or, by its suffix, as a web page, with progress and cancel."""
        SavedWait(self._open_record, lambda: self._write(path), self._on_unsaved, self, patient=True)

    def _write(self, path: Path) -> None:
        payload = self._open_record.context.payload
        by = "" if payload is None else user_label(payload.user.name, payload.user.username)
        context, record_id = self._open_record.context, self._open_record.record_id
        options = report_options(context)
        self._file.write(partial(collect, context.session, record_id, by, options=options), path)


def show_folder(path: str) -> None:
    """Open the folder of a file in the system's own way."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(path).parent)))


def _finish(session: Session, record_id: str, accepted: Sequence[str]) -> tuple[Record, RecordSeal]:
    record = session.records.finish(
        record_id, accept_model_opinion=bool(accepted), item_ids=list(accepted) or None
    )
    return record, session.records.seal(record_id)
