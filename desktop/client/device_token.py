"""Stores this computer's token for face logins in the system's keyring, one for each service.

The keyring is the credential manager of Windows, the keychain of macOS or the secret service of Linux.
"""

from __future__ import annotations

import logging
import threading
from urllib.parse import urlsplit

log = logging.getLogger("walkaround.device_token")

_APP = "Walkaround face login"
_THIS_COMPUTER = "this computer"


class NoKeyringError(Exception):
    """The system has no keyring, or the keyring refuses the token."""


class DeviceToken:
    """The token of this computer at one service, which is read from the keyring once.

    Call it off the GUI thread, because a keyring may ask the user to unlock it.
    """

    def __init__(self, base_url: str, *, embedded: bool) -> None:
        # The local service has another port after each start.
        self._service = _THIS_COMPUTER if embedded else urlsplit(base_url).netloc
        self._lock = threading.Lock()
        self._token: str | None = None

    def read(self) -> str:
        """The token; empty when there is none, or no keyring."""
        # The import searches all installed packages for backends, so it is done only if a policy needs a
        # token.
        import keyring
        from keyring.errors import KeyringError

        with self._lock:
            if self._token is None:
                try:
                    self._token = keyring.get_password(_APP, self._service) or ""
                except (KeyringError, OSError, RuntimeError) as problem:
                    log.warning("the keyring cannot be read (%s)", type(problem).__name__)
                    return ""
            return self._token

    def store(self, token: str) -> None:
        """Store a new token in the keyring. Raises NoKeyringError."""
        import keyring
        from keyring.errors import KeyringError

        with self._lock:
            try:
                keyring.set_password(_APP, self._service, token)
            except (KeyringError, OSError, RuntimeError) as problem:
                raise NoKeyringError(type(problem).__name__) from None
            self._token = token
