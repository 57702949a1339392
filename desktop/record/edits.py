"""Keeps the journal of the logged-in user and sends its edits in the background."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QObject, Signal

from desktop.background.workers import Task, run
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.journal import Edit, Journal, JournalBusyError, JournalError
from desktop.journal.state import Conflict
from desktop.record.sending import OutboxSender, SyncState
from desktop.record.slices import SlicedUndo, SliceGate
from desktop.user_folders import APP

_log = logging.getLogger(__name__)

_COMPACT_BYTES = 4_000_000


def journal_path(user_id: str) -> Path:
    """The path of an account's journal, in the user's data folder."""
    name = re.sub(r"[^A-Za-z0-9-]", "_", user_id)
    return Path(platformdirs.user_data_dir(APP, appauthor=False)) / "journal" / f"{name}.journal"


def open_journal(path: Path) -> Journal:
    """Open the journal at `path`, and compact it if it is large. Raises JournalError."""
    journal = Journal.open(path)
    if path.stat().st_size > _COMPACT_BYTES:
        try:
            journal.compact()
        except JournalError as error:
            # The disk is full. The journal works without being compacted.
            _log.warning("%s", error)
    return journal


def close_journal(journal: Journal) -> None:
    """Close the journal. If its last line cannot be written, the next start treats the end as a crash."""
    try:
        journal.close()
    except JournalError as error:
        _log.warning("%s", error)


class RecordEdits(QObject):
    """Writes edits to the journal and sends them in order.

    There is one per desktop (`RecordEdits.of`), so that edits are sent while another page is visible and
    after a change of the language. Each account has its own journal.
    """

    applied = Signal(object)
    """A tuple of the edits that were just written: those of the user, of undo or of redo."""
    answered = Signal(object)
    """The `SendResult` of an edit."""
    decided = Signal()
    """A conflict was decided or edits were discarded, so that the view must be recomputed."""
    saving_changed = Signal()
    """`saving` changed."""
    failed = Signal(str)
    """An edit could not be written and was dropped. The text is for the user."""
    unsent_notice = Signal(str)
    """The user logs out while edits are unsent. The text says when they will be sent."""

    def __init__(self, context: Context) -> None:
        """Create it without a journal. Callers use `RecordEdits.of`."""
        super().__init__(context)
        self._context = context
        self._journal: Journal | None = None
        self._user_id = ""
        self._opening: Task | None = None
        self._waiting_callbacks: list[Callable[[], None]] = []
        self.slice_gate = SliceGate()
        """Schedules the parts of a large step and their display."""
        self._sliced_undo = SlicedUndo(self.reverse_step, self.next_step, self.slice_gate, self)
        self.sending = OutboxSender(context, self._ready_journal, self)
        """The sending in the background."""
        self.sending.answered.connect(self.answered)
        self.sending.changed.connect(self.saving_changed)
        self.has_more = False
        """True if the newest edits of `applied` are a part of a step and another part follows soon."""
        self.problem = ""
        """The reason why editing is not possible, as a sentence; empty if it is possible."""
        self.held = False
        """True while edits from a crash wait for `send_recovered` or `discard_recovered`."""
        context.login_changed.connect(self._on_login_changed)
        context.service_changed.connect(self._on_service_changed)
        context.closing.connect(self.close)

    @classmethod
    def of(cls, context: Context) -> RecordEdits:
        """The `RecordEdits` of this desktop. It is created by the first call."""
        sync = context.findChild(RecordEdits)
        return sync if isinstance(sync, RecordEdits) else cls(context)

    # -- the journal

    @property
    def journal(self) -> Journal | None:
        """The open journal; None before `prepare` is complete, or if there is a `problem`."""
        return self._journal

    def prepare(self, done: Callable[[], None]) -> None:
        """Open the journal of the logged-in user, then call `done`; immediately if it is open."""
        payload = self._context.payload
        if payload is None:
            return
        if self._user_id == payload.user.user_id and self._opening is None:
            if self._journal is not None:
                done()
                return
        elif self._user_id != payload.user.user_id:
            self._close_journal()
            self._user_id = payload.user.user_id
        self._waiting_callbacks.append(done)
        if self._opening is None:
            self._opening = run(
                open_journal,
                journal_path(self._user_id),
                owner=self,
                done=self._on_journal_opened,
                failed=self._on_open_failed,
            )

    def _on_journal_opened(self, journal: Journal) -> None:
        self._opening = None
        payload = self._context.payload
        if payload is not None and payload.user.user_id != self._user_id:
            self._user_id = ""
            run(close_journal, journal, owner=None)
            callbacks, self._waiting_callbacks = self._waiting_callbacks, []
            for done in callbacks:
                self.prepare(done)
            return
        self._journal = journal
        self.problem = ""
        self.held = journal.recovered and bool(journal.pending_edits())
        self._report_prepared()
        self.sending.start()

    def _on_open_failed(self, error: Exception) -> None:
        self._opening = None
        if isinstance(error, JournalBusyError):
            self.problem = self.tr(
                "Walkaround is open in another window with this account. Edit there; this window is "
                "read-only."
            )
        elif isinstance(error, JournalError):
            self.problem = self.tr("Cannot save changes on this computer: {why}").format(why=error)
        else:
            raise error
        self._report_prepared()

    def _report_prepared(self) -> None:
        callbacks, self._waiting_callbacks = self._waiting_callbacks, []
        for done in callbacks:
            done()
        self.saving_changed.emit()

    def _close_journal(self) -> None:
        self.sending.reset()
        journal, self._journal = self._journal, None
        self.held = False
        self.problem = ""
        if journal is not None:
            run(close_journal, journal, owner=None)

    def close(self) -> None:
        """Close the journal. Unsent edits are sent after the next start."""
        self.sending.stop()
        journal, self._journal = self._journal, None
        self._user_id = ""
        if journal is not None:
            close_journal(journal)

    # -- edits

    def do(
        self,
        *edits: Edit | None,
        merge_key: str | None = None,
        step: str | None = None,
        has_more: bool = False,
    ) -> bool:
        """Append the edits of one step, or of a part of the step with ID `step`. None is skipped.

        `has_more` announces another part. Returns False when nothing was written.
        """
        step_edits = tuple(edit for edit in edits if edit is not None)
        if not step_edits or self._journal is None:
            return False
        try:
            self._journal.append(*step_edits, merge_key=merge_key, step=step)
        except JournalError as error:
            self._report_write_error(error)
            return False
        self._on_appended(step_edits, has_more)
        return True

    def undo(self, record_id: str) -> str:
        """Undo the newest step. Returns its label, or an empty string when there is none."""
        return self._sliced_undo.start(record_id, backwards=True)

    def redo(self, record_id: str) -> str:
        """Redo the step that was undone last. Returns its label, or an empty string when there is none."""
        return self._sliced_undo.start(record_id, backwards=False)

    def end_history(self, record_id: str, edition: int) -> None:
        """Let undo and redo not reach behind a seal of the record."""
        if self._journal is not None:
            self._write(lambda journal: journal.end_history(record_id, edition))

    def reverse_step(self, record_id: str, backwards: bool, limit: int, step: str) -> str:
        """Undo the newest step (`backwards`), or redo the last undone one. Returns its label, if any.

        At most `limit` edits of a step are reversed. Parts with the same ID `step` belong together.
        """
        journal = self._journal
        if journal is None:
            return ""
        label = journal.next_label(record_id, backwards)
        try:
            reverse = journal.undo if backwards else journal.redo
            reversed_id, _ = journal.next_step(record_id, backwards)
            edits = reverse(record_id, limit, step)
        except JournalError as error:
            self._report_write_error(error)
            return ""
        if not edits:
            return ""
        self._on_appended(edits, journal.next_step(record_id, backwards)[0] == reversed_id)
        return label or ""

    def next_step(self, record_id: str, backwards: bool) -> tuple[str, int]:
        """The id and the number of edits of the step that `reverse_step` would reverse; an empty id for
        none."""
        return self._journal.next_step(record_id, backwards) if self._journal is not None else ("", 0)

    def _on_appended(self, edits: tuple[Edit, ...], has_more: bool) -> None:
        self.has_more = has_more
        self.applied.emit(edits)
        self.saving_changed.emit()
        self.sending.send_soon()

    def _report_write_error(self, error: JournalError) -> None:
        self.failed.emit(self.tr("Cannot make this change, writing to disk failed: {why}").format(why=error))

    def unsent_edits(self) -> list[Edit]:
        """All edits whose response has not arrived."""
        return self.sending.unshown.with_unsent(self._journal) if self._journal is not None else []

    def unsent_edits_of(self, item_id: str) -> list[Edit]:
        """The edits of one item whose response has not arrived."""
        if self._journal is None:
            return []
        return self.sending.unshown.with_unsent_of(self._journal, item_id)

    def service_id(self, item_id: str) -> str:
        """The service's id of an item."""
        return self._journal.service_id(item_id) if self._journal is not None else item_id

    def local_id(self, service_id: str) -> str:
        """The id that the document uses for an item of the service."""
        return self._journal.local_id(service_id) if self._journal is not None else service_id

    # -- conflicts and edits from a crash

    def conflicts(self) -> list[Conflict]:
        """The conflicts that the user has not decided."""
        return self._journal.conflicts() if self._journal is not None else []

    def resolve(self, edit_id: str, after: dict[str, Any]) -> None:
        """Decide a conflict by sending these fields again. An empty mapping keeps the service's values."""
        if self._journal is not None and self._write(lambda journal: journal.resolve(edit_id, after)):
            self._on_resolved(edit_id)

    def send_anyway(self, edit_id: str) -> None:
        """Decide a conflict by sending the whole edit again, such as a deletion."""
        if self._journal is not None and self._write(lambda journal: journal.send_anyway(edit_id)):
            self._on_resolved(edit_id)

    def _write(self, write: Callable[[Journal], None]) -> bool:
        """Write to the journal. Reports a disk failure and returns False then."""
        assert self._journal is not None
        try:
            write(self._journal)
        except JournalError as error:
            self._report_write_error(error)
            return False
        return True

    def _on_resolved(self, edit_id: str) -> None:
        self.sending.refusals.pop(edit_id, None)
        self.decided.emit()
        self.saving_changed.emit()
        self.sending.start()

    def send_recovered(self) -> None:
        """Send the edits from a crash."""
        self.held = False
        self.sending.start()

    def discard_recovered(self) -> None:
        """Discard the edits from a crash."""
        if self._journal is None or not self._write(Journal.discard_pending):
            return
        self.held = False
        self.decided.emit()
        self.saving_changed.emit()
        # Nothing is left to send: this calls what waits until the edits are saved.
        self.sending.start()

    # -- sending

    @property
    def save_state(self) -> SyncState:
        """The state of the unsent edits."""
        if self._journal is None:
            return SyncState(problem=self.problem)
        unsent_count = self.sending.unshown.count(self._journal)
        sending, conflicts = self.sending, len(self._journal.conflicts())
        return SyncState(
            unsent_count,
            conflicts,
            sending.offline and unsent_count > 0,
            sending.hindrance if unsent_count else "",
        )

    @property
    def refusals(self) -> dict[str, str]:
        """The messages of the service by id of the refused edit."""
        return self.sending.refusals

    def call_when_saved(
        self, record_id: str, callback: Callable[[], None], owner: QObject | None = None
    ) -> None:
        """Call `callback` when all edits of the record that can be sent were sent, possibly immediately.

        They are sent before those of other records. It is not called if `owner` no longer exists.
        """
        if self._journal is None or not self.sending.unshown.has_pending(self._journal, record_id):
            callback()
        else:
            self.sending.call_when_saved(record_id, callback, owner)

    def retry(self) -> None:
        """Send unsent edits now."""
        self.sending.retry()

    def _ready_journal(self) -> tuple[Journal, str] | None:
        if self._journal is None or self.held or self._context.payload is None:
            return None
        return self._journal, self._user_id

    def _on_login_changed(self) -> None:
        payload = self._context.payload
        if payload is not None and payload.user.user_id == self._user_id:
            self.retry()
        elif payload is None and self.save_state.unsent_count:
            text = self.tr(
                "%n change(s) saved on this computer. They will be sent when you log in again.",
                "",
                self.save_state.unsent_count,
            )
            self.unsent_notice.emit(text)

    def _on_service_changed(self, state: object) -> None:
        if state is ServiceState.READY:
            self.sending.on_service_ready()
        elif self.save_state.unsent_count:
            self.sending.on_service_unreachable()
