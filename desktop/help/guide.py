"""Reads the pages of the guide in one language and searches them. No widgets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from desktop.help.topics import CONTENTS
from shared.paths import resource

KEYS_MARK = "<!-- keys -->"
"""Where a page has the table of all commands with their keys."""
_AROUND = 40
"""Characters of a hit that are shown before and after it."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A page that a search found, and a piece of its text."""

    topic: str
    title: str
    excerpt: str


class Guide:
    """The pages in `language` (a code of the interface). `keys` gives the table for the page of the keys."""

    def __init__(self, language: str, keys: Callable[[], str] = str) -> None:
        self.folder = resource("guide", language)
        self._keys = keys

    @cached_property
    def _texts(self) -> dict[str, str]:
        names = (topic for _part, topics in CONTENTS for topic in topics)
        return {name: (self.folder / f"{name}.md").read_text(encoding="utf-8") for name in names}

    def has(self, topic: str) -> bool:
        """Whether there is a page of this name."""
        return topic in self._texts

    def title(self, topic: str) -> str:
        """The heading of a page."""
        return self._texts[topic].split("\n", 1)[0].removeprefix("# ").strip()

    def markdown(self, topic: str) -> str:
        """The text of a page, with the table of keys where it belongs."""
        text = self._texts[topic]
        return text.replace(KEYS_MARK, self._keys()) if KEYS_MARK in text else text

    def picture(self, name: str) -> Path:
        """The file of a picture by its name in a page."""
        return (self.folder / name).resolve()

    def search(self, wanted: str) -> list[SearchHit]:
        """The pages in which every word of `wanted` occurs, regardless of case; best first."""
        words = wanted.casefold().split()
        if not words:
            return []
        hits = []
        for order, topic in enumerate(self._texts):
            plain = _plain_text(self.markdown(topic))
            lower, title = plain.casefold(), self.title(topic).casefold()
            if all(word in lower for word in words):
                points = sum(100 * (word in title) + min(lower.count(word), 20) for word in words)
                hits.append((-points, order, SearchHit(topic, self.title(topic), _excerpt(plain, words[0]))))
        return [hit for _points, _order, hit in sorted(hits, key=lambda row: row[:2])]


def _plain_text(markdown: str) -> str:
    """The words of a page without its marks."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", markdown)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*#|`>]+|^\s*-{3,}.*$", " ", text, flags=re.MULTILINE)


def _excerpt(plain: str, word: str) -> str:
    flat = " ".join(plain.split())
    at = max(flat.casefold().find(word), 0)
    start, end = max(at - _AROUND // 2, 0), at + _AROUND
    return ("…" if start else "") + flat[start:end].strip() + ("…" if end < len(flat) else "")
