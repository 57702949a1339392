"""Finds the names of the objects in the audit log. Calls the service: must not run on the GUI thread."""

from __future__ import annotations

from collections.abc import Iterable

from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.localization.detection_terms import model_word
from shared.names import user_label
from shared.wire.audit import AuditEntry

_PAGE_SIZE = 200
Names = dict[tuple[str, str], str]
"""The names of objects by kind and ID."""


def user_names(session: Session) -> Names:
    """Read the names of all users. Raises ClientError."""
    names: Names = {}
    number = 0
    while True:
        number += 1
        page = session.users.list(number, _PAGE_SIZE)
        names |= {("user", user.user_id): user_label(user.name, user.username) for user in page.data}
        if number >= page.pagination.total_pages:
            return names


def object_names(session: Session, entries: Iterable[AuditEntry], names: Names) -> Names:
    """Find the names of the objects in `entries` that are not in `names`.

    Deleted and unnamed objects are left out.
    """
    return find_names(session, {(entry.kind, entry.object_id or "") for entry in entries} - names.keys())


def find_names(session: Session, keys: Iterable[tuple[str, str]]) -> Names:
    """Find the names of objects by kind and ID. Deleted and unnamed objects are left out."""
    names: Names = {}
    for kind, key in keys:
        try:
            name = _find_name(session, kind, key) if key else None
        except ClientError:
            name = None
        if name:
            names[kind, key] = name
    return names


def _find_name(session: Session, kind: str, key: str) -> str | None:
    match kind:
        case "webhook":
            return next(
                (webhook.name for webhook in session.webhooks.list() if webhook.webhook_id == key), None
            )
        case "phone_code":
            # A phone code has no name. The name of its record is used.
            return session.records.get(session.phones.get(key).inspection_id).value.inspection_name
        case "region_memory":
            # A memory has no name. The file name of its reference image is used.
            return session.files.get(key).filename
        case "face_device":
            return next((device.name for device in session.faces.devices() if device.device_id == key), None)
        case "record":
            return session.records.get(key).value.inspection_name
        case "item":
            return session.items.get(key).value.item_name
        case "aircraft":
            return session.catalogue.aircraft.get(key).aircraft_name
        case "flight":
            return session.catalogue.flights.get(key).flight_number
        case "task":
            return session.catalogue.tasks.get(key).task_name
        case "reference_image":
            return session.catalogue.reference_images.get(key).reference_image_name
        case "model":
            return next(
                (model_word(key, m.model_name) for m in session.detection.models() if m.model_id == key), None
            )
        case "detection_job":
            return session.items.get(session.detection.job(key).item_id).value.item_name
    return None
