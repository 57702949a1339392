"""Calls the service for webhooks, backups and the administration of face login (needs SETTINGS_MANAGE)."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from desktop.client.http.transport import Calls, segment
from shared.wire.backups import BackupStatus
from shared.wire.face import Device, FaceCalibration, FaceModel, FacePolicy, NewDevice, StrangerScores
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
