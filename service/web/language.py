"""Translates the texts of the service for clients that prefer English.

The code holds them in Chinese, the language of the contract, whose own messages stay Chinese.
"""

from __future__ import annotations

import json
import re
from contextvars import ContextVar
from functools import cache

from shared.system.paths import resource_path
from shared.wire.text import FilledText

accept_language: ContextVar[str] = ContextVar("accept_language", default="")
"""The Accept-Language header of the current request."""

_CHOICE = re.compile(r"\s*(en|zh)\b[\w-]*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE)


def prefers_english(header: str) -> bool:
    """Whether an Accept-Language header (RFC 9110, 12.5.4) ranks English above Chinese."""
    qualities = {"en": 0.0, "zh": 0.0}
    for choice in header.split(","):
        if match := _CHOICE.fullmatch(choice):
            language = match[1].lower()
            qualities[language] = max(qualities[language], float(match[2] or 1))
    return qualities["en"] > qualities["zh"]


def translate(text: str) -> str:
    """A text of the service in the language that the current request prefers."""
    return in_english(text) if prefers_english(accept_language.get()) else text


def in_english(text: str) -> str:
    """The English form of a text of the service; any other text as it is."""
    if isinstance(text, FilledText):
        values = {
            name: in_english(value) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        return english_texts()[text.template].format(**values)
    return english_texts().get(text, text)


@cache
def english_texts() -> dict[str, str]:
    """Chinese texts and templates of the service -> their English forms."""
    path = resource_path("translations", "service_en.json")
    texts: dict[str, str] = json.loads(path.read_text("utf-8"))
    return texts
