"""Listens for other users' changes while a page is visible."""

from __future__ import annotations

import contextlib

from PySide6.QtCore import QObject, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError, Forbidden, NotFound
from desktop.context import Context
from shared.wire.events import ChangeEvent

_RETRY_SECONDS = 2.0


class ChangeListener(QObject):
    """Listens from `start` to `stop`, and reconnects if the service was unavailable.

    Only one listener may be active: `stop` ends every reading of the session's events.
    """

    event_received = Signal(object)
    """Emits a `ChangeEvent`, or None when events were missed and everything must be read again."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._task: Task | None = None
        self._session: Session | None = None
        context.closing.connect(self.stop)

    def start(self) -> None:
        """Start listening, unless already listening."""
        if self._task is None:
            self._session = self._context.session
            self._task = run(
                _read_events,
                self._session,
                owner=self,
                progress=self.event_received.emit,
                done=lambda _: self._end_listening(),
                failed=lambda _: self._end_listening(),
                lane=Lane.LONG,
            )

    def stop(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            if self._session is not None:
                self._session.events.close()

    def _end_listening(self) -> None:
        self._task = None


def _read_events(report: ProgressReport, session: Session) -> None:
    last_event_id: str | None = None

    def handle_event(event: ChangeEvent | None) -> None:
        nonlocal last_event_id
        last_event_id = event.id if event is not None else last_event_id
        report(event)

    while True:
        report.check()
        with contextlib.suppress(ClientError):
            try:
                session.events.read(handle_event, last_event_id, report.check)
            except (Forbidden, NotFound):
                return
        report.wait(_RETRY_SECONDS)
