"""Gives every page the service, the logged-in user, the preferences and the commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop.background.workers import Lane, run
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.client.http.errors import Untrusted
from desktop.commands.bindings import Commands
from desktop.connection.local_service import ServiceState
from desktop.preferences import Preferences
from shared.codes import Hindrance, Permission
from shared.wire.account import Payload


@dataclass(slots=True)
class Unsent:
    """What would be lost if the desktop ended now."""

    photos: int = 0
    """Photos that are only in this program so far."""


class Context(QObject):
    """One per running desktop; it outlives the window and its pages."""

    loginChanged = Signal()  # noqa: N815 - a Qt signal
    """Someone logged in or out, or their rights changed; `payload` is up to date."""
    strongLogin = Signal()  # noqa: N815 - a Qt signal
    """Someone has just logged in by password or by a challenge, not by a picture alone."""
    closeAsked = Signal(object)  # noqa: N815 - a Qt signal
    """The window is to be closed or the user logs out: whatever would be lost is added to the `Unsent`."""
    closing = Signal()
    """The desktop ends: write down what is open. The session still works."""
    serviceChanged = Signal(object)  # noqa: N815 - a Qt signal
    """The new `ServiceState`."""

    def __init__(self, session: Session, preferences: Preferences, *, embedded: bool = False) -> None:
        super().__init__()
        self.session = session
        self.preferences = preferences
        self.embedded = embedded
        """True when the service is this desktop's own child process."""
        self.device_token = DeviceToken(session.base_url, embedded=embedded)
        """What shows the service that an administrator has allowed face login on this computer."""
        self.payload: Payload | None = None
        self.service_state = ServiceState.STARTING
        self.hindrance: Hindrance | None = None
        """Why the desktop's own service does not start, where it said so and its state is FAILED."""
        self.untrusted: Untrusted | None = None
        """Why the state is FAILED, where the certificate of the server is not trusted."""
        self.data_folder: Path | None = None
        """Where the desktop's own service keeps its data."""
        self.commands = Commands(preferences, self.may, self)

    def may(self, permission: Permission | None) -> bool:
        """True when a user is logged in and has this right (None: any user)."""
        if self.payload is None:
            return False
        return permission is None or permission in self.payload.permissions

    def enter(self, payload: Payload) -> None:
        """Take over the user who logged in through `session`, or a change of their profile or rights."""
        self.payload = payload
        self.preferences.change(user_name=payload.user.username)
        self.loginChanged.emit()

    def leave(self) -> None:
        """Log out here at once, and at the service in the background."""
        self.payload = None
        # Its own lane: it must not wait behind slow requests until the next person has logged in.
        run(self.session.account.logout, owner=None, lane=Lane.LONG)
        self.loginChanged.emit()

    def show_service(
        self,
        state: ServiceState,
        hindrance: Hindrance | None = None,
        untrusted: Untrusted | None = None,
    ) -> None:
        """The service is in another state now; `hindrance` or `untrusted` says why it FAILED."""
        other_reason = (untrusted is None) != (self.untrusted is None)
        self.hindrance, self.untrusted = hindrance, untrusted
        if state is not self.service_state or other_reason:
            self.service_state = state
            self.serviceChanged.emit(state)
