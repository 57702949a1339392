"""Formats the details of an entry of the audit log as lines in the current language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import QCoreApplication

from desktop.localization.dates import format_second
from desktop.localization.detection_terms import failure_sentence, finding_word, severity_word
from desktop.localization.language import format_label_and_value, join_words
from desktop.pages.common.lists.list_section import NOTHING
from desktop.pages.common.session_list import method_word
from desktop.pages.people.audit_terms import Names, role_word
from desktop.pages.people.face_policy.terms import refusal_word, rule_word
from desktop.pages.people.webhooks.terms import event_word
from desktop.widgets import status_text
from shared.wire.detection import JobState
from shared.wire.photos import Assigned

_STATUS_FIELDS = frozenset({"inspection_status", "record_state", "status", "verdict", "outcome"})
_LIST_FIELDS = frozenset({"events", "methods", "fields", "roles", "labels", "permissions"})
_RULE_FIELDS = frozenset({"challenge_admins", "challenge_others"})
_TIME_FIELDS = frozenset({"backup_of", "start_time", "end_time"})

REFERENCES = {
    "aircraft_id": "aircraft",
    "deleted_by": "user",
    "executor_id": "user",
    "flight_id": "flight",
    "given_to": "user",
    "inspection_id": "record",
    "item_id": "item",
    "model_id": "model",
    "reference_image_id": "reference_image",
    "released_by": "user",
    "reopened_by": "user",
    "task_id": "task",
    "user_id": "user",
}
"""The fields that contain IDs, with the kinds of the objects."""


def detail_lines(details: Mapping[str, Any], names: Names | None = None) -> list[str]:
    """The details of an entry, one line for each; a change has the form "field: old → new".

    IDs are replaced by the names in `names` if it contains them.
    """
    names = names or {}
    lines = []
    for name, value in details.items():
        if f"{name}_name" in details:
            continue
        change = _old_and_new(name, value)
        if change is None:
            text = _value_text(name, value, names)
        else:
            text = f"{_value_text(name, change[0], names)} → {_value_text(name, change[1], names)}"
        lines.append(format_label_and_value(field_word(name), text))
    return lines


def referenced_objects(details: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The kinds and IDs of the objects that the details refer to."""
    references: set[tuple[str, str]] = set()
    for name, value in details.items():
        if isinstance(value, dict) and _old_and_new(name, value) is None:
            references |= referenced_objects(value)
        elif name in REFERENCES:
            ids = _old_and_new(name, value) or (value,)
            references |= {
                (REFERENCES[name], object_id) for object_id in ids if isinstance(object_id, str) and object_id
            }
    return references


def _old_and_new(name: str, value: Any) -> tuple[Any, Any] | None:
    """The old and the new value of a change; None if `value` is not a change."""
    if isinstance(value, dict) and value.keys() == {"old", "new"}:
        return value["old"], value["new"]
    if not isinstance(value, list) or len(value) != 2:
        return None
    if name in _LIST_FIELDS and not all(isinstance(part, list) for part in value):
        return None
    return value[0], value[1]


def _value_text(name: str, value: Any, names: Names) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        translate = QCoreApplication.translate
        return translate("AuditField", "Yes") if value else translate("AuditField", "No")
    if isinstance(value, str):
        return _value_word(name, value, names)
    if isinstance(value, list) and name in _LIST_FIELDS:
        return join_words(_list_word(name, str(part)) for part in value)
    if isinstance(value, dict) and name == "labels":
        return join_words(
            format_label_and_value(finding_word(label), severity_word(value[label])) for label in value
        )
    if isinstance(value, dict) and value and all(field_word(key) != key for key in value):
        return join_words(
            format_label_and_value(field_word(key), _value_text(key, part, names))
            for key, part in value.items()
        )
    return json.dumps(value, ensure_ascii=False)


def _value_word(name: str, value: str, names: Names) -> str:
    if name in REFERENCES:
        return names.get((REFERENCES[name], value), value)
    if name in _TIME_FIELDS or name.endswith("_at"):
        try:
            return format_second(datetime.fromisoformat(value))
        except ValueError:
            return value
    if name in _STATUS_FIELDS:
        return status_text(value)
    if name == "state":
        return _state_word(value)
    if name == "error":
        return failure_sentence(value, value)
    if name == "assigned":
        return _assignment_word(value)
    if name in _RULE_FIELDS:
        return rule_word(value)
    if name == "challenge":
        return refusal_word(value)
    return method_word(value) if name == "method" else value


def _list_word(name: str, value: str) -> str:
    """The word for one element of the list field `name`."""
    match name:
        case "events":
            return event_word(value)
        case "methods":
            return method_word(value)
        case "fields":
            return field_word(value)
        case "roles":
            return role_word(value)
        case "labels":
            return finding_word(value)
    return value


def _state_word(state: str) -> str:
    translate = QCoreApplication.translate
    labels: dict[str, str] = {
        JobState.QUEUED: translate("AuditField", "Queued"),
        JobState.RUNNING: translate("AuditField", "Running"),
        JobState.DONE: translate("AuditField", "Completed"),
        JobState.FAILED: translate("AuditField", "Failed"),
        JobState.CANCELED: translate("AuditField", "Cancelled"),
    }
    return labels.get(state, state)


def _assignment_word(code: str) -> str:
    labels: dict[str, str] = {
        Assigned.PERSON: QCoreApplication.translate("AuditField", "User"),
        Assigned.ALIGNMENT: QCoreApplication.translate("AuditField", "Matching"),
    }
    return labels.get(code, code)


def field_word(name: str) -> str:
    """The label of a field in the details of an entry; the name of the field if it is unknown."""
    translate = QCoreApplication.translate
    return {
        "inspection_name": translate("AuditField", "Name"),
        "item_name": translate("AuditField", "Name"),
        "aircraft_name": translate("AuditField", "Name"),
        "task_name": translate("AuditField", "Name"),
        "reference_image_name": translate("AuditField", "Name"),
        "model_name": translate("AuditField", "Name"),
        "name": translate("AuditField", "Name"),
        "username": translate("AuditField", "Username"),
        "flight_number": translate("AuditField", "Flight number"),
        "description": translate("AuditField", "Description"),
        "model_description": translate("AuditField", "Description"),
        "registration": translate("AuditField", "Registration"),
        "aircraft_type": translate("AuditField", "Aircraft type"),
        "departure": translate("AuditField", "Departure"),
        "arrival": translate("AuditField", "Arrival"),
        "scheduled_at": translate("AuditField", "Scheduled"),
        "task_id": translate("AuditField", "Task"),
        "flight_id": translate("AuditField", "Flight"),
        "aircraft_id": translate("AuditField", "Aircraft"),
        "executor_id": translate("AuditField", "Inspector"),
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
        "inspection_status": translate("AuditField", "Status in other systems"),
        "backup_folder": translate("AuditField", "Backup folder"),
        "record_state": translate("AuditField", "Status"),
        "outcome": translate("AuditField", "Outcome"),
        "status": translate("AuditField", "Status"),
        "start_time": translate("AuditField", "Start time"),
        "end_time": translate("AuditField", "End time"),
        "item_point": translate("AuditField", "Region"),
        "result": translate("AuditField", "Results"),
        "verdict": translate("AuditField", "Verdict"),
        "detected": translate("AuditField", "Detected"),
        "edition": translate("AuditField", "Edition"),
        "seal": translate("AuditField", "Seal"),
        "accepted_opinions": translate("AuditField", "Accepted opinions"),
        "released_by": translate("AuditField", "Reviewed by"),
        "released_by_name": translate("AuditField", "Reviewed by"),
        "released_at": translate("AuditField", "Reviewed at"),
        "reopened_by": translate("AuditField", "Reopened by"),
        "reopened_by_name": translate("AuditField", "Reopened by"),
        "reopened_at": translate("AuditField", "Reopened at"),
        "reopen_reason": translate("AuditField", "Reason"),
        "four_eyes": translate("AuditField", "Second-person review"),
        "requires_inspection": translate("AuditField", "Inspection of passed items required"),
        "required_coverage": translate("AuditField", "Required share of a region"),
        "reason": translate("AuditField", "Reason"),
        "text": translate("AuditField", "Comment"),
        "note": translate("AuditField", "Note"),
        "given_to": translate("AuditField", "Inspector"),
        "boxes": translate("AuditField", "Findings"),
        "template": translate("AuditField", "Template"),
        "mm_per_pixel": translate("AuditField", "Millimetres per pixel"),
        "enabled": translate("AuditField", "Enabled"),
        "roles": translate("AuditField", "Roles"),
        "permissions": translate("AuditField", "Permissions"),
        "kind": translate("AuditField", "Type"),
        "version": translate("AuditField", "Version"),
        "sha256": translate("AuditField", "Hash"),
        "size": translate("AuditField", "Size"),
        "labels": translate("AuditField", "Labels"),
        "settings": translate("AuditField", "Settings"),
        "filename": translate("AuditField", "File name"),
        "mime_type": translate("AuditField", "File type"),
        "error": translate("AuditField", "Error"),
        "events": translate("AuditField", "Events"),
        "paused": translate("AuditField", "Paused"),
        "failures": translate("AuditField", "Failed attempts"),
        "message": translate("AuditField", "Message"),
        "items": translate("AuditField", "Items"),
        "count": translate("AuditField", "Count"),
        "method": translate("AuditField", "Login method"),
        "methods": translate("AuditField", "Login methods"),
        "session_id": translate("AuditField", "Session"),
        "engine": translate("AuditField", "Face model"),
        "threshold": translate("AuditField", "Threshold"),
        "from": translate("AuditField", "Source"),
        "why": translate("AuditField", "Reason"),
        "email": translate("AuditField", "Email"),
        "phone": translate("AuditField", "Phone"),
        "department": translate("AuditField", "Department"),
        "gender": translate("AuditField", "Gender"),
        "birthday": translate("AuditField", "Birthday"),
        "address": translate("AuditField", "Address"),
        "password": translate("AuditField", "Password"),
        "created_at": translate("AuditField", "Created"),
        "updated_at": translate("AuditField", "Modified"),
        "state": translate("AuditField", "Status"),
        "templates": translate("AuditField", "Face templates"),
        "model": translate("AuditField", "Face model"),
        "consent": translate("AuditField", "Consent version"),
        "login_enabled": translate("AuditField", "Face login enabled"),
        "challenge_admins": translate("AuditField", "Head movements: users who can change settings"),
        "challenge_others": translate("AuditField", "Head movements: other users"),
        "allowed_devices_only": translate("AuditField", "Only on allowed devices"),
        "photo_risk_accepted": translate("AuditField", "Face login without protection from photos"),
        "refuse_virtual_cameras": translate("AuditField", "Virtual cameras refused"),
        "challenge": translate("AuditField", "Head movements"),
        "backup_of": translate("AuditField", "Backup created at"),
        "fields": translate("AuditField", "Modified fields"),
        "seq": translate("AuditField", "Entry No."),
        "hash": translate("AuditField", "Hash"),
        "deleted_by": translate("AuditField", "Deleted by"),
        "deleted_at": translate("AuditField", "Deleted at"),
        "work_years": translate("AuditField", "Years of service"),
        "faceInfo": translate("AuditField", "Face data"),
        "record_photo_id": translate("AuditField", "Record photo"),
        "by_phone": translate("AuditField", "By phone"),
        "device": translate("AuditField", "Device"),
        "assigned": translate("AuditField", "Assigned by"),
    }.get(name, name)
