# ruff: noqa: N815 - Qt signals
"""Keeps the journal of the logged-in user and sends its edits in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.background.workers import Task, run
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.journal import Edit, Journal, JournalBusyError, JournalError
from desktop.journal.state import Conflict
from desktop.pages.workbench.open_record.journal_file import (
    close_journal,
    discard_pending,
    journal_path,
    open_journal,
)
from desktop.pages.workbench.open_record.sliced_undo import SlicedUndo
from desktop.pages.workbench.open_record.slices import SliceGate
from desktop.pages.workbench.sync.sending import OutboxSender


@dataclass(frozen=True, slots=True)
class SyncState:
    """Whether the edits have reached the service.

    `unsent_count` edits have not; `conflicts` of them need a person; `offline`: the service does not answer;
    `problem`: another reason why they wait, as a sentence.
    """

    unsent_count: int = 0
    conflicts: int = 0
    offline: bool = False
    problem: str = ""


class EditSync(QObject):
    """Takes edits, keeps them in the journal, sends them one after the other.

    One per desktop (`EditSync.of`): edits go on being sent while another page is in front, and after a change
    of language. The journal is that of the account; another account gets its own.
    """

    applied = Signal(object)
    """A tuple of edits that the journal just took: a person's, or those of undo and redo."""
    answered = Signal(object)
    """A `SendResult`: what became of an edit at the service."""
    decided = Signal()
    """A conflict was decided or edits were discarded: what is shown follows from the journal again."""
    savingChanged = Signal()
    """`saving` changed."""
    failed = Signal(str)
    """An edit could not be written and was dropped. The text is for the user."""
    unsent_notice = Signal(str)
    """The user logs out while edits wait: what becomes of them, as a sentence."""

    def __init__(self, context: Context) -> None:
        """Use `EditSync.of`."""
        super().__init__(context)
        self._context = context
        self._journal: Journal | None = None
        self._user_id = ""
        self._opening: Task | None = None
        self._wanting: list[Callable[[], None]] = []
        self.slice_gate = SliceGate()
        """Schedules the parts of a large step and showing them."""
        self._sliced_undo = SlicedUndo(self.reverse_step, self.next_step, self.slice_gate, self)
        self.sending = OutboxSender(context, self._ready, self)
        """The sending in the background."""
        self.sending.answered.connect(self.answered)
        self.sending.changed.connect(self.savingChanged)
        self.more = False
        """True when the newest edits of `applied` are a part of a step, and another part follows soon."""
        self.problem = ""
        """Why nothing can be edited, as a sentence; empty when it can."""
        self.held = False
        """True while edits of a crash wait for `keep` or `discard`."""
        context.loginChanged.connect(self._login_changed)
        context.serviceChanged.connect(self._service_changed)
        context.closing.connect(self.close)

    @classmethod
    def of(cls, context: Context) -> EditSync:
        """The edits of this desktop; made when there are none yet."""
        sync = context.findChild(EditSync)
        return sync if isinstance(sync, EditSync) else cls(context)

    # -- the journal

    @property
    def journal(self) -> Journal | None:
        """The open journal; None before `prepare` is through, or when `problem` says why not."""
        return self._journal

    def prepare(self, done: Callable[[], None]) -> None:
        """Open the journal of the logged-in user, then call `done`; at once when it is open."""
        payload = self._context.payload
        if payload is None:
            return
        if self._user_id == payload.user.user_id and self._opening is None:
            if self._journal is not None:
                done()
                return
        elif self._user_id != payload.user.user_id:
            self._retire()
            self._user_id = payload.user.user_id
        self._wanting.append(done)
        if self._opening is None:
            self._opening = run(
                open_journal,
                journal_path(self._user_id),
                owner=self,
                done=self._opened,
                failed=self._not_opened,
            )

    def _opened(self, journal: Journal) -> None:
        self._opening = None
        payload = self._context.payload
        if payload is not None and payload.user.user_id != self._user_id:
            self._user_id = ""
            run(close_journal, journal, owner=None)
            wanting, self._wanting = self._wanting, []
            for done in wanting:
                self.prepare(done)
            return
        self._journal = journal
        self.problem = ""
        self.held = journal.recovered and bool(journal.pending())
        self._report_prepared()
        self.sending.start()

    def _not_opened(self, error: Exception) -> None:
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
        wanting, self._wanting = self._wanting, []
        for done in wanting:
            done()
        self.savingChanged.emit()

    def _retire(self) -> None:
        self.sending.forget()
        journal, self._journal = self._journal, None
        self.held = False
        self.problem = ""
        if journal is not None:
            run(close_journal, journal, owner=None)

    def close(self) -> None:
        """End cleanly: what waits is kept for the next start."""
        self.sending.stop()
        journal, self._journal = self._journal, None
        self._user_id = ""
        if journal is not None:
            close_journal(journal)

    # -- edits

    def do(
        self, *edits: Edit | None, merge_key: str | None = None, step: str | None = None, more: bool = False
    ) -> bool:
        """Append the edits of one step, or of a part of the step with ID `step`; None is skipped.

        `more`: another part follows soon. False when there is nothing to do.
        """
        step_edits = tuple(edit for edit in edits if edit is not None)
        if not step_edits or self._journal is None:
            return False
        try:
            self._journal.append(*step_edits, merge_key=merge_key, step=step)
        except JournalError as error:
            self._say_unwritten(error)
            return False
        self._took(step_edits, more)
        return True

    def undo(self, record_id: str) -> str:
        """Undo the newest step; its label, or an empty string when there is none."""
        return self._sliced_undo.start(record_id, back=True)

    def redo(self, record_id: str) -> str:
        """Redo the step that was undone last; its label, or an empty string when there is none."""
        return self._sliced_undo.start(record_id, back=False)

    def reverse_step(self, record_id: str, back: bool, at_most: int, step: str) -> str:
        """Undo the newest step, or redo the one undone last (not `back`); returns its label, if any.

        Of a large step only `at_most` edits are reversed; parts with the same ID `step` belong together.
        """
        journal = self._journal
        if journal is None:
            return ""
        label = journal.undo_label(record_id) if back else journal.redo_label(record_id)
        try:
            reverse = journal.undo if back else journal.redo
            turned, _ = journal.next_step(record_id, back)
            edits = reverse(record_id, at_most, step)
        except JournalError as error:
            self._say_unwritten(error)
            return ""
        if not edits:
            return ""
        self._took(edits, journal.next_step(record_id, back)[0] == turned)
        return label or ""

    def next_step(self, record_id: str, backwards: bool) -> tuple[str, int]:
        """The step that `reverse_step` would take: its id and its number of edits; an empty id for none."""
        return self._journal.next_step(record_id, backwards) if self._journal is not None else ("", 0)

    def _took(self, edits: tuple[Edit, ...], more: bool) -> None:
        self.more = more
        self.applied.emit(edits)
        self.savingChanged.emit()
        self.sending.soon()

    def _say_unwritten(self, error: JournalError) -> None:
        self.failed.emit(self.tr("Cannot make this change, writing to disk failed: {why}").format(why=error))

    def unsent_edits(self) -> list[Edit]:
        """Every edit that the service does not have."""
        return self._journal.unsent_edits() if self._journal is not None else []

    def unsent_edits_of(self, item_id: str) -> list[Edit]:
        """Every edit of one item that the service does not have."""
        return self._journal.unsent_edits_of(item_id) if self._journal is not None else []

    def service_id(self, item_id: str) -> str:
        """The service's id of an item."""
        return self._journal.service_id(item_id) if self._journal is not None else item_id

    def local_id(self, service_id: str) -> str:
        """The id that the document uses for an item of the service."""
        return self._journal.local_id(service_id) if self._journal is not None else service_id

    # -- conflicts, and what a crash left

    def conflicts(self) -> list[Conflict]:
        """The edits that wait for a person's decision."""
        return self._journal.conflicts() if self._journal is not None else []

    def resolve(self, edit_id: str, after: dict[str, Any]) -> None:
        """Decide a conflict: send these fields anyway; an empty mapping keeps the service's values."""
        if self._journal is not None and self._written(lambda journal: journal.resolve(edit_id, after)):
            self._resolved(edit_id)

    def send_anyway(self, edit_id: str) -> None:
        """Decide a conflict: send the whole edit again, a deletion for example."""
        if self._journal is not None and self._written(lambda journal: journal.send_anyway(edit_id)):
            self._resolved(edit_id)

    def _written(self, write: Callable[[Journal], None]) -> bool:
        """Whether the journal took it; a disk failure is reported."""
        assert self._journal is not None
        try:
            write(self._journal)
        except JournalError as error:
            self._say_unwritten(error)
            return False
        return True

    def _resolved(self, edit_id: str) -> None:
        self.sending.refusals.pop(edit_id, None)
        self.decided.emit()
        self.savingChanged.emit()
        self.sending.start()

    def keep(self) -> None:
        """Send the edits that a crash left."""
        self.held = False
        self.sending.start()

    def discard(self) -> None:
        """Discard the edits that a crash left."""
        if self._journal is None or not self._written(discard_pending):
            return
        self.held = False
        self.decided.emit()
        self.savingChanged.emit()

    # -- sending

    @property
    def saving(self) -> SyncState:
        """Whether everything has reached the service."""
        if self._journal is None:
            return SyncState(problem=self.problem)
        unsent_count = self._journal.unsent_count()
        sending, conflicts = self.sending, len(self._journal.conflicts())
        return SyncState(
            unsent_count,
            conflicts,
            sending.offline and unsent_count > 0,
            sending.hindrance if unsent_count else "",
        )

    @property
    def refusals(self) -> dict[str, str]:
        """Id of a refused edit -> the sentence of the service."""
        return self.sending.refusals

    def when_saved(self, then: Callable[[], None], owner: QObject | None = None) -> None:
        """Call `then` once everything that can be sent has been; at once when it is so already.

        Not called when `owner` no longer exists.
        """
        if self._journal is None or self._journal.first_pending_edit() is None:
            then()
        else:
            self.sending.when_saved(then, owner)

    def retry(self) -> None:
        """Send now what waits."""
        self.sending.retry()

    def _ready(self) -> tuple[Journal, str] | None:
        if self._journal is None or self.held or self._context.payload is None:
            return None
        return self._journal, self._user_id

    def _login_changed(self) -> None:
        payload = self._context.payload
        if payload is not None and payload.user.user_id == self._user_id:
            self.retry()
        elif payload is None and self.saving.unsent_count:
            text = self.tr(
                "%n change(s) saved on this computer. They will be sent when you log in again.",
                "",
                self.saving.unsent_count,
            )
            self.unsent_notice.emit(text)

    def _service_changed(self, state: object) -> None:
        if state is ServiceState.READY:
            self.sending.came_back()
        elif self.saving.unsent_count:
            self.sending.went_away()
