"""Watches a remote service (`--server URL`) and reports its state."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import run
from desktop.client.http.errors import Unreachable
from desktop.client.http.trust import ServerContext, add_fingerprint, trust_error
from desktop.connection.local_service import ServiceState

READY_INTERVAL_MS = 10_000
LOST_INTERVAL_MS = 2_000
_TIMEOUT_SECONDS = 4.0
_MAX_MISSES = 5


def is_answering(base_url: str, fingerprint: str | None = None) -> bool:
    """Whether a Walkaround service answers at `base_url`.

    Its key must have the fingerprint `fingerprint`; for None, the system must trust its certificate. Raises
    Untrusted with the fingerprint of the server, and no other error.
    """
    try:
        response = httpx.get(
            f"{base_url.rstrip('/')}/healthz",
            timeout=_TIMEOUT_SECONDS,
            trust_env=False,
            verify=ServerContext(fingerprint),
        )
        return bool(response.json() == {"status": "ok"})
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
    """Checks repeatedly whether the service answers.

    The state is READY while it does, RESTARTING after it stopped, and FAILED after several failures or if it
    never answered. `fingerprint` is that of `is_answering` and may be changed at any time.
    """

    untrusted = Signal(object)
    """The `Untrusted` error of a server whose certificate is not trusted, emitted instead of a state."""

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
        self._timer.timeout.connect(self.check)

    def check(self) -> None:
        """Check now, and then repeatedly."""
        self._timer.stop()
        run(
            is_answering,
            self.base_url,
            self.fingerprint,
            owner=self,
            done=self._update_state,
            failed=self._report_untrusted,
        )

    def _update_state(self, alive: bool) -> None:
        if alive:
            self._misses, self._was_ready = 0, True
            self._on_state(ServiceState.READY)
        else:
            self._misses += 1
            may_recover = self._was_ready and self._misses < _MAX_MISSES
            self._on_state(ServiceState.RESTARTING if may_recover else ServiceState.FAILED)
        self._timer.start(READY_INTERVAL_MS if alive else LOST_INTERVAL_MS)

    def _report_untrusted(self, error: Exception) -> None:
        self.untrusted.emit(error)
        self._timer.start(READY_INTERVAL_MS)
