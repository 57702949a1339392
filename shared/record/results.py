"""Reads the result entries of an item: the model's opinion, the verdict, finished or not.

An item's `result` is a list of entries, to which new versions are appended. A detection appends an entry with
the key `job_id` when it is queued, and changes it in place until it has ended: `progress` goes from pending
to detecting to done, error, canceled or incomplete, and `isPassed` is false until it is done. If it fails,
`error` gives the reason: ``{"code": stable code, "message": sentence}``. An incomplete detection found
nothing, but inspected too little of the region (`provenance.coverage`): it is neither passed nor failed, and
has the error ``incomplete_coverage``. A person's decision appends an entry with the key
`verdict`: ``{"value": "passed" | "failed" | "undecided", "reason": str | null, "by": user id, "by_name": str
| null, "at": time with Z}``; one that accepts the model's opinion also has ``"accepted_opinion_of_version"``,
the version of the entry whose opinion it is. A person's correction of findings appends an entry with the key
`correction`: ``{"of_version": version it corrects, "by": user id, "by_name": str | null, "at": time with
Z}``. A verdict has no pictures of its own: ``{}`` and no boxes. In a correction, a box that a person drew has
the origin `person` and its author in `by` and `by_name`; one that a person changed has `corrected_by` and
`corrected_by_name`. Only the service writes `SERVICE_KEYS`
and `SERVICE_BOX_KEYS`. The model's opinion, the present findings and the person's verdict are therefore
stored separately. An entry that a client wrote counts for progress and status of its record, as the contract
says, but is never a model's opinion: nothing here has looked. A client that knows only the contract reads the
decision from `isPassed` of the newest entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from shared.record.codes import InspectionGap, Progress, Status, Verdict
from shared.record.entries import Entry, EntryAppearance, EntryCoverage, EntryRegion

SERVICE_KEYS = ("verdict", "correction", "job_id", "provenance")
"""The keys of an entry that only the service writes. An entry with one of them is an entry of the service."""
AUTHOR_KEYS = ("by", "by_name", "corrected_by", "corrected_by_name")
"""The keys of a box for the users who drew and changed it. Only the service writes them."""
SERVICE_BOX_KEYS = (*AUTHOR_KEYS, "second_opinion", "memory_reason")
"""The keys of a box that only the service writes; `second_opinion` is in boxes of earlier versions."""

_UNDER_WAY = {Progress.PENDING, Progress.DETECTING}
_UNFINISHED = _UNDER_WAY | {Progress.CANCELED, Progress.ERROR}


def entry_version(entry: Entry, index: int = 0) -> int:
    """Return the entry's version; `index` + 1 if it has none."""
    number = entry.get("version")
    return number if isinstance(number, int) and not isinstance(number, bool) else index + 1


def sort_by_version(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries by version, oldest first; equal versions keep their order."""
    return [
        entry for _, entry in sorted(enumerate(entries), key=lambda pair: entry_version(pair[1], pair[0]))
    ]


def next_version(entries: Sequence[Entry]) -> int:
    """Return the version of the next entry: the highest version plus 1."""
    return max((entry_version(entry, index) for index, entry in enumerate(entries)), default=0) + 1


def is_service_entry(entry: Entry) -> bool:
    """Return True for an entry of a detection, correction or verdict; False for one that a client wrote."""
    return any(entry.get(key) is not None for key in SERVICE_KEYS)


def has_findings(entry: Entry) -> bool:
    """Return True for a detection of the service in any progress, or a correction of one."""
    return is_service_entry(entry) and not is_verdict(entry)


def has_client_result(entries: Iterable[Entry]) -> bool:
    """Return True if a client wrote a finished entry."""
    return any(not is_service_entry(entry) and is_finished(entry) for entry in entries)


def is_verdict(entry: Entry) -> bool:
    """Return True for an entry that a person's decision appended."""
    return isinstance(entry.get("verdict"), Mapping)


def is_correction(entry: Entry) -> bool:
    """Return True for an entry with findings that a person corrected."""
    return isinstance(entry.get("correction"), Mapping)


def is_finished(entry: Entry) -> bool:
    """Return True if the entry has an `isPassed` and its progress label is not one of an unfinished entry."""
    return isinstance(entry.get("isPassed"), bool) and entry.get("progress") not in _UNFINISHED


def is_incomplete(entry: Entry) -> bool:
    """Return True if the entry found nothing, but inspected too little of the region to be an opinion."""
    return entry.get("progress") == Progress.INCOMPLETE


def entry_coverage(entry: Entry | None) -> EntryCoverage | None:
    """Return how much of the region a detection inspected; None if that is not known."""
    provenance = None if entry is None else entry.get("provenance")
    coverage = provenance.get("coverage") if isinstance(provenance, Mapping) else None
    return coverage if isinstance(coverage, Mapping) else None


def entry_other_light(entry: Entry | None) -> bool:
    """Return whether a detection saw the region in light from another side, or the camera moved."""
    provenance = None if entry is None else entry.get("provenance")
    alignment = provenance.get("alignment") if isinstance(provenance, Mapping) else None
    return isinstance(alignment, Mapping) and alignment.get("other_light") is True


def entry_appearance(entry: Entry | None) -> EntryAppearance | None:
    """Return how unusual the photo looks, if it was compared by its appearance."""
    appearance = None if entry is None else entry.get("appearance")
    return appearance if isinstance(appearance, Mapping) else None


def covers_too_little(entry: Entry | None) -> bool:
    """Return True if a detection inspected less of the region than required, whatever it found."""
    coverage = entry_coverage(entry)
    return coverage is not None and coverage["inspected"] < coverage["required"]


def is_under_way(entry: Entry) -> bool:
    """Return True for the entry of a detection of the service that has not ended."""
    return entry_job_id(entry) is not None and entry.get("progress") in _UNDER_WAY


def entry_job_id(entry: Entry) -> str | None:
    """Return the id of the detection job that writes the entry; None if no job of the service does."""
    job_id = entry.get("job_id")
    return job_id if isinstance(job_id, str) and not is_verdict(entry) and not is_correction(entry) else None


def current_entry(entries: Iterable[Entry]) -> Entry | None:
    """Return the newest entry that is finished or a verdict; None if there is none.

    A failed or running detection therefore never hides an earlier result.
    """
    for entry in reversed(sort_by_version(entries)):
        if is_verdict(entry) or is_finished(entry):
            return entry
    return None


def is_passed(entries: Iterable[Entry]) -> bool | None:
    """Return `isPassed` of the current entry; None without a finished, complete result or if undecided."""
    entry = current_entry(entries)
    if entry is None or not is_finished(entry) or is_incomplete(entry):
        return None
    return bool(entry["isPassed"])


def current_verdict(entries: Iterable[Entry]) -> Verdict:
    """Return the person's verdict. A later detection or correction makes it undecided again."""
    entry = current_entry(entries)
    if entry is None or not is_verdict(entry):
        return Verdict.UNDECIDED
    try:
        return Verdict(entry["verdict"].get("value") or "")
    except ValueError:
        return Verdict.UNDECIDED


def accepted_version(entry: Entry | None) -> int | None:
    """Return the version with the opinion that a verdict entry accepts; None for every other entry."""
    verdict_fields = None if entry is None else entry.get("verdict")
    version = (
        verdict_fields.get("accepted_opinion_of_version") if isinstance(verdict_fields, Mapping) else None
    )
    return version if isinstance(version, int) else None


def acceptable_version(
    entries: Iterable[Entry], photo_file_id: str | None, region: EntryRegion | None
) -> int | None:
    """Return the version with the model's opinion that a person can accept unchanged.

    Returns None without a finished detection, if the detection used another photo than the newest one,
    `photo_file_id`, or another region than the item has now, if it inspected too little of the region, and
    if a person has corrected its findings, because the correction replaces the opinion.
    """
    sorted_entries = sort_by_version(entries)
    entry = finished_detection(sorted_entries)
    if entry is None or is_correction(entry) or is_incomplete(entry):
        return None
    if is_region_changed(sorted_entries, region):
        return None
    photo = (entry.get("inputImage") or {}).get("file_id")
    return entry_version(entry, sorted_entries.index(entry)) if photo in (None, photo_file_id) else None


def newest_detection(entries: Iterable[Entry]) -> Entry | None:
    """Return the newest detection in any progress, or correction of one; None if there is none."""
    return next((entry for entry in reversed(sort_by_version(entries)) if has_findings(entry)), None)


def detection_of_photo(entries: Iterable[Entry], photo_file_id: str | None) -> Entry | None:
    """Return the newest detection or correction; None without one, or if it ended for another photo.

    `photo_file_id`: the file of the newest photo; None if it is unknown.
    """
    entry = newest_detection(entries)
    if entry is None or photo_file_id is None or is_under_way(entry):
        return entry
    photo = (entry.get("inputImage") or {}).get("file_id")
    return entry if photo in (None, photo_file_id) else None


def finished_detection(entries: Iterable[Entry]) -> Entry | None:
    """Return the newest finished detection or correction: it has the present findings. None without."""
    candidates = (
        entry for entry in reversed(sort_by_version(entries)) if has_findings(entry) and is_finished(entry)
    )
    return next(candidates, None)


def shown_result(entries: Iterable[Entry]) -> Entry | None:
    """Return the entry whose findings are shown: the finished detection, else the newest one of a client."""
    sorted_entries = sort_by_version(entries)
    of_clients = (
        entry for entry in reversed(sorted_entries) if not is_service_entry(entry) and is_finished(entry)
    )
    return finished_detection(sorted_entries) or next(of_clients, None)


def newest_model_entry(entries: Iterable[Entry]) -> Entry | None:
    """Return the newest finished detection, without corrections; None if there is none."""
    return finished_detection(entry for entry in sort_by_version(entries) if not is_correction(entry))


def model_opinion(entries: Iterable[Entry]) -> bool | None:
    """Return `isPassed` of the newest finished detection, ignoring corrections.

    Returns None without one, and if it inspected too little of the region.
    """
    entry = newest_model_entry(entries)
    return None if entry is None or is_incomplete(entry) else bool(entry["isPassed"])


def differs(verdict: Verdict, opinion: bool | None) -> bool:
    """True when the verdict contradicts the model's opinion (`model_opinion`)."""
    if verdict is Verdict.UNDECIDED or opinion is None:
        return False
    return (verdict is Verdict.PASSED) is not opinion


def is_region_changed(entries: Iterable[Entry], region: EntryRegion | None) -> bool:
    """Return True if the newest finished detection inspected another region than the item has now.

    A region is another one if it was moved, resized, or is on another picture. Results of earlier versions
    do not say which they inspected.
    """
    provenance = (newest_model_entry(entries) or {}).get("provenance") or {}
    if "region" not in provenance:
        return False
    inspected = provenance["region"]
    if inspected is None or region is None:
        return inspected is not region
    places = [(part["x"], part["y"], part["w"], part["h"]) for part in (inspected, region)]
    files = {part["ipfs_cid"] for part in (inspected, region)} - {None}
    return places[0] != places[1] or len(files) > 1


def inspection_gap(
    entries: Sequence[Entry], photo_file_id: str | None, region: EntryRegion | None
) -> InspectionGap | None:
    """Return what is missing from the inspection of an item; None if its newest photo was inspected.

    `photo_file_id`: the file of the newest photo, None without a photo. `region`: the item's. A result counts
    as a detection if it is the service's. An entry that a client wrote is none.
    """
    if photo_file_id is None:
        return InspectionGap.NO_PHOTO
    entry = finished_detection(entries)
    if entry is None or not is_service_entry(entry):
        return InspectionGap.NOT_DETECTED
    if (entry.get("inputImage") or {}).get("file_id") not in (None, photo_file_id):
        return InspectionGap.NOT_DETECTED
    if is_region_changed(entries, region):
        return InspectionGap.REGION_CHANGED
    return InspectionGap.INCOMPLETE_COVERAGE if covers_too_little(entry) else None


def original_detection(entries: Sequence[Entry], entry: Entry) -> Entry | None:
    """Return the detection that `entry` corrects, directly or through other corrections.

    Returns `entry` itself if it is not a correction, and None if a corrected version does not exist or a
    client wrote it.
    """
    by_version = {entry_version(other, index): other for index, other in enumerate(entries)}
    for _ in entries:
        if not is_correction(entry):
            return entry if has_findings(entry) else None
        corrected = by_version.get(entry["correction"]["of_version"])
        if corrected is None:
            return None
        entry = corrected
    return None


def entry_homography(entry: Entry | None) -> list[list[float]] | None:
    """Return the 3 x 3 mapping from reference px to photo px of a detection; None without a valid one."""
    provenance = None if entry is None else entry.get("provenance")
    alignment = provenance.get("alignment") if isinstance(provenance, Mapping) else None
    rows = alignment.get("homography") if isinstance(alignment, Mapping) else None
    if not isinstance(rows, list) or len(rows) != 3:
        return None
    try:
        matrix = [[float(value) for value in row] for row in rows]
    except (TypeError, ValueError, OverflowError):
        return None
    is_valid = all(len(row) == 3 and all(math.isfinite(value) for value in row) for row in matrix)
    return matrix if is_valid else None


def record_progress(items: Sequence[Sequence[Entry]]) -> int:
    """Return the percentage of items with a finished result, rounded down; 0 without items."""
    return progress_of(sum(is_passed(entries) is not None for entries in items), len(items))


def progress_of(finished_count: int, count: int) -> int:
    """Return `record_progress` of so many items, of which so many have a finished result."""
    return finished_count * 100 // count if count else 0


def record_status(items: Sequence[Sequence[Entry]], current: Status) -> Status:
    """Return the status of a record after its items changed; `current` is the status before.

    cancelled never changes. If all items are finished, the status is passed or, if one did not pass, failed.
    If some are finished, it is in_progress. If none is finished, not_started and in_progress stay, and passed
    and failed become in_progress.
    """
    if current is Status.CANCELLED:
        return current
    outcomes = [is_passed(entries) for entries in items]
    if all(outcome is None for outcome in outcomes):
        return current if current is Status.NOT_STARTED else Status.IN_PROGRESS
    if None in outcomes:
        return Status.IN_PROGRESS
    return Status.PASSED if all(outcomes) else Status.FAILED


def is_set_by_client(status: Status, state: Status, items: Sequence[Sequence[Entry]]) -> bool:
    """Return if a client of the API set the `status` of a record, which neither people nor results explain.

    `state`: the record's `record_state`. `items`: the result entries of each item.
    """
    return status is not state and record_status(items, status) is not status


def record_state(status: Status, *, sealed: Status | None, has_started: bool) -> Status:
    """Return the progress of people's work on a record, which the desktop shows instead of its `status`.

    `sealed`: the outcome of the edition that seals the record. Only a sealed record is passed or failed; a
    `status` of passed or failed that a detection or a client wrote becomes in_progress.
    `has_started`: an item has a finished result, or the record was finished before.
    """
    if sealed is not None:
        return sealed
    if status is Status.CANCELLED:
        return status
    return Status.NOT_STARTED if status is Status.NOT_STARTED and not has_started else Status.IN_PROGRESS


@dataclass(frozen=True, slots=True)
class Counters:
    """The items of a record, counted by their state.

    `detected`: items with a finished detection or a correction of one. `judged`: items that a person decided
    as passed or failed, without a newer detection or correction; it is the sum of `passed` and `failed`.
    `undecided`: all others.
    """

    items: int = 0
    detected: int = 0
    judged: int = 0
    undecided: int = 0
    passed: int = 0
    failed: int = 0

    def plus(self, verdict: Verdict, detected: bool, count: int = 1) -> Counters:
        """Return counters with `count` more items of this verdict."""
        passed = count if verdict is Verdict.PASSED else 0
        failed = count if verdict is Verdict.FAILED else 0
        return Counters(
            items=self.items + count,
            detected=self.detected + (count if detected else 0),
            judged=self.judged + passed + failed,
            undecided=self.undecided + count - passed - failed,
            passed=self.passed + passed,
            failed=self.failed + failed,
        )

    @property
    def outcome(self) -> Status | None:
        """The outcome of the verdicts: passed or failed; None without items or while one is undecided."""
        if not self.items or self.undecided:
            return None
        return Status.FAILED if self.failed else Status.PASSED


def count_items(items: Iterable[Sequence[Entry]]) -> Counters:
    """Count the items of a record from the result entries of each."""
    total = Counters()
    for entries in items:
        total = total.plus(current_verdict(entries), finished_detection(entries) is not None)
    return total


def reason_length(reason: str) -> int:
    """Return the length of a reason in characters; a Chinese character, which can be a word, counts twice."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in reason.strip())
