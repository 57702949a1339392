"""Checks what a client may write in result entries and records who made each finding. Pure.

An entry with one of `results.SERVICE_KEYS` was written by the service: a detection, a correction, a verdict.
A client replaces its own entries only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from shared.record import findings, results
from shared.record.codes import Origin
from shared.record.entries import BoxAuthors, Entry, EntryBox

_MEASURED_KEYS = ("second_opinion", "memory_reason")
"""The keys of a box that the service measured at its place."""


class ContradictionError(ValueError):
    """A client contradicts what the service wrote: `field` of the entry with this `version`."""

    def __init__(self, version: int, field: str) -> None:
        super().__init__(f"entry {version} has another {field}")
        self.version = version
        self.field = field


def merge_entries(sent: Sequence[Entry], stored: Sequence[Entry]) -> list[Entry]:
    """The entries of an item after a client sent `sent` as its result.

    Every entry of the service stays as it is stored, even if it was not sent. A sent entry with the version
    of such an entry is a copy of it. All others are the client's own, without the keys that only the service
    may write. Raises ContradictionError when a copy differs.
    """
    service_entries = [entry for entry in stored if results.is_service_entry(entry)]
    out: list[Entry] = []
    for entry in sent:
        version = _version_of(entry)
        original = next(
            (other for other in service_entries if version is not None and _version_of(other) == version),
            None,
        )
        if original is None:
            out.append(plain(entry))
            continue
        _check_copy(entry, original)
        if original not in out:
            out.append(original)
    for entry in service_entries:
        if entry not in out:
            version = _version_of(entry) or 0
            later = (at for at, other in enumerate(out) if (_version_of(other) or 0) > version)
            out.insert(next(later, len(out)), entry)
    return out


def plain(entry: Entry) -> Entry:
    """`entry` without the keys that only the service may write."""
    fields = cast(Entry, {key: value for key, value in entry.items() if key not in results.SERVICE_KEYS})
    image = fields.get("resultImage")
    if isinstance(image, Mapping) and isinstance(image.get("boxes"), Sequence):
        fields["resultImage"] = {**image, "boxes": [_anonymous(box) for box in image["boxes"]]}
    return fields


def _anonymous(box: EntryBox) -> EntryBox:
    return cast(EntryBox, {key: value for key, value in box.items() if key not in results.SERVICE_BOX_KEYS})


def _version_of(entry: Entry) -> int | None:
    version = entry.get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def _check_copy(entry: Entry, original: Entry) -> None:
    job = results.entry_job_id(original)
    if job is not None and results.is_under_way(entry) and results.entry_job_id(entry) == job:
        # How the detection stood when the client read it.
        return
    for key, value in entry.items():
        if value != original.get(key):
            raise ContradictionError(results.entry_version(original), key)


def add_authorship(
    boxes: Sequence[EntryBox], corrected: Sequence[EntryBox], by: str, by_name: str | None
) -> list[EntryBox]:
    """`boxes` of a correction of the findings `corrected`, each with its origin and who drew or changed it.

    A box that is the same as before keeps its origin and its author. One that was moved or given another
    label keeps them and says who changed it: a model's finding is recognised by its confidence, a person's by
    its author. Every other box was drawn by the person `by`. What the service measured of
    a box stays with it if it was not moved.
    """
    out: list[EntryBox] = []
    for box, place in zip(boxes, findings.match_boxes(corrected, boxes), strict=True):
        if place is None:
            out.append({**_anonymous(box), "origin": Origin.PERSON.value, "by": by, "by_name": by_name})
            continue
        before = corrected[place]
        history = _history(before)
        is_changed = any(before[key] != box[key] for key in ("label", "confidence")) or _is_moved(before, box)
        if is_changed and history.get("by") != by:
            history |= {"corrected_by": by, "corrected_by_name": by_name}
        out.append({**_anonymous(box), **history, **_measured(before, box)})
    return out


def _is_moved(before: EntryBox, box: EntryBox) -> bool:
    return findings.box_corners(before) != findings.box_corners(box)


def _history(box: EntryBox) -> BoxAuthors:
    fields: Mapping[str, object] = box
    authors = {key: fields[key] for key in results.AUTHOR_KEYS if key in fields}
    return cast(BoxAuthors, {"origin": findings.origin_of(box).value, **authors})


def _measured(before: EntryBox, box: EntryBox) -> EntryBox:
    """The second opinion and the reason of the memory of a finding that is where it was; else nothing."""
    keys = () if _is_moved(before, box) else _MEASURED_KEYS
    return cast(EntryBox, {key: value for key, value in before.items() if key in keys})
