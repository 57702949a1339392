"""Sends the journal's edits in the background, in order, until the service has them."""

from __future__ import annotations

from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client.http.errors import ClientError, NotLoggedIn, Unreachable
from desktop.context import Context
from desktop.journal import Journal, JournalError
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.workbench.sync.outbox import Outbox, SendResult

# Quick edits in a row (arrow keys, typing) join in the journal and travel as one.
_GATHER_MS = 250
_FIRST_PAUSE_MS = 1_000
_LONGEST_PAUSE_MS = 30_000
_SILENCE_MS = 4_000
"""A longer wait for a response is shown as "the service does not answer"."""


def _send(report: ProgressReport, outbox: Outbox) -> None:
    outbox.send(report)


class OutboxSender(QObject):
    """Sends pending edits. `ready` returns the journal and its account, None while nothing may be sent."""

    answered = Signal(object)
    """A `SendResult`: what became of an edit at the service."""
    changed = Signal()
    """`offline` or `hindrance` changed, or there is less to send."""

    def __init__(
        self, context: Context, ready: Callable[[], tuple[Journal, str] | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._context, self._ready = context, ready
        self._settled: list[tuple[Callable[[], None], QObject | None]] = []
        self._sending: Task | None = None
        self._pause = _FIRST_PAUSE_MS
        self.offline = False
        """True while the service does not answer."""
        self.hindrance = ""
        """Another reason why edits wait, as a sentence."""
        self.refusals: dict[str, str] = {}
        """Id of a refused edit -> the sentence of the service."""
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self.start)
        self._retry = QTimer(self, singleShot=True)
        self._retry.timeout.connect(self.start)
        self._silence = QTimer(self, singleShot=True, interval=_SILENCE_MS)
        self._silence.timeout.connect(self._unanswered)

    def soon(self) -> None:
        """Send soon: there are new edits."""
        if not self._retry.isActive():
            self._gather.start()

    def retry(self) -> None:
        """Send pending edits now."""
        self._retry.stop()
        self.start()

    def came_back(self) -> None:
        """The service answers again: send pending edits and reset the timeout."""
        self._pause = _FIRST_PAUSE_MS
        self.retry()

    def went_away(self) -> None:
        """The service does not answer."""
        self.offline = True
        self.changed.emit()

    def when_saved(self, then: Callable[[], None], owner: QObject | None) -> None:
        """Call `then` once everything that can be sent has been; not when `owner` no longer exists."""
        self._settled.append((then, owner))
        self.start()

    def cancel(self) -> None:
        """Cancel the sending; pending edits stay in the journal."""
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def stop(self) -> None:
        """`cancel`, and begin nothing more."""
        self.cancel()
        for timer in (self._gather, self._retry, self._silence):
            timer.stop()

    def forget(self) -> None:
        """`cancel`, and forget the state of this journal: another account's is next."""
        self.cancel()
        self.refusals.clear()
        self._settled.clear()
        self.offline, self.hindrance = False, ""

    def start(self) -> None:
        """Send pending edits, unless that is under way; when there are none, notify those who wait for it."""
        self._gather.stop()
        ready = self._ready()
        if ready is None or self._sending is not None:
            return
        journal, user_id = ready
        if journal.first_pending_edit() is None:
            self.offline, self.hindrance, self._pause = False, "", _FIRST_PAUSE_MS
            settled, self._settled = self._settled, []
            for then, owner in settled:
                if owner is None or shiboken6.isValid(owner):
                    then()
            self.changed.emit()
            return
        self._retry.stop()
        self._sending = run(
            _send,
            Outbox(self._context.session, journal, user_id),
            owner=self,
            progress=self._sent,
            done=lambda _: self._done(),
            failed=self._not_sent,
            lane=Lane.LONG,
        )
        self._silence.start()

    def _unanswered(self) -> None:
        """Show the service as not answering when an edit takes long."""
        if self._sending is not None:
            self.went_away()

    def _sent(self, sent: SendResult) -> None:
        self._silence.start()
        self.offline, self.hindrance, self._pause = False, "", _FIRST_PAUSE_MS
        if sent.refused is not None:
            self.refusals[sent.edit.id] = sentence(sent.refused)
        self.answered.emit(sent)
        self.changed.emit()

    def _done(self) -> None:
        self._sending = None
        self._silence.stop()
        self.start()

    def _not_sent(self, error: Exception) -> None:
        self._sending = None
        self._silence.stop()
        if isinstance(error, JournalError):
            # The service has it, but the journal could not be written: sent again, it is recognized.
            self.hindrance = self.tr("Cannot record the sent changes on disk: {why}").format(why=error)
        elif isinstance(error, ClientError):
            self.hindrance = "" if isinstance(error, Unreachable) else sentence(error)
        else:
            self.changed.emit()
            raise error
        self.offline = isinstance(error, Unreachable)
        if not isinstance(error, NotLoggedIn):
            self._retry.start(self._pause)
            self._pause = min(self._pause * 2, _LONGEST_PAUSE_MS)
        self.changed.emit()
