"""Reads the pages of the guide in one language and searches them. No widgets.

Maps the pages, sections and dialogs of the program to pages of the guide.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from PySide6.QtWidgets import QDialog

from desktop.localization.language import QT_TRANSLATE_NOOP
from desktop.widgets import Page
from shared.system.paths import resource_path


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
    "UnsentQuestion": "photos",
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


KEYS_MARK = "<!-- keys -->"
"""Placeholder in a page for the table of all commands with their keys."""
_EXCERPT_CHARACTERS = 40
"""Length of the excerpt of a search hit."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A page that a search found, with an excerpt of its text."""

    topic: str
    title: str
    excerpt: str


class Guide:
    """The pages of the guide in `language`. `keys` returns the table that replaces `KEYS_MARK`."""

    def __init__(self, language: str, keys: Callable[[], str] = str) -> None:
        self.folder = resource_path("guide", language)
        self._keys = keys

    @cached_property
    def _texts(self) -> dict[str, str]:
        names = (topic for _part, topics in CONTENTS for topic in topics)
        return {name: (self.folder / f"{name}.md").read_text(encoding="utf-8") for name in names}

    def has_topic(self, topic: str) -> bool:
        """Whether there is a page of this name."""
        return topic in self._texts

    def title(self, topic: str) -> str:
        """Return the heading of a page."""
        return self._texts[topic].split("\n", 1)[0].removeprefix("# ").strip()

    def markdown(self, topic: str) -> str:
        """Return the Markdown of a page, with the table of keys in place of `KEYS_MARK`."""
        text = self._texts[topic]
        return text.replace(KEYS_MARK, self._keys()) if KEYS_MARK in text else text

    def picture(self, name: str) -> Path:
        """Return the file of a picture by its name in a page."""
        return (self.folder / name).resolve()

    def search(self, query: str) -> list[SearchHit]:
        """Return the pages that contain all words of `query`, ignoring case, best first."""
        words = query.casefold().split()
        if not words:
            return []
        hits = []
        for order, topic in enumerate(self._texts):
            plain_text = _plain_text(self.markdown(topic))
            lower, title = plain_text.casefold(), self.title(topic).casefold()
            if all(word in lower for word in words):
                score = sum(100 * (word in title) + min(lower.count(word), 20) for word in words)
                hits.append(
                    (-score, order, SearchHit(topic, self.title(topic), _excerpt(plain_text, words[0])))
                )
        return [hit for _points, _order, hit in sorted(hits, key=lambda row: row[:2])]


def _plain_text(markdown: str) -> str:
    """Remove the markup from the Markdown of a page."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", markdown)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*#|`>]+|^\s*-{3,}.*$", " ", text, flags=re.MULTILINE)


def _excerpt(plain_text: str, word: str) -> str:
    words = " ".join(plain_text.split())
    position = max(words.casefold().find(word), 0)
    start, end = max(position - _EXCERPT_CHARACTERS // 2, 0), position + _EXCERPT_CHARACTERS
    return ("…" if start else "") + words[start:end].strip() + ("…" if end < len(words) else "")
