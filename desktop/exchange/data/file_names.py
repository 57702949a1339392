"""Names files inside a dataset: unique, readable, and valid on every system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts

_HARMFUL = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_LONGEST = 80


def safe_name(name: str, otherwise: str) -> str:
    """`name` without what some file system refuses or hides; `otherwise` when nothing is left."""
    return _HARMFUL.sub("_", name)[:_LONGEST].strip(". ") or otherwise


def stem(file_name: str) -> str:
    """The name without its last ending."""
    return PurePosixPath(file_name).stem


@dataclass(frozen=True, slots=True)
class NamedPhoto:
    """A photo with its file name inside a dataset and the items that it belongs to."""

    file_name: str
    picture: ExportedPicture
    items: Sequence[ItemFacts]


def named_photos(facts: Iterable[ItemFacts]) -> list[NamedPhoto]:
    """Each photo once, in the order of the items, with all the items that share it.

    A finding of any of them is a finding in the picture: in a copy for each item, the others' would count as
    sound surface. The first item's number is in the name, as cameras give many pictures the same one.
    """
    groups: dict[str, list[ItemFacts]] = {}
    for item_facts in facts:
        if item_facts.photo is not None:
            # Only the content says that two photos are the same.
            content = item_facts.photo.content_id or f"item {item_facts.number}"
            groups.setdefault(content, []).append(item_facts)
    photos = []
    for items in groups.values():
        picture = items[0].photo
        assert picture is not None
        photos.append(NamedPhoto(f"{items[0].number:04d}-{safe_name(picture.name, 'photo')}", picture, items))
    return photos


def reference_names(home: ExportedPicture | None, facts: Iterable[ItemFacts]) -> dict[ExportedPicture, str]:
    """A file name for each picture with regions, `home` (the record's reference image) first.

    The first of a name keeps it, as readers look for it; the others of that name are numbered.
    """
    marked = [item_facts.reference for item_facts in facts if item_facts.region is not None]
    names: dict[ExportedPicture, str] = {}
    for picture in dict.fromkeys([home, *marked]):
        if picture is not None:
            taken = stem(picture.name) in {stem(name) for name in names.values()}
            names[picture] = f"{len(names):04d}-{picture.name}" if taken else picture.name
    return names


def dataset_pictures(inspection: Inspection, regions: str, findings: str) -> dict[str, ExportedPicture]:
    """The pictures of a dataset by their paths in it, in a folder for regions and one for findings."""
    facts = inspection.facts()
    names = reference_names(inspection.reference, facts)
    pictures = {f"{regions}/{safe_name(name, 'reference')}": picture for picture, name in names.items()}
    return pictures | {f"{findings}/{photo.file_name}": photo.picture for photo in named_photos(facts)}
