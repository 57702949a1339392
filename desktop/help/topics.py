"""Says which page of the guide belongs to which page, section and dialog of the program."""

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

_PAGES = {
    "login": "log-in",
    "records": "records",
    "workbench": "workbench",
    "record": "record",
    "catalogue": "catalogue",
    "statistics": "statistics",
    "people": "users",
    "me": "account",
}
"""`Page.page_id` -> page of the guide."""

_SECTIONS = {
    ("catalogue", "references"): "templates",
    ("catalogue", "models"): "models",
    ("people", "audit"): "audit-log",
    ("people", "faces"): "faces",
    ("people", "backups"): "backups",
    ("people", "webhooks"): "webhooks",
}

_DIALOGS = {
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
    "EnrolDialog": "faces",
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


def topic_of(page: Page | None, dialog: QDialog | None = None) -> str:
    """The page for where the person is: that of the dialog, else of the section, else of the page."""
    if dialog is not None:
        for kind in type(dialog).__mro__:
            if kind.__name__ in _DIALOGS:
                return _DIALOGS[kind.__name__]
    if page is None:
        return START
    section = str(page.return_params().get("section", ""))
    return _SECTIONS.get((page.page_id, section), _PAGES.get(page.page_id, START))
