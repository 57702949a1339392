"""Computes the data of an item that list, canvas and properties panel show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from operator import attrgetter, is_
from types import MappingProxyType

import numpy as np

from desktop.canvas.model.regions import RegionState
from desktop.imaging.sources.cut import Matrix
from desktop.localization.detection_terms import failure_sentence, model_word
from desktop.record.document import ItemView
from shared.record import findings, results
from shared.record.codes import Progress, Verdict
from shared.record.entries import Entry, EntryAlignment
from shared.record.findings import Finding
from shared.wire.detection import Severity

UNALIGNED = frozenset({"alignment_failed", "not_visible", "too_small"})
"""The codes of failures in which the photo could not be aligned."""


class RunPhase(StrEnum):
    """The phases of the newest detection of an item."""

    NONE = "none"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


_RUNNING_PHASES = (RunPhase.WAITING, RunPhase.RUNNING)
_RUNS: Mapping[str, RunPhase] = {
    Progress.PENDING: RunPhase.WAITING,
    Progress.DETECTING: RunPhase.RUNNING,
    Progress.ERROR: RunPhase.FAILED,
    Progress.CANCELED: RunPhase.CANCELED,
}


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a detection.

    `code` and `message` are those of a failure, `job_id` is the job of the service.
    """

    run: RunPhase = RunPhase.NONE
    code: str = ""
    message: str = ""
    job_id: str = ""

    @property
    def is_running(self) -> bool:
        """Whether a result is expected."""
        return self.run in _RUNNING_PHASES


_NO_RUN = RunState()


def run_state(entries: Iterable[Entry]) -> RunState:
    """The state of the newest detection, of whatever photo."""
    return run_of_photo(entries, None)


def run_of_photo(entries: Iterable[Entry], photo_file_id: str | None) -> RunState:
    """The state of the newest detection. One that has ended and was of another photo is none.

    `photo_file_id`: the file of the newest photo; None if it is unknown.
    """
    entry = results.detection_of_photo(entries, photo_file_id)
    if entry is None:
        return _NO_RUN
    run = _RUNS.get(str(entry.get("progress")), RunPhase.DONE)
    if run in _RUNNING_PHASES and not results.is_under_way(entry):
        # Written by another program: it will never be finished here.
        run = RunPhase.DONE
    stored = entry.get("error")
    error = stored if isinstance(stored, Mapping) else {}
    code = str(error.get("code") or "")
    message = failure_sentence(code, str(error.get("message") or "")) if run is RunPhase.FAILED else ""
    return RunState(run, code, message, results.entry_job_id(entry) or "")


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item with its number. `status` is passed, failed, undecided or not_started."""

    item_id: str
    number: int
    name: str
    model: str
    status: str
    findings: int
    best: float | None
    run: RunState
    saved: bool
    finished: bool
    detected: bool

    @property
    def is_judged(self) -> bool:
        """Whether the item has a verdict."""
        return self.status in (Verdict.PASSED, Verdict.FAILED)

    @property
    def note(self) -> str:
        """Why the newest detection gave no result, as a sentence; empty if it gave one."""
        return self.run.message

    @property
    def state(self) -> RegionState:
        """The colour of its region."""
        return RegionState.NONE if self.status == "not_started" else RegionState(self.status)


@dataclass(frozen=True, slots=True)
class FindingContext:
    """The data for displaying findings that an entry lacks: present severities, the scale, the current user.

    `me` is the ID and the name of the current user.
    """

    severities: Mapping[str, Severity] = field(default_factory=dict)
    mm_per_pixel: float | None = None
    me: tuple[str, str] = ("", "")

    def author_name(self, finding: Finding) -> str:
        """The name of the user who drew a finding; empty if it is unknown."""
        # A finding that was not sent yet was drawn by this user.
        is_by_user = finding.author_id in ("", self.me[0])
        return finding.author_name or (self.me[1] if is_by_user else "")


def findings_of(entry: Entry | None, context: FindingContext | None = None) -> tuple[Finding, ...]:
    """The findings of a result entry by confidence. Invalid findings are left out."""
    context = context or FindingContext()
    finding_list = [
        replace(finding, author_name=context.author_name(finding)) if finding.is_drawn else finding
        for finding in findings.read_findings(entry, context.severities, context.mm_per_pixel)
    ]
    return tuple(sorted(finding_list, key=lambda finding: -finding.confidence))


def detections(item: ItemView) -> list[Entry]:
    """The result entries of detections, corrections and clients, oldest first."""
    return [entry for entry in results.sort_by_version(item.result) if not results.is_verdict(entry)]


def shown_detection(item: ItemView) -> Entry | None:
    """The detection to show: the newest finished one, or else the newest; without any, a client's entry."""
    entries = detections(item)
    entries = [entry for entry in entries if results.has_findings(entry)] or entries
    finished = [entry for entry in entries if results.is_finished(entry)]
    best = finished or entries
    return best[-1] if best else None


def to_reference(entry: Entry | None) -> Matrix | None:
    """The 3 x 3 mapping from photo px to reference px; None without an alignment."""
    matrix = results.entry_homography(entry)
    if matrix is None:
        return None
    try:
        return np.linalg.inv(np.array(matrix, np.float64))
    except np.linalg.LinAlgError:
        return None


def alignment(entry: Entry | None) -> tuple[float, int] | None:
    """The mean error in px and the number of matched points of the alignment; None without one."""
    stored = _alignment(entry)
    if stored is None or "error_px" not in stored:
        return None
    return float(stored["error_px"]), int(stored.get("inliers") or 0)


def _alignment(entry: Entry | None) -> EntryAlignment | None:
    stored = ((entry or {}).get("provenance") or {}).get("alignment")
    return stored if isinstance(stored, Mapping) else None


def row_of(
    item: ItemView, number: int, models: Mapping[str, str], photo_file_id: str | None = None
) -> ItemRow:
    """The row of an item. `models` maps ids of models to names.

    `photo_file_id`: the file of the newest photo; None if it is unknown.
    """
    item_findings = findings_of(shown_detection(item)) if item.result else ()
    verdict = item.verdict
    if verdict is not Verdict.UNDECIDED:
        status = verdict.value
    else:
        status = "undecided" if item.result or item.pending_verdict else "not_started"
    return ItemRow(
        item_id=item.item_id,
        number=number,
        name=item.item_name,
        model=models.get(item.model_id or "", model_word(item.model_id, item.model_name)),
        status=status,
        findings=len(item_findings),
        best=max((finding.confidence for finding in item_findings if not finding.is_drawn), default=None),
        run=run_of_photo(item.result, photo_file_id),
        saved=item.saved,
        finished=item.passed is not None,
        detected=results.finished_detection(item.result) is not None,
    )


def counters(rows: Iterable[ItemRow]) -> results.Counters:
    """The numbers of detected, decided and undecided items."""
    total = results.Counters()
    for row in rows:
        total = total.plus(Verdict(row.status) if row.is_judged else Verdict.UNDECIDED, row.detected)
    return total


class ItemRows:
    """The rows of a record. Unchanged items keep their row objects, which is fast for large records."""

    def __init__(self) -> None:
        self._items: Sequence[ItemView] = ()
        self._rows: list[ItemRow] = []
        self._numbers: dict[str, int] | None = None
        self._models: Mapping[str, str] = {}

    def rows_of(
        self,
        items: Sequence[ItemView],
        models: Mapping[str, str],
        photos: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> list[ItemRow]:
        """The rows of all items, numbered in order from 1. `models` maps ids of models to names.

        `photos`: the file ids of an item's photos, oldest first, as far as they are known. They are read
        again only for a changed item.
        """
        old_items, rows = (self._items, self._rows) if models == self._models else ((), [])
        # Nearly all items are unchanged; `map` finds these without a step of Python for each.
        unchanged = list(map(is_, items, old_items))
        changed_places = [place for place, is_same in enumerate(unchanged) if not is_same]
        places = {row.item_id: place for place, row in enumerate(rows)} if changed_places else {}
        new_rows = rows[: len(unchanged)]
        for place in (*changed_places, *range(len(unchanged), len(items))):
            item, number = items[place], place + 1
            old = places.get(item.item_id, -1)
            is_moved = old >= 0 and old_items[old] is item
            newest_photo = next(reversed(photos.get(item.item_id, ())), None)
            new_rows[place:number] = [
                replace(rows[old], number=number) if is_moved else row_of(item, number, models, newest_photo)
            ]
        self._items, self._rows, self._numbers, self._models = items, new_rows, None, dict(models)
        return new_rows

    def number(self, item_id: str) -> int:
        """The number of an item in the newest rows; 0 if it is missing."""
        if self._numbers is None:
            # The numbers are those of the places, from 1.
            self._numbers = dict(zip(map(attrgetter("item_id"), self._rows), count(1), strict=False))
        return self._numbers.get(item_id, 0)
