"""Reads the pages of the guide in one language and searches them. No widgets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from desktop.help.topics import CONTENTS
from shared.system.paths import resource_path

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
