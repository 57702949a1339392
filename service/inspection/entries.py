"""Checks what a client may write in result entries and records who made each finding. Pure.

An entry with one of `results.SERVICE_KEYS` was written by the service: a detection, a correction, a verdict.
A client replaces its own entries only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from shared.record import results
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
    # Looked up by key: a correction of 10,000 boxes is matched within the only write transaction.
    unchanged = _by_key(corrected, _core)
    out: list[EntryBox | None] = [None] * len(boxes)
    for at, box in enumerate(boxes):
        same = unchanged.get(_core(box))
        if same:
            out[at] = {**_anonymous(box), **_history(same[-1]), **_measured(same.pop(), box)}
    left = [other for others in unchanged.values() for other in reversed(others)]
    changed = _by_key(left, _recognition)
    for at, box in enumerate(boxes):
        if out[at] is not None:
            continue
        key = _recognition(box)
        candidates = changed.get(key) if key is not None else None
        if not candidates:
            out[at] = {**_anonymous(box), "origin": Origin.PERSON.value, "by": by, "by_name": by_name}
            continue
        before = candidates.pop()
        history = _history(before)
        if history.get("by") != by:
            history |= {"corrected_by": by, "corrected_by_name": by_name}
        out[at] = {**_anonymous(box), **history, **_measured(before, box)}
    return [box for box in out if box is not None]


def _by_key(boxes: Iterable[EntryBox], key: Callable[[EntryBox], object]) -> dict[object, list[EntryBox]]:
    """The boxes by their key, the first one of each key last."""
    groups: dict[object, list[EntryBox]] = {}
    for box in boxes:
        groups.setdefault(key(box), []).append(box)
    for group in groups.values():
        group.reverse()
    return groups


def _core(box: EntryBox) -> tuple[object, ...]:
    points = box["points"]
    return box["label"], box["confidence"], points["x1"], points["y1"], points["x2"], points["y2"]


def _origin(box: EntryBox) -> Origin:
    return Origin.PERSON if box.get("origin") == Origin.PERSON else Origin.MODEL


def _history(box: EntryBox) -> BoxAuthors:
    fields: Mapping[str, object] = box
    authors = {key: fields[key] for key in results.AUTHOR_KEYS if key in fields}
    return cast(BoxAuthors, {"origin": _origin(box).value, **authors})


def _measured(before: EntryBox, box: EntryBox) -> EntryBox:
    """The second opinion and the reason of the memory of a finding that is where it was; else nothing."""
    is_moved = _core(before)[2:] != _core(box)[2:]
    keys = () if is_moved else _MEASURED_KEYS
    return cast(EntryBox, {key: value for key, value in before.items() if key in keys})


def _recognition(box: EntryBox) -> tuple[object, ...] | None:
    """What a box keeps when it is moved or given another label; None for a new box of a person."""
    if _origin(box) is Origin.PERSON:
        return None if box.get("by") is None else (Origin.PERSON, box.get("by"))
    return Origin.MODEL, box.get("confidence")
