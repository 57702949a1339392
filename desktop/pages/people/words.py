"""What roles and the entries of the audit log are called in the language in force."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from shared.codes import Role

ACTIONS = (
    "create",
    "update",
    "delete",
    "bring_back",
    "add_items",
    "add_photo",
    "delete_photo",
    "seal",
    "release",
    "reopen",
    "login",
    "login_failed",
    "logout",
    "refresh_reused",
    "password_changed",
    "password_change_failed",
    "face_enrolled",
    "face_deleted",
    "face_login_failed",
    "finish",
    "fail",
    "cancel",
    "restore",
    "begin",
    "audit_unsigned",
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
    "file",
    "user",
    "login",
    "face_policy",
    "service",
    "audit",
)
"""The kinds of things that the log can be filtered by."""


def role_word(role: str) -> str:
    """The name of a role; the code itself when it is unknown."""
    words: dict[str, str] = {
        Role.ADMIN: QCoreApplication.translate("People", "Administrator"),
        Role.PLANNER: QCoreApplication.translate("People", "Planner"),
        Role.INSPECTOR: QCoreApplication.translate("People", "Inspector"),
        Role.VIEWER: QCoreApplication.translate("People", "Viewer"),
    }
    return words.get(role, role)


def role_meaning(role: Role) -> str:
    """What a role may do, in one line."""
    return {
        Role.ADMIN: QCoreApplication.translate("People", "Everything, also users, models and settings"),
        Role.PLANNER: QCoreApplication.translate(
            "People", "The catalogue and records, also deleting records"
        ),
        Role.INSPECTOR: QCoreApplication.translate("People", "Makes and works on records"),
        Role.VIEWER: QCoreApplication.translate("People", "Looks at records and the catalogue"),
    }[role]


def action_word(action: str) -> str:
    """What happened; the code itself when it is unknown."""
    translate = QCoreApplication.translate
    return {
        "create": translate("Audit", "Made"),
        "update": translate("Audit", "Changed"),
        "delete": translate("Audit", "Deleted"),
        "bring_back": translate("Audit", "Brought back"),
        "add_items": translate("Audit", "Items added"),
        "add_photo": translate("Audit", "Photo added"),
        "delete_photo": translate("Audit", "Photo taken off"),
        "seal": translate("Audit", "Finished and sealed"),
        "release": translate("Audit", "Released"),
        "reopen": translate("Audit", "Reopened"),
        "login": translate("Audit", "Logged in"),
        "login_failed": translate("Audit", "Login failed"),
        "logout": translate("Audit", "Logged out"),
        "refresh_reused": translate("Audit", "Spent token used again"),
        "password_changed": translate("Audit", "Password changed"),
        "password_change_failed": translate("Audit", "Password change failed"),
        "face_enrolled": translate("Audit", "Face enrolled"),
        "face_deleted": translate("Audit", "Face deleted"),
        "face_login_failed": translate("Audit", "Face login failed"),
        "finish": translate("Audit", "Detection done"),
        "fail": translate("Audit", "Detection failed"),
        "cancel": translate("Audit", "Detection cancelled"),
        "restore": translate("Audit", "Restored from a backup"),
        "begin": translate("Audit", "Log begun"),
        "audit_unsigned": translate("Audit", "Log found unsigned"),
    }.get(action, action)


def kind_word(kind: str) -> str:
    """What it happened to; the code itself when it is unknown."""
    translate = QCoreApplication.translate
    return {
        "record": translate("Audit", "Record"),
        "item": translate("Audit", "Item"),
        "inspection_policy": translate("Audit", "Rules for finishing"),
        "aircraft": translate("Audit", "Aircraft"),
        "flight": translate("Audit", "Flight"),
        "task": translate("Audit", "Task"),
        "reference_image": translate("Audit", "Reference image"),
        "model": translate("Audit", "Detection model"),
        "finding_label": translate("Audit", "Labels of findings"),
        "detection_job": translate("Audit", "Detection"),
        "file": translate("Audit", "File"),
        "user": translate("Audit", "User"),
        "login": translate("Audit", "Login"),
        "face_policy": translate("Audit", "Face login"),
        "service": translate("Audit", "Service"),
        "audit": translate("Audit", "Audit log"),
    }.get(kind, kind)


def method_word(method: str) -> str:
    """How a person logged in, by the name that the service gives it."""
    translate = QCoreApplication.translate
    return {
        "pwd": translate("AuditField", "Password"),
        "face": translate("AuditField", "Face"),
    }.get(method, method)


def field_word(name: str) -> str:
    """What a field is called in the details of an entry; the field's own name when it is unknown."""
    translate = QCoreApplication.translate
    return {
        "inspection_name": translate("AuditField", "Name"),
        "item_name": translate("AuditField", "Name"),
        "aircraft_name": translate("AuditField", "Name"),
        "task_name": translate("AuditField", "Name"),
        "reference_image_name": translate("AuditField", "Name"),
        "model_name": translate("AuditField", "Name"),
        "name": translate("AuditField", "Name"),
        "username": translate("AuditField", "User name"),
        "flight_number": translate("AuditField", "Flight number"),
        "description": translate("AuditField", "Description"),
        "model_description": translate("AuditField", "Description"),
        "registration": translate("AuditField", "Registration"),
        "aircraft_type": translate("AuditField", "Type"),
        "departure": translate("AuditField", "Departure"),
        "arrival": translate("AuditField", "Arrival"),
        "scheduled_at": translate("AuditField", "Scheduled"),
        "task_id": translate("AuditField", "Task"),
        "flight_id": translate("AuditField", "Flight"),
        "aircraft_id": translate("AuditField", "Aircraft"),
        "executor_id": translate("AuditField", "Executor"),
        "reference_image_id": translate("AuditField", "Reference image"),
        "inspection_id": translate("AuditField", "Record"),
        "item_id": translate("AuditField", "Item"),
        "model_id": translate("AuditField", "Detection model"),
        "user_id": translate("AuditField", "User"),
        "file_id": translate("AuditField", "File"),
        "photo_id": translate("AuditField", "Photo"),
        "job_id": translate("AuditField", "Detection"),
        "batch_id": translate("AuditField", "Batch"),
        "progress": translate("AuditField", "Progress"),
        "inspection_status": translate("AuditField", "API status"),
        "record_state": translate("AuditField", "State"),
        "outcome": translate("AuditField", "Result"),
        "status": translate("AuditField", "State"),
        "start_time": translate("AuditField", "Started"),
        "end_time": translate("AuditField", "Finished"),
        "item_point": translate("AuditField", "Region"),
        "result": translate("AuditField", "Results"),
        "verdict": translate("AuditField", "Verdict"),
        "detected": translate("AuditField", "Detected"),
        "edition": translate("AuditField", "Edition"),
        "seal": translate("AuditField", "Seal"),
        "accepted_opinions": translate("AuditField", "Opinions accepted"),
        "released_by": translate("AuditField", "Released by"),
        "released_by_name": translate("AuditField", "Released by"),
        "released_at": translate("AuditField", "Released"),
        "reopened_by": translate("AuditField", "Reopened by"),
        "reopened_by_name": translate("AuditField", "Reopened by"),
        "reopened_at": translate("AuditField", "Reopened"),
        "reopen_reason": translate("AuditField", "Reason"),
        "four_eyes": translate("AuditField", "A second person releases"),
        "reason": translate("AuditField", "Reason"),
        "boxes": translate("AuditField", "Findings"),
        "template": translate("AuditField", "Template"),
        "mm_per_pixel": translate("AuditField", "Millimetres per pixel"),
        "enabled": translate("AuditField", "Enabled"),
        "roles": translate("AuditField", "Roles"),
        "permissions": translate("AuditField", "Rights"),
        "kind": translate("AuditField", "Kind"),
        "version": translate("AuditField", "Version"),
        "sha256": translate("AuditField", "Hash"),
        "size": translate("AuditField", "Size"),
        "labels": translate("AuditField", "Labels"),
        "settings": translate("AuditField", "Settings"),
        "filename": translate("AuditField", "File name"),
        "mime_type": translate("AuditField", "Kind of file"),
        "error": translate("AuditField", "Error"),
        "message": translate("AuditField", "Message"),
        "items": translate("AuditField", "Items"),
        "count": translate("AuditField", "Number"),
        "method": translate("AuditField", "Way"),
        "methods": translate("AuditField", "Logged in by"),
        "session_id": translate("AuditField", "Login"),
        "engine": translate("AuditField", "Face model"),
        "threshold": translate("AuditField", "Threshold"),
        "from": translate("AuditField", "From"),
        "why": translate("AuditField", "Reason"),
        "email": translate("AuditField", "E-mail"),
        "phone": translate("AuditField", "Phone"),
        "department": translate("AuditField", "Department"),
        "gender": translate("AuditField", "Gender"),
        "birthday": translate("AuditField", "Birthday"),
        "address": translate("AuditField", "Address"),
        "password": translate("AuditField", "Password"),
        "created_at": translate("AuditField", "Created"),
        "updated_at": translate("AuditField", "Updated"),
    }.get(name, name)
