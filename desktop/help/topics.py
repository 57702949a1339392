"""Maps the pages, sections and dialogs of the program to pages of the guide."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtWidgets import QDialog

from desktop.localization.language import QT_TRANSLATE_NOOP
from desktop.widgets import Page


class Part(NamedTuple):
    """A part of the guide: its title, an English source text of the context "Help", and its pages."""

    title: str
    topics: tuple[str, ...]


CONTENTS: tuple[Part, ...] = (
    Part(QT_TRANSLATE_NOOP("Help", "Start"), ("index", "first-steps", "log-in", "account")),
    Part(
        QT_TRANSLATE_NOOP("Help", "Inspect"),
        (
            *("records", "workbench", "regions", "photos", "phone", "folder-watch", "capture"),
            *("detect", "decide", "trend", "memory", "finish", "record", "report", "undo"),
        ),
    ),
    Part(QT_TRANSLATE_NOOP("Help", "Plan"), ("catalogue", "templates", "models", "statistics")),
    Part(
        QT_TRANSLATE_NOOP("Help", "Administer"),
        ("users", "sessions", "faces", "audit-log", "backups", "webhooks", "server"),
    ),
    Part(QT_TRANSLATE_NOOP("Help", "Help"), ("troubleshooting", "keys")),
)
"""The table of contents: parts with the names of their pages, in order."""

START = "index"

_PAGE_TOPICS = {
    "login": "log-in",
    "records": "records",
    "workbench": "workbench",
    "record": "record",
    "catalogue": "catalogue",
    "statistics": "statistics",
    "people": "users",
    "me": "account",
}
"""Pages of the guide by `Page.page_id`."""

_SECTION_TOPICS = {
    ("catalogue", "references"): "templates",
    ("catalogue", "models"): "models",
    ("people", "audit"): "audit-log",
    ("people", "faces"): "faces",
    ("people", "backups"): "backups",
    ("people", "webhooks"): "webhooks",
}

_DIALOG_TOPICS = {
    "About": "index",
    "AircraftForm": "catalogue",
    "CaptureDialog": "capture",
    "CheckDialog": "finish",
    "CompareVersions": "detect",
    "ConflictDialog": "undo",
    "CrashDialog": "troubleshooting",
    "DeleteDialog": "undo",
    "DeliveriesDialog": "webhooks",
    "DeviceForm": "faces",
    "DoctorDialog": "troubleshooting",
    "EditionsDialog": "finish",
    "HandoverDialog": "records",
    "EnrolDialog": "faces",
    "FilmDialog": "photos",
    "FilmsDialog": "photos",
    "PracticeDialog": "faces",
    "EntryForm": "catalogue",
    "FieldConflictDialog": "record",
    "FinishDialog": "finish",
    "KindForm": "models",
    "MemoryDialog": "memory",
    "NewRecordDialog": "records",
    "PasswordPrompt": "account",
    "PhoneDialog": "phone",
    "ReopenDialog": "finish",
    "ReviewDialog": "photos",
    "RulesDialog": "finish",
    "ScaleDialog": "templates",
    "TrialDialog": "models",
    "SecretDialog": "webhooks",
    "ServerDialog": "server",
    "ShortcutDialog": "keys",
    "ShortcutSheet": "keys",
    "StartDialog": "first-steps",
    "TrendDialog": "trend",
    "TrustDialog": "server",
    "WebhookForm": "webhooks",
    "_UserForm": "users",
}
"""Class of a dialog -> page of the guide; others have the one of their base or of the page behind them."""


def find_topic(page: Page | None, dialog: QDialog | None = None) -> str:
    """Return the page of the guide for `dialog`, or else for the section of `page`, or else for `page`."""
    if dialog is not None:
        for kind in type(dialog).__mro__:
            if kind.__name__ in _DIALOG_TOPICS:
                return _DIALOG_TOPICS[kind.__name__]
    if page is None:
        return START
    section = str(page.return_params().get("section", ""))
    return _SECTION_TOPICS.get((page.page_id, section), _PAGE_TOPICS.get(page.page_id, START))
