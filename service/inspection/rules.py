"""Decides about records and items on plain data: outcome, progress, entries. Pure.

What a client may write in result entries is checked here, and who made each finding is noted. An entry with
one of `results.SERVICE_KEYS` was written by the service: a detection, a correction, a verdict. A client
replaces its own entries only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from shared.record import findings, results
from shared.record.codes import InspectionGap, Origin, Progress, Status, Verdict
from shared.record.entries import (
    BoxAuthors,
    Entry,
    EntryBox,
    EntryError,
    EntryVerdict,
    Provenance,
    entry_pictures,
)

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


class Outcome(StrEnum):
    """What the result entries of an item come to, stored beside them so that counting need not read them
    all."""

    EMPTY = "empty"
    OPEN = "open"
    PASSED = "passed"
    FAILED = "failed"


FINISHED = (Outcome.PASSED, Outcome.FAILED)

CANCELED: EntryError = {"code": "canceled", "message": "检测已取消"}
"""Why a detection gave no result when nobody is left to end it."""

INCOMPLETE: EntryError = {
    "code": str(InspectionGap.INCOMPLETE_COVERAGE),
    "message": "照片未完整拍到区域，检查不完整，请重新拍摄",
}
"""Why a result without findings is no pass."""

# Entries that count exactly like those of any item with this outcome.
_SAMPLE_ENTRIES: Mapping[Outcome, Sequence[Entry]] = {
    Outcome.EMPTY: (),
    Outcome.OPEN: ({},),
    Outcome.PASSED: ({"isPassed": True},),
    Outcome.FAILED: ({"isPassed": False},),
}


def outcome(entries: Sequence[Entry]) -> Outcome:
    """The outcome of an item with these result entries."""
    passed = results.is_passed(entries)
    if passed is None:
        return Outcome.OPEN if entries else Outcome.EMPTY
    return Outcome.PASSED if passed else Outcome.FAILED


def progress_and_status(outcomes: Mapping[Outcome, int], status: Status) -> tuple[int, Status]:
    """Progress (0..100) and status of a record at `status`; `outcomes` counts its items by their outcome."""
    # Thousands of items would take several ms. The status depends only on which outcomes occur.
    finished_count = sum(outcomes.get(outcome, 0) for outcome in FINISHED)
    occurring = [_SAMPLE_ENTRIES[outcome] for outcome, count in outcomes.items() if count]
    progress = results.progress_of(finished_count, sum(outcomes.values()))
    return progress, results.record_status(occurring, status)


def verdict_entry(
    entries: Sequence[Entry],
    verdict: Verdict,
    reason: str | None,
    by: str,
    by_name: str | None,
    at: datetime,
    *,
    accepted_version: int | None = None,
) -> Entry:
    """The result entry that a person's decision appends to `entries`; `at` is in UTC. It has no pictures.

    `accepted_version`: the decision accepts the model's opinion in the entry with this version.
    """
    undecided = verdict is Verdict.UNDECIDED
    entry_verdict: EntryVerdict = {
        "value": str(verdict),
        "reason": reason,
        "by": by,
        "by_name": by_name,
        "at": at.replace(tzinfo=None).isoformat() + "Z",
    }
    if accepted_version is not None:
        entry_verdict["accepted_opinion_of_version"] = accepted_version
    return {
        **entry_pictures(),
        "isPassed": verdict is Verdict.PASSED,
        "progress": str(Progress.PENDING if undecided else Progress.DONE),
        "version": results.next_version(entries),
        "verdict": entry_verdict,
    }


def signers(entries: Sequence[Entry]) -> set[str]:
    """The IDs of the users who gave a verdict or a correction in these entries, also a replaced one."""
    parts = (part for entry in entries for part in (entry.get("verdict"), entry.get("correction")))
    return {str(part["by"]) for part in parts if isinstance(part, Mapping) and part.get("by") is not None}


def correction_entry(
    entries: Sequence[Entry],
    of_version: int,
    boxes: Sequence[EntryBox],
    by: str,
    by_name: str | None,
    at: datetime,
) -> Entry | None:
    """The result entry that a person's correction of a version's findings appends; `at` is in UTC.

    The boxes lie in the photo of that version, and say who drew or changed them (`add_authorship`). None
    when no detection or correction has this version.
    """
    numbered = [(results.entry_version(entry, index), entry) for index, entry in enumerate(entries)]
    of_it = (entry for number, entry in numbered if number == of_version and not results.is_verdict(entry))
    corrected = next(of_it, None)
    if corrected is None:
        return None
    origin = corrected.get("provenance")
    alignment = origin.get("alignment") if isinstance(origin, Mapping) else None
    boxes_before = (corrected.get("resultImage") or {}).get("boxes") or []
    provenance: Provenance = {"alignment": alignment}
    coverage = results.entry_coverage(corrected)
    if coverage is not None:
        provenance["coverage"] = coverage
    # Without findings, a photo that shows too little of the region proves nothing.
    is_incomplete = not boxes and results.covers_too_little(corrected)
    entry: Entry = {
        **entry_pictures(corrected.get("inputImage"), add_authorship(boxes, boxes_before, by, by_name)),
        "isPassed": not boxes and not is_incomplete,
        "progress": str(Progress.INCOMPLETE if is_incomplete else Progress.DONE),
        "version": results.next_version(entries),
        "provenance": provenance,
        "correction": {
            "of_version": of_version,
            "by": by,
            "by_name": by_name,
            "at": at.replace(tzinfo=None).isoformat() + "Z",
        },
    }
    if is_incomplete:
        entry["error"] = INCOMPLETE
    return entry


def with_entry(entries: Sequence[Entry], entry: Entry) -> tuple[list[Entry], int] | None:
    """`entries` with the next step of a job's entry, and its version; None when the job's entry has ended.

    The entry of a job keeps its version from the first step on, and what a step does not say stays as it was.
    """
    job = results.entry_job_id(entry)
    position = next(
        (
            index
            for index, stored in enumerate(entries)
            if job is not None and results.entry_job_id(stored) == job
        ),
        None,
    )
    if position is None:
        version = results.next_version(entries)
        return [*entries, {**entry, "version": version}], version
    before = entries[position]
    if not results.is_under_way(before):
        return None
    version = results.entry_version(before, position)
    step: Entry = {**before, **entry, "version": version}
    if isinstance(before.get("provenance"), Mapping) and isinstance(entry.get("provenance"), Mapping):
        step["provenance"] = {**before["provenance"], **entry["provenance"]}
    return [*entries[:position], step, *entries[position + 1 :]], version


def cancel_running(entries: Sequence[Entry]) -> list[Entry]:
    """`entries` of an item that was deleted, where no detection is under way: nobody would ever end it."""
    return [
        {**entry, "progress": str(Progress.CANCELED), "error": CANCELED}
        if results.is_under_way(entry)
        else entry
        for entry in entries
    ]


def body_hash(body: Mapping[str, Any]) -> str:
    """The SHA-256 of a body: the same for two that say the same, in whatever order."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def json_text(value: Any) -> str:
    """`value` as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def result_values(entries: Sequence[Entry]) -> dict[str, Any]:
    """The columns of an item that result entries come to."""
    return {
        "result": json_text(entries),
        "outcome": str(outcome(entries)),
        "verdict": str(results.current_verdict(entries)),
        "detected": results.finished_detection(entries) is not None,
    }
