"""Resolves the ids in the audit log to names, as far as known; not for the GUI thread."""

from __future__ import annotations

from collections.abc import Iterable

from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.localization.detection_terms import model_word
from shared.wire.audit import AuditEntry

_PAGE = 200
Names = dict[tuple[str, str], str]
"""(kind, id) -> name."""


def users(session: Session) -> Names:
    """Every user by name. Raises ClientError."""
    found: Names = {}
    number = 0
    while True:
        number += 1
        page = session.users.list(number, _PAGE)
        found |= {("user", user.user_id): user.name or user.username for user in page.data}
        if number >= page.pagination.total_pages:
            return found


def objects(session: Session, entries: Iterable[AuditEntry], known: Names) -> Names:
    """The names of what `entries` speak of and `known` lacks; what is gone or has no name is left out."""
    return named(session, {(entry.kind, entry.object_id or "") for entry in entries} - known.keys())


def named(session: Session, keys: Iterable[tuple[str, str]]) -> Names:
    """The names of the objects `keys`, each (kind, ID); what is gone or has no name is left out."""
    found: Names = {}
    for kind, key in keys:
        try:
            name = _name(session, kind, key) if key else None
        except ClientError:
            name = None
        if name:
            found[kind, key] = name
    return found


def _name(session: Session, kind: str, key: str) -> str | None:
    match kind:
        case "webhook":
            return next((one.name for one in session.webhooks.list() if one.webhook_id == key), None)
        case "phone_code":
            # A code has no name of its own: it stands for the record that it is for.
            return session.records.get(session.phones.get(key).inspection_id).value.inspection_name
        case "region_memory":
            # A memory is told apart by the file of its reference image.
            return session.files.get(key).filename
        case "face_device":
            return next((one.name for one in session.faces.devices() if one.device_id == key), None)
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
