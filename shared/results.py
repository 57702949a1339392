"""Reads the result entries of an item: the model's opinion, the verdict, finished or not.

An item's `result` is a list of entries that only grows by new versions. A detection appends an entry when it
is queued, with the key `job_id`, and changes it in place until it has ended: `progress` goes from pending to
detecting to done, error or canceled, `isPassed` is false until it is done, and `error` says why it gave no
result: ``{"code": stable word, "message": sentence}``.
A person's decision appends an entry with the key `verdict`:
``{"value": "passed" | "failed" | "undecided", "reason": str | null, "by": user id, "by_name": str | null,
"at": time with Z}``; one that accepts the model's opinion also has ``"accepted_opinion_of_version"``, the
version of the entry whose opinion it is.
A person's correction of findings appends an entry with the key `correction`:
``{"of_version": version it corrects, "by": user id, "by_name": str | null, "at": time with Z}``.
In a correction, a box that a person drew has the origin `person` and its author in `by` and `by_name`; one
that a person changed has `corrected_by` and `corrected_by_name`. The service alone writes `SERVICE_KEYS` and
`SERVICE_BOX_KEYS`.
So the model's opinion, the findings that count and the person's verdict stay separate facts, and a client
that knows only the contract reads the decision from `isPassed` of the newest entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.codes import Progress, Status, Verdict
from shared.entries import Entry

SERVICE_KEYS = ("verdict", "correction", "job_id", "provenance")
"""The keys of an entry that the service alone writes; an entry with one of them is the service's."""
AUTHOR_KEYS = ("by", "by_name", "corrected_by", "corrected_by_name")
"""The keys of a box that say who drew or changed it; the service alone writes them."""
SERVICE_BOX_KEYS = (*AUTHOR_KEYS, "second_opinion", "memory_reason")
"""The keys of a box that the service alone writes."""

_UNDER_WAY = {Progress.PENDING, Progress.DETECTING}
_UNFINISHED = _UNDER_WAY | {Progress.CANCELED, Progress.ERROR}


def version(entry: Entry, index: int = 0) -> int:
    """The entry's version; `index` + 1 where a client gave none."""
    number = entry.get("version")
    return number if isinstance(number, int) and not isinstance(number, bool) else index + 1


def ordered(entries: Iterable[Entry]) -> list[Entry]:
    """The entries by version, oldest first; equal versions keep their order."""
    return [entry for _, entry in sorted(enumerate(entries), key=lambda pair: version(pair[1], pair[0]))]


def next_version(entries: Sequence[Entry]) -> int:
    """The version that the next entry gets: one above the highest."""
    return max((version(entry, index) for index, entry in enumerate(entries)), default=0) + 1


def is_service_entry(entry: Entry) -> bool:
    """True for an entry of a detection, a correction or a verdict; False for one that a client wrote."""
    return any(entry.get(key) is not None for key in SERVICE_KEYS)


def is_verdict(entry: Entry) -> bool:
    """True for an entry that a person's decision appended."""
    return isinstance(entry.get("verdict"), Mapping)


def is_correction(entry: Entry) -> bool:
    """True for an entry whose findings a person corrected."""
    return isinstance(entry.get("correction"), Mapping)


def is_finished(entry: Entry) -> bool:
    """True when the entry says passed or not, and its progress label does not say otherwise."""
    return isinstance(entry.get("isPassed"), bool) and entry.get("progress") not in _UNFINISHED


def is_under_way(entry: Entry) -> bool:
    """True for the entry of a detection of the service that has not ended yet."""
    return job_of(entry) is not None and entry.get("progress") in _UNDER_WAY


def job_of(entry: Entry) -> str | None:
    """The detection job that writes the entry; None when no job of the service does."""
    job_id = entry.get("job_id")
    return job_id if isinstance(job_id, str) and not is_verdict(entry) and not is_correction(entry) else None


def current(entries: Iterable[Entry]) -> Entry | None:
    """The entry that counts: the newest that is finished or a verdict. None when there is none.

    A failed or running detection never hides an earlier result.
    """
    for entry in reversed(ordered(entries)):
        if is_verdict(entry) or is_finished(entry):
            return entry
    return None


def passed(entries: Iterable[Entry]) -> bool | None:
    """True passed, False not passed, None without a finished result (or set back to undecided)."""
    entry = current(entries)
    if entry is None or not is_finished(entry):
        return None
    return bool(entry["isPassed"])


def verdict(entries: Iterable[Entry]) -> Verdict:
    """What a person decided. A detection or a correction after the decision makes it undecided again."""
    entry = current(entries)
    if entry is None or not is_verdict(entry):
        return Verdict.UNDECIDED
    try:
        return Verdict(entry["verdict"].get("value") or "")
    except ValueError:
        return Verdict.UNDECIDED


def accepted_version(entry: Entry | None) -> int | None:
    """The version whose opinion a verdict entry accepts; None for every other entry."""
    verdict_fields = None if entry is None else entry.get("verdict")
    version = (
        verdict_fields.get("accepted_opinion_of_version") if isinstance(verdict_fields, Mapping) else None
    )
    return version if isinstance(version, int) else None


def acceptable_version(entries: Iterable[Entry], photo_file_id: str | None) -> int | None:
    """The version of the model's opinion that a person can accept as it is.

    None without a finished detection, when that is of another photo than the newest, `photo_file_id`, and
    when a person has corrected its findings: that opinion is overruled. An entry that does not say which
    photo it is of, as another client writes it, counts as one of the newest.
    """
    in_order = ordered(entries)
    entry = finished_detection(in_order)
    if entry is None or is_correction(entry):
        return None
    photo = (entry.get("inputImage") or {}).get("file_id")
    return version(entry, in_order.index(entry)) if photo in (None, photo_file_id) else None


def newest_detection(entries: Iterable[Entry]) -> Entry | None:
    """The newest detection in whatever progress, or correction of one; None when there is none."""
    return next((entry for entry in reversed(ordered(entries)) if not is_verdict(entry)), None)


def finished_detection(entries: Iterable[Entry]) -> Entry | None:
    """The newest detection that finished, or correction: its findings are the present ones. None without."""
    candidates = (
        entry for entry in reversed(ordered(entries)) if not is_verdict(entry) and is_finished(entry)
    )
    return next(candidates, None)


def model_entry(entries: Iterable[Entry]) -> Entry | None:
    """The newest finished detection as the model left it; None without one."""
    return finished_detection(entry for entry in ordered(entries) if not is_correction(entry))


def model_opinion(entries: Iterable[Entry]) -> bool | None:
    """What the model said in the newest finished detection, whatever a person corrected; None without one."""
    entry = model_entry(entries)
    return None if entry is None else bool(entry["isPassed"])


def model_origin(entries: Sequence[Entry], present: Entry) -> Entry | None:
    """The detection whose findings `present` corrects, over however many corrections; itself when it is none.

    None when a version that was corrected does not exist.
    """
    by_version = {version(entry, index): entry for index, entry in enumerate(entries)}
    for _ in entries:
        if not is_correction(present):
            return present
        before = by_version.get(present["correction"]["of_version"])
        if before is None:
            return None
        present = before
    return None


def homography(entry: Entry | None) -> list[list[float]] | None:
    """The 3 x 3 mapping from reference px to photo px that a detection found; None without a usable one."""
    provenance = None if entry is None else entry.get("provenance")
    alignment = provenance.get("alignment") if isinstance(provenance, Mapping) else None
    rows = alignment.get("homography") if isinstance(alignment, Mapping) else None
    if not isinstance(rows, list) or len(rows) != 3:
        return None
    try:
        matrix = [[float(value) for value in row] for row in rows]
    except (TypeError, ValueError, OverflowError):
        return None
    good = all(len(row) == 3 and all(math.isfinite(value) for value in row) for row in matrix)
    return matrix if good else None


def record_progress(items: Sequence[Sequence[Entry]]) -> int:
    """Items with a finished result / items x 100, rounded down; 0 without items."""
    if not items:
        return 0
    return sum(passed(entries) is not None for entries in items) * 100 // len(items)


def record_status(items: Sequence[Sequence[Entry]], now: Status) -> Status:
    """The status of a record after its items changed; `now` is the one it has.

    cancelled is never left. All items finished and passed: passed; all finished and one not passed: failed;
    some finished: in_progress. Without any finished item not_started and in_progress stay as they were set,
    passed and failed fall back to in_progress.
    """
    if now is Status.CANCELLED:
        return now
    outcomes = [passed(entries) for entries in items]
    if all(outcome is None for outcome in outcomes):
        return now if now is Status.NOT_STARTED else Status.IN_PROGRESS
    if None in outcomes:
        return Status.IN_PROGRESS
    return Status.PASSED if all(outcomes) else Status.FAILED


def record_state(status: Status, *, sealed: Status | None, has_started: bool) -> Status:
    """How far people have come with a record, which the desktop shows in place of its `status`.

    `sealed`: the outcome of the edition that seals the record; only then is it passed or failed.
    `has_started`: an item has a finished result, or the record was finished before. So a `status` of passed
    or failed that a detection came to, or that a client wrote, is in_progress.
    """
    if sealed is not None:
        return sealed
    if status is Status.CANCELLED:
        return status
    return Status.NOT_STARTED if status is Status.NOT_STARTED and not has_started else Status.IN_PROGRESS


@dataclass(frozen=True, slots=True)
class Counters:
    """How far a record is, counted in items.

    `detected`: with a finished detection or a correction of one. `judged`: a person decided passed or failed
    and nothing newer was found since; `passed` and `failed` split them. `undecided`: all others.
    """

    items: int = 0
    detected: int = 0
    judged: int = 0
    undecided: int = 0
    passed: int = 0
    failed: int = 0

    def plus(self, verdict: Verdict, detected: bool, count: int = 1) -> Counters:
        """These counters with `count` more items of that kind."""
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
        """What the verdicts come to: passed or failed; None without items or while one is undecided."""
        if not self.items or self.undecided:
            return None
        return Status.FAILED if self.failed else Status.PASSED


def counters(items: Iterable[Sequence[Entry]]) -> Counters:
    """The counters of a record with these result entries of its items."""
    total = Counters()
    for entries in items:
        total = total.plus(verdict(entries), finished_detection(entries) is not None)
    return total
