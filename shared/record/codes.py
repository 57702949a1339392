"""Defines the codes of the contract: statuses, permissions, roles, progress labels and error codes.

Source: docs/contract.md (States, Authentication) and the decisions where it leaves a choice.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """State of an inspection record, field `inspection_status`."""

    NOT_STARTED = "not_started"
    IN_PROGRESS = "in_progress"
    PASSED = "passed"
    FAILED = "failed"
    CANCELLED = "cancelled"


STATUS_NAMES: dict[Status, str] = {
    Status.NOT_STARTED: "未开始",
    Status.IN_PROGRESS: "进行中",
    Status.PASSED: "通过",
    Status.FAILED: "未通过",
    Status.CANCELLED: "已作废",
}


class Progress(StrEnum):
    """Progress label of a result entry."""

    PENDING = "pending"
    DETECTING = "detecting"
    DONE = "done"
    CANCELED = "canceled"
    ERROR = "error"
    INCOMPLETE = "incomplete"
    """A detection that found nothing in a photo that shows too little of the region: neither passed nor
    failed."""


class Verdict(StrEnum):
    """What a person decided about an item."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


class InspectionGap(StrEnum):
    """What is missing from the inspection of an item."""

    NO_PHOTO = "no_photo"
    NOT_DETECTED = "not_detected"
    """No detection of the newest photo has finished."""
    REGION_CHANGED = "region_changed"
    """The region was moved or its picture replaced since the detection."""
    INCOMPLETE_COVERAGE = "incomplete_coverage"
    """The photo shows too little of the region."""


class SealState(StrEnum):
    """Where a record stands on its way to a sealed edition."""

    OPEN = "open"
    """The record was never finished. Users with the permission can change it."""
    FINISHED = "finished"
    """The record is sealed: nothing in it can change."""
    AWAITING_RELEASE = "awaiting_release"
    """The record is sealed, and a second person must release it."""
    REOPENED = "reopened"
    """The record was sealed and can be changed again. Its next finish creates another edition."""


SEALED_STATES = frozenset({SealState.FINISHED, SealState.AWAITING_RELEASE})


class Origin(StrEnum):
    """Who found a finding."""

    MODEL = "model"
    PERSON = "person"


class Permission(StrEnum):
    """A right that an operation asks for. The first nine are the contract's, word for word."""

    INSPECTION_ADD = "INSPECTION_ADD"
    INSPECTION_READ = "INSPECTION_READ"
    INSPECTION_UPDATE = "INSPECTION_UPDATE"
    INSPECTION_DELETE = "INSPECTION_DELETE"
    INSPECTION_ITEM_ADD = "INSPECTION_ITEM_ADD"
    INSPECTION_ITEM_READ = "INSPECTION_ITEM_READ"
    INSPECTION_ITEM_UPDATE = "INSPECTION_ITEM_UPDATE"
    INSPECTION_ITEM_DELETE = "INSPECTION_ITEM_DELETE"
    USER_UPDATE = "USER.UPDATE"
    INSPECTION_REOPEN = "INSPECTION_REOPEN"
    """Reopen a sealed record, with a reason."""
    INSPECTION_RELEASE = "INSPECTION_RELEASE"
    """Release a record that another user finished."""
    CATALOGUE_READ = "CATALOGUE_READ"
    CATALOGUE_MANAGE = "CATALOGUE_MANAGE"
    FILE_READ = "FILE_READ"
    FILE_ADD = "FILE_ADD"
    MODEL_MANAGE = "MODEL_MANAGE"
    USER_MANAGE = "USER.MANAGE"
    SETTINGS_MANAGE = "SETTINGS_MANAGE"
    AUDIT_READ = "AUDIT_READ"


class Role(StrEnum):
    """A named set of permissions; a user has one or more."""

    ADMIN = "admin"
    PLANNER = "planner"
    INSPECTOR = "inspector"
    VIEWER = "viewer"


_VIEWER = frozenset(
    {
        Permission.INSPECTION_READ,
        Permission.INSPECTION_ITEM_READ,
        Permission.CATALOGUE_READ,
        Permission.FILE_READ,
        Permission.USER_UPDATE,
    }
)
_INSPECTOR = _VIEWER | {
    Permission.INSPECTION_ADD,
    Permission.INSPECTION_UPDATE,
    Permission.INSPECTION_ITEM_ADD,
    Permission.INSPECTION_ITEM_UPDATE,
    Permission.INSPECTION_ITEM_DELETE,
    Permission.FILE_ADD,
}
_PLANNER = _INSPECTOR | {
    Permission.INSPECTION_DELETE,
    Permission.INSPECTION_REOPEN,
    Permission.INSPECTION_RELEASE,
    Permission.CATALOGUE_MANAGE,
}

ROLE_PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: _VIEWER,
    Role.INSPECTOR: _INSPECTOR,
    Role.PLANNER: _PLANNER,
    Role.ADMIN: frozenset(Permission),
}


class ErrorCode(StrEnum):
    """Stable machine codes in `data.error` of a failure that the contract does not list."""

    NOT_LOGGED_IN = "not_logged_in"
    LOGIN_EXPIRED = "login_expired"
    WRONG_LOGIN = "wrong_login"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - the name of a failure, no password
    FACE_MISSING = "face_missing"
    FACE_UNKNOWN = "face_unknown"
    CHALLENGE_NEEDED = "challenge_needed"
    CHALLENGE_FAILED = "challenge_failed"
    PASSWORD_LOGIN_NEEDED = "password_login_needed"  # noqa: S105 - the name of a failure, no password
    PERMISSION_MISSING = "permission_missing"
    INVALID_INPUT = "invalid_input"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    RECORD_SEALED = "record_sealed"
    RECORD_NOT_SEALED = "record_not_sealed"
    NOT_AWAITING_RELEASE = "not_awaiting_release"
    OTHER_EDITION = "other_edition"
    SAME_PERSON = "same_person"
    UNDECIDED_ITEMS = "undecided_items"
    DETECTIONS_RUNNING = "detections_running"
    REASON_TOO_SHORT = "reason_too_short"
    TIMES_IMPLAUSIBLE = "times_implausible"
    SERVICE_WRITTEN = "service_written"
    PHOTO_IN_USE = "photo_in_use"
    PHOTO_IS_REFERENCE = "photo_is_reference"
    """The photo has the content of the reference file, so comparing them would always pass."""
    PHOTO_USED = "photo_used"
    """The content of the photo is a photo of another record."""
    NOT_INSPECTED = "not_inspected"
    """Items passed without a complete inspection, which the rules of the installation forbid."""
    PHONE_CODE_UNKNOWN = "phone_code_unknown"
    PHONE_CODE_TAKEN = "phone_code_taken"
    PHONE_CODE_ENDED = "phone_code_ended"
    STALE = "stale"
    TOO_LARGE = "too_large"
    STORAGE_FULL = "storage_full"
    TOO_SLOW = "too_slow"
    UNSUPPORTED_MEDIA = "unsupported_media"
    RANGE_NOT_SATISFIABLE = "range_not_satisfiable"
    TOO_MANY_REQUESTS = "too_many_requests"
    INTERNAL = "internal"
    UNAVAILABLE = "unavailable"


class StorageFault(StrEnum):
    """Why the service cannot start or write. A failed start prints the value as `why`."""

    DISK_FULL = "disk_full"
    NOT_WRITABLE = "not_writable"
    NEWER_DATABASE = "newer_database"
    """A newer version of the program has changed the database."""
    DAMAGED_DATABASE = "damaged_database"
    BUSY_DATABASE = "busy_database"
    """Another process has locked the database, or an answer takes too long."""
    NO_DATABASE = "no_database"
    """The database server does not answer."""
    NO_FILE_STORE = "no_file_store"
    """The file store does not answer or refuses the request."""
