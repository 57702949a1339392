"""Names roles and audit entries in the current language.

Finds the names of the objects in the audit log. Calls the service: must not run on the GUI thread.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.localization.detection_terms import model_word
from shared.names import user_label
from shared.record.codes import Role
from shared.wire.audit import AuditEntry

ACTIONS = (
    "create",
    "update",
    "delete",
    "bring_back",
    "add_items",
    "arrange",
    "hand_over",
    "comment",
    "comment_changed",
    "comment_deleted",
    "add_photo",
    "delete_photo",
    "add_film",
    "delete_film",
    "seal",
    "release",
    "reopen",
    "login",
    "login_failed",
    "logout",
    "session_ended",
    "sessions_ended",
    "refresh_reused",
    "password_changed",
    "password_change_failed",
    "face_enrolled",
    "face_enrolment_refused",
    "face_deleted",
    "face_login_failed",
    "finish",
    "fail",
    "cancel",
    "restore",
    "begin",
    "audit_unsigned",
    "audit_triggers_created",
    "pause",
    "test",
    "claim",
    "end",
)
"""The actions that the log can be filtered by."""

KINDS = (
    "record",
    "item",
    "inspection_policy",
    "aircraft",
    "flight",
    "task",
    "reference_image",
    "model",
    "finding_label",
    "detection_job",
    "region_memory",
    "file",
    "user",
    "login",
    "face_policy",
    "face_device",
    "webhook",
    "phone_code",
    "service",
    "audit",
)
"""The kinds of objects that the log can be filtered by."""


def role_word(role: str) -> str:
    """The name of a role; the code if it is unknown."""
    labels: dict[str, str] = {
        Role.ADMIN: QCoreApplication.translate("People", "Administrator"),
        Role.PLANNER: QCoreApplication.translate("People", "Planner"),
        Role.INSPECTOR: QCoreApplication.translate("People", "Inspector"),
        Role.VIEWER: QCoreApplication.translate("People", "Viewer"),
    }
    return labels.get(role, role)


def role_meaning(role: Role) -> str:
    """What a role may do, on one line."""
    return {
        Role.ADMIN: QCoreApplication.translate("People", "Full access, including users, models and settings"),
        Role.PLANNER: QCoreApplication.translate(
            "People", "Manages the catalogue and records, including deletion"
        ),
        Role.INSPECTOR: QCoreApplication.translate("People", "Creates and edits records"),
        Role.VIEWER: QCoreApplication.translate("People", "Views records and the catalogue"),
    }[role]


def action_word(action: str) -> str:
    """The word for an action; the code if it is unknown."""
    translate = QCoreApplication.translate
    return {
        "create": translate("Audit", "Created"),
        "update": translate("Audit", "Modified"),
        "delete": translate("Audit", "Deleted"),
        "bring_back": translate("Audit", "Restored"),
        "add_items": translate("Audit", "Items added"),
        "arrange": translate("Audit", "Items reordered"),
        "hand_over": translate("Audit", "Handed over"),
        "comment": translate("Audit", "Comment added"),
        "comment_changed": translate("Audit", "Comment changed"),
        "comment_deleted": translate("Audit", "Comment deleted"),
        "add_photo": translate("Audit", "Photo added"),
        "delete_photo": translate("Audit", "Photo removed"),
        "add_film": translate("Audit", "Film added"),
        "delete_film": translate("Audit", "Film removed"),
        "seal": translate("Audit", "Finished and sealed"),
        "release": translate("Audit", "Reviewed"),
        "reopen": translate("Audit", "Reopened"),
        "login": translate("Audit", "Logged in"),
        "login_failed": translate("Audit", "Login failed"),
        "logout": translate("Audit", "Logged out"),
        "session_ended": translate("Audit", "Session ended"),
        "sessions_ended": translate("Audit", "Other sessions ended"),
        "refresh_reused": translate("Audit", "Used token reused"),
        "password_changed": translate("Audit", "Password changed"),
        "password_change_failed": translate("Audit", "Password change failed"),
        "face_enrolled": translate("Audit", "Face enrolled"),
        "face_enrolment_refused": translate("Audit", "Face of another user refused"),
        "face_deleted": translate("Audit", "Face deleted"),
        "face_login_failed": translate("Audit", "Face login failed"),
        "finish": translate("Audit", "Detection completed"),
        "fail": translate("Audit", "Detection failed"),
        "cancel": translate("Audit", "Detection cancelled"),
        "restore": translate("Audit", "Restored from backup"),
        "begin": translate("Audit", "Log started"),
        "audit_unsigned": translate("Audit", "Unsigned log entries found"),
        "audit_triggers_created": translate("Audit", "Protection of the log restored"),
        "pause": translate("Audit", "Paused after failures"),
        "test": translate("Audit", "Test sent"),
        "claim": translate("Audit", "Phone connected"),
        "end": translate("Audit", "Ended"),
    }.get(action, action)


def object_kind_name(kind: str) -> str:
    """The name of a kind of object; the code if it is unknown."""
    translate = QCoreApplication.translate
    return {
        "record": translate("Audit", "Record"),
        "item": translate("Audit", "Item"),
        "inspection_policy": translate("Audit", "Finishing rules"),
        "aircraft": translate("Audit", "Aircraft"),
        "flight": translate("Audit", "Flight"),
        "task": translate("Audit", "Task"),
        "reference_image": translate("Audit", "Reference image"),
        "model": translate("Audit", "Detection model"),
        "finding_label": translate("Audit", "Finding labels"),
        "detection_job": translate("Audit", "Detection"),
        "region_memory": translate("Audit", "Known variations"),
        "file": translate("Audit", "File"),
        "user": translate("Audit", "User"),
        "login": translate("Audit", "Login"),
        "face_policy": translate("Audit", "Face login"),
        "face_device": translate("Audit", "Face login device"),
        "webhook": translate("Audit", "Webhook"),
        "phone_code": translate("Audit", "Phone code"),
        "service": translate("Audit", "Service"),
        "audit": translate("Audit", "Audit log"),
    }.get(kind, kind)


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
