"""Gives every page the service, the logged-in user, the preferences and the commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Signal

from desktop.background.workers import Lane, run
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.client.http.errors import Untrusted
from desktop.commands.bindings import Commands
from desktop.connection.local_service import ServiceState
from desktop.preferences import Preferences
from shared.record.codes import Permission, StorageFault
from shared.wire.account import Payload


@dataclass(slots=True)
class Unsent:
    """Counts the data that would be lost if the desktop ended now."""

    photos: int = 0
    """Photos that are in the memory of this program only."""


class Context(QObject):
    """Holds what the pages share: session, user, preferences, state of the service and commands.

    There is one per running desktop; it outlives the window and its pages.
    """

    login_changed = Signal()
    """A user logged in or out, or their permissions changed; `payload` is up to date."""
    strong_login = Signal()
    """A user has just logged in by password or by a face challenge, not by a single picture."""
    unsent_requested = Signal(object)
    """Before the window closes or the user logs out: a slot adds to the `Unsent` what it would lose."""
    closing = Signal()
    """The desktop ends: slots save open edits. The session still works."""
    service_changed = Signal(object)
    """The new `ServiceState`."""

    def __init__(self, session: Session, preferences: Preferences, *, embedded: bool = False) -> None:
        super().__init__()
        self.use_session(session)
        self.preferences = preferences
        self.embedded = embedded
        """Whether the service is a child process of this desktop."""
        self.device_token = DeviceToken(session.base_url, embedded=embedded)
        """Proves to the service that an administrator has allowed face login on this computer."""
        self.payload: Payload | None = None
        self.service_state = ServiceState.STARTING
        self.storage_fault: StorageFault | None = None
        """Why the local service does not start, when its state is FAILED and the reason is known."""
        self.untrusted: Untrusted | None = None
        """The untrusted certificate of the server, when that is why the state is FAILED."""
        self.data_folder: Path | None = None
        """Data folder of the local service."""
        self.commands = Commands(preferences, self.may, self)

    def may(self, permission: Permission | None) -> bool:
        """Whether a user is logged in and has this permission (None: any user)."""
        if self.payload is None:
            return False
        return permission is None or permission in self.payload.permissions

    def use_session(self, session: Session) -> None:
        """Call another service, or the same one again after it was replaced."""
        self.session = session
        self.prefer_language()

    def prefer_language(self) -> None:
        """Ask the service for texts in the current language of the desktop."""
        self.session.prefer_language(QLocale().bcp47Name())

    def enter(self, payload: Payload) -> None:
        """Set the user who logged in through `session`, also after a change of profile or permissions."""
        self.payload = payload
        self.preferences.change(user_name=payload.user.username)
        self.login_changed.emit()

    def leave(self) -> None:
        """Log out in the desktop at once, and at the service in the background."""
        self.payload = None
        # In the long lane, so that it does not wait behind slow requests until the next user has logged in.
        run(self.session.account.logout, owner=None, lane=Lane.LONG)
        self.login_changed.emit()

    def show_service(
        self,
        state: ServiceState,
        storage_fault: StorageFault | None = None,
        untrusted: Untrusted | None = None,
    ) -> None:
        """Set the state of the service; `storage_fault` or `untrusted` is the reason of FAILED.

        Emits `service_changed` when the state or the reason is different.
        """
        trust_changed = (untrusted is None) != (self.untrusted is None)
        self.storage_fault, self.untrusted = storage_fault, untrusted
        if state is not self.service_state or trust_changed:
            self.service_state = state
            self.service_changed.emit(state)
