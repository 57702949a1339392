"""File names inside a dataset: each its own, readable, and harmless on every system."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from desktop.exchange.content import ItemFacts, Picture

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


def reference_names(home: Picture | None, facts: Iterable[ItemFacts]) -> dict[Picture, str]:
    """A file name for each picture with regions, `home` (the record's reference image) first.

    The first of a name keeps it, as readers look for it; the others of that name are numbered.
    """
    marked = [one.reference for one in facts if one.region is not None]
    names: dict[Picture, str] = {}
    for picture in dict.fromkeys([home, *marked]):
        if picture is not None:
            taken = stem(picture.name) in {stem(name) for name in names.values()}
            names[picture] = f"{len(names):04d}-{picture.name}" if taken else picture.name
    return names
