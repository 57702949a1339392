"""Calls the service for its backups (needs SETTINGS_MANAGE)."""

from __future__ import annotations

from desktop.client.http.transport import Transport
from shared.wire.backups import BackupStatus
from shared.wire.common import Envelope


class Backups:
    """The backups of the service."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def status(self) -> BackupStatus:
        """The last successful backup, the time of the next one, and the newest runs."""
        return self._transport.call("GET", "/backups").read(Envelope[BackupStatus]).data
