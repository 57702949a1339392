"""Watches a remote service (`--server URL`) and reports its state."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from PySide6.QtCore import QObject, QTimer

from desktop.background.workers import run
from desktop.connection.local_service import ServiceState

READY_EVERY_MS = 10_000
LOST_EVERY_MS = 2_000
_ANSWER_SECONDS = 4.0
_PATIENT_MISSES = 5


def answers(base_url: str) -> bool:
    """True when a Walkaround service at `base_url` is alive; never raises."""
    try:
        reply = httpx.get(f"{base_url.rstrip('/')}/healthz", timeout=_ANSWER_SECONDS, trust_env=False)
        return bool(reply.json() == {"status": "ok"})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return False


class RemoteWatch(QObject):
    """Asks again and again whether the service answers.

    READY while it does, RESTARTING when it stopped to, FAILED when that lasts or it never did.
    """

    def __init__(self, base_url: str, on_state: Callable[[ServiceState], None], parent: QObject) -> None:
        super().__init__(parent)
        self._base_url = base_url
        self._on_state = on_state
        self._misses = 0
        self._was_ready = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.ask)

    def ask(self) -> None:
        """Ask now, and go on asking."""
        self._timer.stop()
        run(answers, self._base_url, owner=self, done=self._heard)

    def _heard(self, alive: bool) -> None:
        if alive:
            self._misses, self._was_ready = 0, True
            self._on_state(ServiceState.READY)
        else:
            self._misses += 1
            patient = self._was_ready and self._misses < _PATIENT_MISSES
            self._on_state(ServiceState.RESTARTING if patient else ServiceState.FAILED)
        self._timer.start(READY_EVERY_MS if alive else LOST_EVERY_MS)
