"""Calls the service for webhooks, backups and the administration of face login (needs SETTINGS_MANAGE).

The audit log needs AUDIT_READ, the charts need INSPECTION_READ.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

from desktop.client.http.transport import Calls, segment
from shared.wire.audit import AuditEntry
from shared.wire.backups import BackupStatus
from shared.wire.common import Page
from shared.wire.face import Device, FaceCalibration, FaceModel, FacePolicy, NewDevice, StrangerScores
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement
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


# The engine may have to be loaded first.
_SECONDS = 60.0


class Faces(Calls):
    """The policy and devices of face login, and the calibration of its threshold."""

    def policy(self) -> FacePolicy:
        """The policy of face login."""
        return self._transport.get("/face/policy", FacePolicy)

    def change_policy(self, policy: FacePolicy) -> FacePolicy:
        """Change the policy for all users. Fields without a value do not change.

        Raises Forbidden without a recent password login.
        """
        body = policy.model_dump(exclude_none=True)
        return self._transport.call("PUT", "/face/policy", body=body).data(FacePolicy)

    def devices(self) -> list[Device]:
        """The devices that are allowed for face logins, by name."""
        return self._transport.get("/face/devices", list[Device])

    def allow_device(self, name: str) -> NewDevice:
        """Allow a device. Only this answer contains its token.

        Raises Forbidden, Conflict when there are too many devices.
        """
        return self._transport.call("POST", "/face/devices", body={"name": name}).data(NewDevice)

    def rename_device(self, device_id: str, name: str) -> Device:
        """Rename a device. Raises Forbidden, NotFound."""
        path = f"/face/devices/{segment(device_id)}"
        return self._transport.call("PUT", path, body={"name": name}).data(Device)

    def end_device(self, device_id: str) -> None:
        """Remove a device from the allowed ones. Raises Forbidden, NotFound."""
        self._transport.call("DELETE", f"/face/devices/{segment(device_id)}")

    def models(self) -> list[FaceModel]:
        """The face models that exist, with their licences and how to get them."""
        return self._transport.get("/face/models", list[FaceModel])

    def calibration(self) -> FaceCalibration:
        """The scores between enrolled faces, and the present threshold."""
        return self._transport.get("/face/calibration", FaceCalibration, seconds=_SECONDS)

    def compare_strangers(self, images: Sequence[bytes]) -> StrangerScores:
        """Compare 1 to 10 pictures (JPEG, PNG or WebP) of people who are not enrolled with the enrolled
        faces.

        Raises Forbidden without a recent password login.
        """
        body = {"images": [base64.b64encode(image).decode("ascii") for image in images]}
        answer = self._transport.call("POST", "/face/calibration/strangers", body=body, seconds=_SECONDS)
        return answer.data(StrangerScores)

    def delete(self, user_id: str) -> bool:
        """Delete the face data of a user (needs USER.MANAGE). Returns False when there was none.

        Raises Forbidden without a recent password login.
        """
        return self._transport.call("DELETE", f"/face/enrolments/{segment(user_id)}").data(bool)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The filters of the audit log, combined with AND. None leaves a filter out. Times are inclusive.

    `actor` is a user id. A time without a zone is UTC.
    """

    action: str | None = None
    kind: str | None = None
    object_id: str | None = None
    actor: str | None = None
    at_from: datetime | None = None
    at_to: datetime | None = None

    def query(self) -> dict[str, str]:
        """The filter as query parameters."""
        return {name: _text(value) for name, value in asdict(self).items() if value}


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).isoformat()
    return str(value)


class Audit(Calls):
    """The audit log."""

    def page(self, where: AuditFilter | None = None, page: int = 1, page_size: int = 50) -> Page[AuditEntry]:
        """One page of the entries that match, newest first."""
        query = {**(where or AuditFilter()).query(), "current_page": page, "page_size": page_size}
        return self._transport.get("/audit", Page[AuditEntry], query=query)


@dataclass(frozen=True, slots=True)
class ChartFilter:
    """The filters of a chart, combined with AND. Days are inclusive. None leaves a filter out."""

    day_from: date | None = None
    day_to: date | None = None
    aircraft_id: str | None = None
    executor_id: str | None = None

    def query(self) -> dict[str, str]:
        """The filter as query parameters."""
        return {name: str(value) for name, value in asdict(self).items() if value is not None}


class Statistics(Calls):
    """The charts. All methods raise ClientError, also while the service still counts older records."""

    def records(self, where: ChartFilter) -> Chart:
        """The number of records by state."""
        return self._chart("records", where)

    def findings(self, where: ChartFilter, by: FindingsBy) -> Chart:
        """The number of findings by label, aircraft or region."""
        return self._chart(f"findings/{by}", where)

    def durations(self, where: ChartFilter) -> Durations:
        """The time of records from start to end."""
        return self._transport.get("/statistics/durations", Durations, query=where.query())

    def agreement(self, where: ChartFilter) -> Sequence[ModelAgreement]:
        """The kept, removed and missed findings of each version of a model."""
        return self._transport.get("/statistics/agreement", list[ModelAgreement], query=where.query())

    def _chart(self, name: str, where: ChartFilter) -> Chart:
        return self._transport.get(f"/statistics/{name}", Chart, query=where.query())
