"""Watches a remote service (`--server URL`) and reports its state."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import run
from desktop.client.http.errors import Unreachable
from desktop.client.http.trust import ServerContext, add_fingerprint, trust_error
from desktop.connection.local_service import ServiceState

READY_EVERY_MS = 10_000
LOST_EVERY_MS = 2_000
_ANSWER_SECONDS = 4.0
_PATIENT_MISSES = 5


def is_answering(base_url: str, fingerprint: str | None = None) -> bool:
    """True when a Walkaround service at `base_url` is alive.

    `fingerprint`: the one that its key has to have; None: the system has to trust its certificate. Raises
    Untrusted, with the fingerprint that it shows, and nothing else.
    """
    try:
        reply = httpx.get(
            f"{base_url.rstrip('/')}/healthz",
            timeout=_ANSWER_SECONDS,
            trust_env=False,
            verify=ServerContext(fingerprint),
        )
        return bool(reply.json() == {"status": "ok"})
    except httpx.TransportError as error:
        untrusted = trust_error(error)
        if untrusted is None:
            return False
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return False
    try:
        shown = add_fingerprint(untrusted, base_url)
    except Unreachable:
        return False
    raise shown


class RemoteWatch(QObject):
    """Asks repeatedly whether the service answers.

    READY while it does, RESTARTING when it stopped to, FAILED when that lasts or it never did. `fingerprint`
    as for `is_answering`; it may be changed at any time.
    """

    untrusted = Signal(object)
    """The `Untrusted` of a server whose certificate is not trusted: in the place of a state."""

    def __init__(
        self,
        base_url: str,
        on_state: Callable[[ServiceState], None],
        parent: QObject,
        fingerprint: str | None = None,
    ) -> None:
        super().__init__(parent)
        self.fingerprint = fingerprint
        self.base_url = base_url
        self._on_state = on_state
        self._misses = 0
        self._was_ready = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.ask)

    def ask(self) -> None:
        """Ask now, and go on asking."""
        self._timer.stop()
        run(
            is_answering,
            self.base_url,
            self.fingerprint,
            owner=self,
            done=self._update_state,
            failed=self._show_untrusted,
        )

    def _update_state(self, alive: bool) -> None:
        if alive:
            self._misses, self._was_ready = 0, True
            self._on_state(ServiceState.READY)
        else:
            self._misses += 1
            patient = self._was_ready and self._misses < _PATIENT_MISSES
            self._on_state(ServiceState.RESTARTING if patient else ServiceState.FAILED)
        self._timer.start(READY_EVERY_MS if alive else LOST_EVERY_MS)

    def _show_untrusted(self, error: Exception) -> None:
        self.untrusted.emit(error)
        self._timer.start(READY_EVERY_MS)
