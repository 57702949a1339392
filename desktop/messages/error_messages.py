"""Translates an error into one sentence that says what to do.

Errors are recognized by their class or code. The message of the service, which is in the language of the
desktop, is shown for all others, because it is more exact than a general sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from desktop.client.http.answers import FOREIGN_ANSWER
from desktop.client.http.errors import (
    ClientError,
    Conflict,
    Forbidden,
    Invalid,
    NotLoggedIn,
    Refused,
    ServerFault,
    Stale,
    TooLarge,
    TooMany,
    Unreachable,
    Unsupported,
    Untrusted,
)
from desktop.imaging.decoding.errors import ImageError
from desktop.localization.detection_terms import failure_sentence
from desktop.localization.fonts import FONT_PACKAGE, MissingGlyphsError
from desktop.report.content import SealBrokenError, TemplateError
from shared.record.codes import ErrorCode, StorageFault
from shared.system.paths import is_program_replaced


def sentence(error: Exception) -> str:
    """The sentence that tells the user about `error`."""
    if isinstance(error, MissingGlyphsError):
        return _missing_font_sentence(error)
    if isinstance(error, SealBrokenError):
        text = QCoreApplication.translate(
            "Errors",
            "The stored content of edition {n} does not match its seal. Verify the seal and contact "
            "an administrator.",
        )
        return text.format(n=error.edition)
    if isinstance(error, TemplateError):
        return _template_sentence(error)
    if isinstance(error, ImageError):
        return str(error)
    if not isinstance(error, ClientError) and is_program_replaced():
        return program_replaced_sentence()
    if isinstance(error, OSError):
        return QCoreApplication.translate("Errors", "Cannot read the file. Select another file.")
    if not isinstance(error, ClientError):
        return QCoreApplication.translate("Errors", "The operation failed. Try again.")
    if isinstance(error, Refused):
        return _refused_sentence(error)
    if isinstance(error, Invalid) and error.faults:
        name = next(iter(error.faults))
        return field_sentence(error, name)
    return _kind_sentence(error) or error.server_message or _request_rejected_sentence()


def _template_sentence(error: TemplateError) -> str:
    if error.key:
        text = QCoreApplication.translate("Errors", "Entry {key} of the report template {file} is invalid.")
        return text.format(key=error.key, file=error.path.name)
    text = QCoreApplication.translate(
        "Errors", "Cannot read the report template {file}. Select another one in the settings."
    )
    return text.format(file=error.path.name)


def program_replaced_sentence() -> str:
    """Tell that errors come from an update of the open program."""
    return QCoreApplication.translate(
        "Errors", "The program was updated while it was open. Restart it: parts of this version are missing."
    )


def field_sentence(error: Invalid, name: str) -> str:
    """What is wrong with the field `name`; empty if it is valid."""
    if name not in error.fields and name not in error.faults:
        return ""
    match error.faults.get(name):
        case "username_length":
            return QCoreApplication.translate("Errors", "The username must have 1 to 64 characters.")
        case "username_characters":
            return QCoreApplication.translate(
                "Errors", "The username cannot contain spaces or invisible characters."
            )
        case "password_length":
            return QCoreApplication.translate("Errors", "The password must have 8 to 128 characters.")
        case "password_common":
            return QCoreApplication.translate(
                "Errors", "This password is too common. Choose another password."
            )
        case "password_is_username":
            return QCoreApplication.translate("Errors", "The password cannot be the same as the username.")
        case "password_unchanged":
            return QCoreApplication.translate(
                "Errors", "The new password is the same as the current one. Choose another password."
            )
        case "end_before_start":
            return QCoreApplication.translate("Errors", "The end time cannot be before the start time.")
        case _:
            return error.fields.get(name) or QCoreApplication.translate(
                "Errors", "Invalid value. Correct it."
            )


def _missing_font_sentence(error: MissingGlyphsError) -> str:
    if error.chinese:
        return QCoreApplication.translate(
            "Errors",
            "No font with Chinese characters on this computer. Install one (package {package} on "
            "Debian and Ubuntu), or export the report as HTML.",
        ).format(package=FONT_PACKAGE)
    return QCoreApplication.translate(
        "Errors",
        "No font on this computer contains the characters {codes}. Install a font that does, or "
        "export the report as HTML.",
    ).format(codes=error)


def seconds_sentence(seconds: int) -> str:
    """How long to wait after too many attempts; the page counts the seconds down."""
    return QCoreApplication.translate("Errors", "Too many attempts. Try again in %n second(s).", "", seconds)


def _request_rejected_sentence() -> str:
    return QCoreApplication.translate("Errors", "The service rejected the request. Try again.")


def _kind_sentence(error: ClientError) -> str:
    """The sentence for an error whose class or code is sufficient; empty for the others."""
    if isinstance(error, Untrusted):
        return _untrusted_sentence(error)
    if isinstance(error, Unreachable):
        return QCoreApplication.translate(
            "Errors", "Cannot connect to the service. Check that it is running, then try again."
        )
    if isinstance(error, NotLoggedIn):
        return QCoreApplication.translate("Errors", "Your session has expired. Log in again.")
    if isinstance(error, Forbidden):
        return _forbidden_sentence(error)
    if isinstance(error, Stale):
        return QCoreApplication.translate(
            "Errors", "Another user modified this. Check the latest content, then try again."
        )
    if isinstance(error, TooLarge):
        return QCoreApplication.translate("Errors", "The file is too large. Select a smaller file.")
    if isinstance(error, Unsupported):
        return error.server_message or QCoreApplication.translate(
            "Errors", "This file type is not supported. Select a JPEG, PNG or WebP photo."
        )
    if isinstance(error, TooMany):
        return seconds_sentence(round(error.retry_after))
    if isinstance(error, ServerFault):
        return _fault_sentence(error)
    if isinstance(error, Conflict) and isinstance(error.details.get("references"), dict):
        return _in_use_sentence(error.details["references"])
    if isinstance(error, Conflict) and isinstance(error.details.get("items"), list):
        return _blocking_items_sentence(error)
    if isinstance(error, Conflict) and error.code == ErrorCode.PHOTO_USED:
        return QCoreApplication.translate(
            "Errors", "Already used in {record}. To use it anyway, add it yourself and confirm."
        ).format(record=used_in_record(error))
    if isinstance(error, Conflict):
        return failure_sentence(error.code, "")
    return ""


def used_in_record(error: Conflict) -> str:
    """The name of the record that has the photo already, from an error with the code `photo_used`."""
    return str(error.details.get("inspection_name") or error.details.get("inspection_id"))


def _untrusted_sentence(error: Untrusted) -> str:
    if error.trusted is None:
        return QCoreApplication.translate(
            "Errors",
            "The certificate of the server is not trusted. Compare its fingerprint and trust the server, or "
            "select another one.",
        )
    return QCoreApplication.translate(
        "Errors",
        "The certificate of the server has changed. Ask an administrator before you trust the new one.",
    )


def _blocking_items_sentence(error: Conflict) -> str:
    """How many items prevent a record from being finished, and the names of the first three."""
    items, count = error.details["items"], error.details.get("count")
    names = ", ".join(str(item.get("item_name")) for item in items[:3])
    number = count if isinstance(count, int) else len(items)
    if error.code == "detections_running":
        text = QCoreApplication.translate(
            "Errors",
            "Detection is running on %n item(s): {names}. Wait for it to finish or cancel it.",
            "",
            number,
        )
    elif error.code == ErrorCode.NOT_INSPECTED:
        text = QCoreApplication.translate(
            "Errors",
            "%n passed item(s) were not inspected completely: {names}. Detect them in a photo of the whole "
            "region.",
            "",
            number,
        )
    else:
        text = QCoreApplication.translate("Errors", "%n item(s) have no verdict yet: {names}", "", number)
    return text.format(names=names + (", …" if number > 3 else ""))


def _in_use_sentence(references: Mapping[str, int]) -> str:
    """How many entries of the catalogue and records still refer to an object."""
    texts = {
        "flight": QCoreApplication.translate("Errors", "%n flight(s)", "", references.get("flight", 0)),
        "task": QCoreApplication.translate("Errors", "%n task(s)", "", references.get("task", 0)),
        "reference_image": QCoreApplication.translate(
            "Errors", "%n reference image(s)", "", references.get("reference_image", 0)
        ),
        "record": QCoreApplication.translate("Errors", "%n record(s)", "", references.get("record", 0)),
    }
    used = [text for kind, text in texts.items() if references.get(kind)]
    return QCoreApplication.translate(
        "Errors", "Still in use by {what}. Change or delete these first."
    ).format(what=", ".join(used) or QCoreApplication.translate("Errors", "other entries"))


def _forbidden_sentence(error: Forbidden) -> str:
    if error.code == "password_login_needed":
        return QCoreApplication.translate(
            "Errors",
            "This requires a recent password login. Log out, log in with your password, then try again.",
        )
    if error.code == "permission_missing":
        return QCoreApplication.translate(
            "Errors", "You do not have permission to do this. Contact an administrator."
        )
    if error.code == "face_login_off":
        return QCoreApplication.translate("Errors", "Face login is disabled. Log in with your password.")
    return ""


def _fault_sentence(error: ServerFault) -> str:
    if error.code == FOREIGN_ANSWER:
        return QCoreApplication.translate(
            "Errors",
            "No Walkaround service at this address. Check the server address.",
        )
    # The service says what to do: to wait, or to free space.
    if error.code in {ErrorCode.UNAVAILABLE, ErrorCode.STORAGE_FULL}:
        return error.server_message or QCoreApplication.translate(
            "Errors", "The service is busy. Try again in a moment."
        )
    if error.request_id:
        return QCoreApplication.translate(
            "Errors",
            "A service error occurred. Try again. If it happens again, give an "
            "administrator the number {number}.",
        ).format(number=error.request_id)
    return QCoreApplication.translate("Errors", "A service error occurred. Try again.")


def _refused_sentence(error: Refused) -> str:
    """The sentence for a refusal that the contract documents: its own messages are always Chinese."""
    translate = QCoreApplication.translate
    match error.code:
        case ErrorCode.WRONG_LOGIN:
            return translate("Errors", "Wrong username or password.")
        case ErrorCode.WRONG_PASSWORD:
            return translate("Errors", "The current password is wrong. Try again.")
        case ErrorCode.FACE_UNKNOWN:
            return translate("Errors", "Face not recognized. Try again, or log in with your password.")
        case ErrorCode.FACE_MISSING:
            return translate("Errors", "No face photo. Take or select one.")
        case ErrorCode.INVALID_INPUT if isinstance(error.data, str):
            # The profile: the field, a colon and its rule.
            return re.split("：|: ", error.data, maxsplit=1)[-1]
    return challenge_sentence(error.code) or error.server_message or _request_rejected_sentence()


def challenge_sentence(code: str) -> str:
    """What to do better after a failed challenge of the head; empty if `code` is none of it."""
    translate = QCoreApplication.translate
    return {
        "challenge_failed": translate(
            "Errors", "Movement not recognized. Turn slowly when the arrow appears."
        ),
        "challenge_no_face": translate("Errors", "Show your whole face, closer to the camera."),
        "challenge_face_too_small": translate("Errors", "Move closer to the camera."),
        "challenge_too_dark": translate("Errors", "Your face is too dark. Add light."),
        "challenge_too_few_frames": translate("Errors", "The camera was too slow. Use more light."),
        "challenge_not_steady": translate("Errors", "Look straight ahead until the arrow appears."),
        "challenge_not_made": translate("Errors", "Turn your head further."),
        "challenge_face_lost": translate("Errors", "Turn your head more slowly, and less far."),
        "challenge_wrong_movement": translate("Errors", "Move in the direction of the arrow."),
        "challenge_still": translate("Errors", "Blink or smile until the arrow appears."),
    }.get(code, "")


def same_person_sentence() -> str:
    """Why a user who took part in a record cannot review it, and what to do."""
    return QCoreApplication.translate(
        "Errors",
        "You finished this record, or gave a verdict or a correction in it. "
        "Ask a user who took no part in it to review it.",
    )


def no_service_sentence(storage_fault: StorageFault | None, folder: Path | None) -> str:
    """Explain why the local service does not start and what to do. `folder` is its data folder."""
    translate = QCoreApplication.translate
    match storage_fault:
        case StorageFault.DISK_FULL:
            text = translate(
                "Service", "The service cannot start: the disk of {folder} is full. Free disk space."
            )
        case StorageFault.NOT_WRITABLE:
            text = translate(
                "Service",
                "The service cannot start: no write access to {folder}. Give this account write permission.",
            )
        case StorageFault.NEWER_DATABASE:
            text = translate(
                "Service",
                "The service cannot start: the data in {folder} is from a newer version of "
                "Walkaround. Install that version.",
            )
        case StorageFault.DAMAGED_DATABASE:
            text = translate(
                "Service",
                "The service cannot start: the database in {folder} is damaged. Restore a backup.",
            )
        case StorageFault.BUSY_DATABASE:
            text = translate(
                "Service",
                "The service cannot start: another program is using the database in {folder}. Close "
                "that program.",
            )
        case StorageFault.NO_DATABASE | StorageFault.NO_FILE_STORE | None:
            text = translate(
                "Service",
                "Cannot start or connect to the service. Your changes are saved on this computer.",
            )
    return text.format(folder=folder or "")
