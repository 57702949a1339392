"""File names inside a dataset: each its own, readable, and harmless on every system."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from desktop.exchange.content import ItemFacts

_HARMFUL = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_LONGEST = 80


def harmless(name: str, otherwise: str) -> str:
    """`name` without what some file system refuses or hides; `otherwise` when nothing is left."""
    return _HARMFUL.sub("_", name)[:_LONGEST].strip(". ") or otherwise


def stem(file_name: str) -> str:
    """The name without its last ending."""
    return PurePosixPath(file_name).stem


def photo_names(facts: Iterable[ItemFacts]) -> dict[str, str]:
    """A file name for each item's photo, by item id: cameras give many pictures the same name."""
    return {
        one.item.item_id: f"{one.number:04d}-{harmless(one.photo.name, 'photo')}"
        for one in facts
        if one.photo is not None
    }
