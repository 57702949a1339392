"""Sends the journal's edits in the background, in order, until the service has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client.http.errors import ClientError, NotLoggedIn, Unreachable
from desktop.context import Context
from desktop.journal import Journal, JournalError
from desktop.messages.error_messages import sentence
from desktop.record.outbox import Outbox, SendResult, UnshownEdits

# Quick edits in a row (arrow keys, typing) are joined and sent as one.
_GATHER_MS = 250
_FIRST_PAUSE_MS = 1_000
_MAX_PAUSE_MS = 30_000
_SILENCE_MS = 4_000
"""A longer wait for a response is shown as "the service does not answer"."""


@dataclass(frozen=True, slots=True)
class SyncState:
    """Whether the edits have reached the service.

    `unsent_count` is the number of unsent edits, `conflicts` the number of those that need a decision.
    `offline` is True while the service does not answer. `problem` is another reason why edits wait, as a
    sentence.
    """

    unsent_count: int = 0
    conflicts: int = 0
    offline: bool = False
    problem: str = ""


class _Waiting(NamedTuple):
    """What is called when all edits of a record were sent, unless `owner` no longer exists."""

    record_id: str
    callback: Callable[[], None]
    owner: QObject | None


def _send(report: ProgressReport, outbox: Outbox) -> None:
    outbox.send(report)


class OutboxSender(QObject):
    """Sends pending edits.

    `ready_journal` returns the journal and its account, or None while nothing may be sent.
    """

    answered = Signal(object)
    """The `SendResult` of an edit."""
    changed = Signal()
    """`offline`, `hindrance` or the number of unsent edits changed."""

    def __init__(
        self, context: Context, ready_journal: Callable[[], tuple[Journal, str] | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._context, self._ready_journal = context, ready_journal
        self._waiting: list[_Waiting] = []
        self._task: Task | None = None
        self.unshown = UnshownEdits()
        """The edits that the service has, until `answered` is emitted for them."""
        self._pause = _FIRST_PAUSE_MS
        self.offline = False
        """True while the service does not answer."""
        self.hindrance = ""
        """Another reason why edits wait, as a sentence."""
        self.refusals: dict[str, str] = {}
        """The messages of the service by id of the refused edit."""
        self._gather_timer = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather_timer.timeout.connect(self.start)
        self._retry_timer = QTimer(self, singleShot=True)
        self._retry_timer.timeout.connect(self.start)
        self._silence_timer = QTimer(self, singleShot=True, interval=_SILENCE_MS)
        self._silence_timer.timeout.connect(self._on_silence)

    def send_soon(self) -> None:
        """Send new edits after a short delay."""
        if not self._retry_timer.isActive():
            self._gather_timer.start()

    def retry(self) -> None:
        """Send pending edits now."""
        self._retry_timer.stop()
        self.start()

    def on_service_ready(self) -> None:
        """Send pending edits and reset the pause, because the service answers again."""
        self._pause = _FIRST_PAUSE_MS
        self.retry()

    def on_service_unreachable(self) -> None:
        """Show that the service does not answer."""
        self.offline = True
        self.changed.emit()

    def call_when_saved(self, record_id: str, callback: Callable[[], None], owner: QObject | None) -> None:
        """Call `callback` when all edits of the record that can be sent were sent; they are sent first.

        It is not called if `owner` no longer exists.
        """
        self._waiting.append(_Waiting(record_id, callback, owner))
        self.start()

    def _urgent_record(self) -> str | None:
        """The record that something waits for. Called by the thread that sends."""
        return next((waiting.record_id for waiting in tuple(self._waiting)), None)

    def _call_saved(self, journal: Journal) -> None:
        """Call what waits for records that are saved."""
        saved = [
            waiting for waiting in self._waiting if not self.unshown.has_pending(journal, waiting.record_id)
        ]
        self._waiting = [waiting for waiting in self._waiting if waiting not in saved]
        for waiting in saved:
            if waiting.owner is None or shiboken6.isValid(waiting.owner):
                waiting.callback()

    def cancel(self) -> None:
        """Cancel sending. Pending edits stay in the journal."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.unshown.clear()

    def stop(self) -> None:
        """Cancel sending and stop all timers."""
        self.cancel()
        for timer in (self._gather_timer, self._retry_timer, self._silence_timer):
            timer.stop()

    def reset(self) -> None:
        """Cancel sending and reset the state for the journal of another account."""
        self.cancel()
        self.refusals.clear()
        self._waiting.clear()
        self.offline, self.hindrance = False, ""

    def start(self) -> None:
        """Send pending edits unless this is running. If there are none, call the waiting callbacks."""
        self._gather_timer.stop()
        ready_journal = self._ready_journal()
        if ready_journal is None or self._task is not None:
            return
        journal, user_id = ready_journal
        if journal.first_pending_edit() is None:
            self.offline, self.hindrance, self._pause = False, "", _FIRST_PAUSE_MS
            self._call_saved(journal)
            self.changed.emit()
            return
        self._retry_timer.stop()
        self._task = run(
            _send,
            Outbox(self._context.session, journal, self.unshown, user_id, self._urgent_record),
            owner=self,
            progress=self._on_sent,
            done=lambda _: self._on_done(),
            failed=self._on_send_failed,
            lane=Lane.LONG,
        )
        self._silence_timer.start()

    def _on_silence(self) -> None:
        """Show the service as not answering when an edit takes long."""
        if self._task is not None:
            self.on_service_unreachable()

    def _on_sent(self, sent: SendResult) -> None:
        self.unshown.remove(sent.edit.id)
        self._silence_timer.start()
        self.offline, self.hindrance, self._pause = False, "", _FIRST_PAUSE_MS
        if sent.refused is not None:
            self.refusals[sent.edit.id] = sentence(sent.refused)
        self.answered.emit(sent)
        ready_journal = self._ready_journal() if self._waiting else None
        if ready_journal is not None:
            self._call_saved(ready_journal[0])
        self.changed.emit()

    def _on_done(self) -> None:
        self._task = None
        self._silence_timer.stop()
        self.start()

    def _on_send_failed(self, error: Exception) -> None:
        self._task = None
        self._silence_timer.stop()
        if isinstance(error, JournalError):
            # The service has the edit, but the journal could not be written. The service recognizes a
            # repetition.
            self.hindrance = self.tr("Cannot record the sent changes on disk: {why}").format(why=error)
        elif isinstance(error, ClientError):
            self.hindrance = "" if isinstance(error, Unreachable) else sentence(error)
        else:
            self.changed.emit()
            raise error
        self.offline = isinstance(error, Unreachable)
        if not isinstance(error, NotLoggedIn):
            self._retry_timer.start(self._pause)
            self._pause = min(self._pause * 2, _MAX_PAUSE_MS)
        self.changed.emit()
