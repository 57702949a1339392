"""Calls the service for webhooks and backups (needs SETTINGS_MANAGE)."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.client.http.transport import Calls, segment
from shared.wire.backups import BackupStatus
from shared.wire.webhooks import Delivery, NewWebhook, Webhook, WebhookCreate, WebhookUpdate

_TEST_SECONDS = 60.0
"""The service waits for the receiver."""


class Webhooks(Calls):
    """The receivers of finished records and failed items. Every change needs a recent password login."""

    def list(self) -> Sequence[Webhook]:
        """Every webhook, oldest first."""
        return self._transport.get("/webhooks", list[Webhook])

    def create(self, body: WebhookCreate) -> NewWebhook:
        """Add a webhook. Only this answer contains its secret.

        Raises Invalid for an address that is not allowed, Conflict when there are too many webhooks.
        """
        return self._transport.call("POST", "/webhooks", body=body).data(NewWebhook)

    def update(self, webhook_id: str, change: WebhookUpdate) -> Webhook:
        """Change the fields that are set in `change`. Raises NotFound, Invalid."""
        body = change
        return self._transport.call("PUT", f"/webhooks/{segment(webhook_id)}", body=body).data(Webhook)

    def delete(self, webhook_id: str) -> None:
        """Delete a webhook and its pending deliveries. Raises NotFound."""
        self._transport.call("DELETE", f"/webhooks/{segment(webhook_id)}")

    def test(self, webhook_id: str) -> Delivery:
        """Send a test delivery and return its result. Raises NotFound."""
        path = f"/webhooks/{segment(webhook_id)}/test"
        return self._transport.call("POST", path, seconds=_TEST_SECONDS).data(Delivery)

    def deliveries(self, webhook_id: str) -> Sequence[Delivery]:
        """The last deliveries, newest first. Raises NotFound."""
        return self._transport.get(f"/webhooks/{segment(webhook_id)}/deliveries", list[Delivery])


class Backups(Calls):
    """The backups of the service."""

    def status(self) -> BackupStatus:
        """The last successful backup, the time of the next one, and the newest runs."""
        return self._transport.get("/backups", BackupStatus)

    def choose_folder(self, folder: str) -> BackupStatus:
        """Store backups in this folder of the service's computer; the first one starts at once."""
        return self._transport.call("PUT", "/backups", body={"folder": folder}).data(BackupStatus)

    def start(self) -> BackupStatus:
        """Start a backup now."""
        return self._transport.call("POST", "/backups").data(BackupStatus)
