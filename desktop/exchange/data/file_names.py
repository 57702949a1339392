"""Names files inside a dataset: unique, readable, and valid on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts

_UNSAFE_CHARACTERS = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_UPLOAD_PREFIX = re.compile(r"(?=\d*[a-f])[0-9a-f]{8}-")
"""What Label Studio puts before the name of an uploaded picture. Digits alone are more often a date."""
_ROBOFLOW_NAME = re.compile(r"(.+)_([a-z]{3,4})\.rf\.\w+(\.\w+)?")
"""How Roboflow renames IMG_1.jpg: IMG_1_jpg.rf.<hash>.jpg."""
_MAX_LENGTH = 80


def safe_name(name: str, default: str) -> str:
    """Replace the characters that some file system refuses or hides. Returns `default` if nothing is left."""
    return _UNSAFE_CHARACTERS.sub("_", name)[:_MAX_LENGTH].strip(". ") or default


def stem(file_name: str) -> str:
    """The name without its last suffix."""
    return PurePosixPath(file_name).stem


def last_name(path: object) -> str:
    """The last part of a path of any system; empty for another value."""
    return PurePosixPath(path.replace("\\", "/")).name if isinstance(path, str) else ""


def same_picture(path: object, target: str) -> bool:
    """Whether a file names the picture `target`, in whatever folder, address, case or normalization.

    A converted photo has its former name before the new suffix: IMG_1.HEIC.jpg.
    """
    if not isinstance(path, str):
        return False
    former = _former_names(target)
    # Some programs leave out the suffix.
    return not written_names(path).isdisjoint(former | {stem(name) for name in former} & {_bare_name(path)})


def _bare_name(path: str) -> str:
    """The name of a file without a suffix; empty for one that has a suffix."""
    name = _comparable(last_name(path))
    return "" if "." in name else name


def same_stem(path: str, target: str) -> bool:
    """Whether a file belongs to the picture `target`, because its name differs in the suffix alone."""
    wanted = {stem(name) for name in (*_former_names(target), *_former_names(safe_name(target, "reference")))}
    return any(stem(name) in wanted for name in written_names(path))


def written_names(path: str) -> set[str]:
    """The names that a picture may have had before a program renamed it, or made an address of its name."""
    names = {last_name(path)} | {last_name(unquote(part)) for part in (path, path.partition("?")[0])}
    names = {_comparable(name) for name in names if name}
    names |= {_UPLOAD_PREFIX.sub("", name, count=1) for name in names if _UPLOAD_PREFIX.match(name)}
    renamed = filter(None, map(_ROBOFLOW_NAME.fullmatch, list(names)))
    return names | {f"{match[1]}.{match[2]}" for match in renamed}


def _comparable(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _former_names(target: str) -> set[str]:
    name = _comparable(last_name(target))
    former = stem(name)
    return {name, former} if "." in former else {name}


@dataclass(frozen=True, slots=True)
class NamedPhoto:
    """A photo with its file name inside a dataset and the items that it belongs to."""

    file_name: str
    picture: ExportedPicture
    items: Sequence[ItemFacts]


def name_photos(facts: Iterable[ItemFacts]) -> list[NamedPhoto]:
    """List each photo once, in the order of the items, with all items that share it.

    A photo must not be written once for each item: the findings of the other items would be missing in each
    copy, and a training would take them for sound surface. The file name begins with the number of the first
    item, because cameras reuse names.
    """
    groups: dict[str, list[ItemFacts]] = {}
    for item_facts in facts:
        if item_facts.photo is not None:
            # Two photos are the same only if their content is.
            content = item_facts.photo.content_id or f"item {item_facts.number}"
            groups.setdefault(content, []).append(item_facts)
    photos = []
    for items in groups.values():
        picture = items[0].photo
        assert picture is not None
        photos.append(NamedPhoto(f"{items[0].number:04d}-{safe_name(picture.name, 'photo')}", picture, items))
    return photos


def reference_names(
    record_reference: ExportedPicture | None, facts: Iterable[ItemFacts]
) -> dict[ExportedPicture, str]:
    """Choose a file name for each picture with regions, beginning with the record's reference image.

    The first picture with a name keeps it, because importing programs look for it. The others get a number.
    """
    item_references = [item_facts.reference for item_facts in facts if item_facts.region is not None]
    names: dict[ExportedPicture, str] = {}
    for picture in dict.fromkeys([record_reference, *item_references]):
        if picture is not None:
            is_taken = stem(picture.name) in {stem(name) for name in names.values()}
            names[picture] = f"{len(names):04d}-{picture.name}" if is_taken else picture.name
    return names


def dataset_pictures(
    inspection: Inspection, regions_folder: str, findings_folder: str
) -> dict[str, ExportedPicture]:
    """The pictures of a dataset by their paths in it; regions and findings have separate folders."""
    facts = inspection.facts()
    names = reference_names(inspection.reference, facts)
    pictures = {
        f"{regions_folder}/{safe_name(name, 'reference')}": picture for picture, name in names.items()
    }
    return pictures | {f"{findings_folder}/{photo.file_name}": photo.picture for photo in name_photos(facts)}
