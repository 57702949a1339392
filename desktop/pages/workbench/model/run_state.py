"""Reads the state of an item's detection from its result entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from desktop.localization.detection_terms import failure_sentence
from shared.record import results
from shared.record.codes import Progress
from shared.record.entries import Entry

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
    """The state of the newest detection."""
    entry = results.newest_detection(entries)
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
