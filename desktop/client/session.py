"""Combines the calls of all domains with the login of one user."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from desktop.client.api.account import Account, Users
from desktop.client.api.administration import Audit, Backups, Faces, Statistics, Webhooks
from desktop.client.api.catalogue import Catalogue
from desktop.client.api.detection import Detection
from desktop.client.api.files import Files
from desktop.client.api.inspection import Items, Records
from desktop.client.api.photos import Films, Phones, RecordPhotos
from desktop.client.http.events import Events
from desktop.client.http.transport import Transport


class Session:
    """The calls of the service by domain, with the login of one user.

    Tokens are kept in memory only and renewed automatically. `patience` is the time in seconds for which a
    call waits for an unreachable service. `fingerprint` is that of the server's key, if the system does not
    trust its certificate. All calls may be made from any thread and raise ClientError.
    """

    def __init__(
        self,
        base_url: str,
        *,
        fingerprint: str | None = None,
        patience: float = 10.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._transport = Transport(base_url, fingerprint=fingerprint, patience=patience, transport=transport)
        self.account = Account(self._transport)
        self.users = Users(self._transport)
        self.records = Records(self._transport)
        self.items = Items(self._transport)
        self.photos = RecordPhotos(self._transport)
        self.films = Films(self._transport)
        self.phones = Phones(self._transport)
        self.catalogue = Catalogue(self._transport)
        self.files = Files(self._transport)
        self.detection = Detection(self._transport)
        self.events = Events(self._transport)
        self.faces = Faces(self._transport)
        self.audit = Audit(self._transport)
        self.backups = Backups(self._transport)
        self.statistics = Statistics(self._transport)
        self.webhooks = Webhooks(self._transport)

    def __repr__(self) -> str:
        return f"<Session {self.base_url}{' logged in' if self.logged_in else ''}>"

    @property
    def base_url(self) -> str:
        """The address of the service, without `/api`."""
        return self._transport.base_url

    def prefer_language(self, language: str) -> None:
        """Ask the service for texts in this language, a code such as zh_CN; Chinese if it is not called."""
        self._transport.prefer_language(language)

    @property
    def logged_in(self) -> bool:
        """True while a user is logged in."""
        return self._transport.logged_in

    @property
    def is_closed(self) -> bool:
        """True after `close()`."""
        return self._transport.is_closed

    def on_login_lost(self, call: Callable[[], None] | None) -> None:
        """Set the function to call when the service ended the login. It is called in the thread of the failed
        call."""
        self._transport.on_login_lost = call

    def rebase(self, base_url: str, fingerprint: str | None = None) -> None:
        """Use another address of the same service. The login stays, and waiting calls are sent immediately.

        `fingerprint` is that of the server's key; None if the system must trust its certificate.
        """
        self._transport.rebase(base_url, fingerprint)

    def close(self) -> None:
        """Drop the tokens and close all connections. Waiting calls raise Unreachable."""
        # In this order, a stream that opens at this moment is ended here or finds the transport closed.
        self._transport.close()
        self.events.close()
