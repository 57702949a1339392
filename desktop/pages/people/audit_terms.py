"""Names roles and audit entries in the current language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from shared.record.codes import Role

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
