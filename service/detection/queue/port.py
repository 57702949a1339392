"""Declares the queue of jobs: what an implementation does for the dispatcher."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Final, Protocol

from sqlmodel import Session

from service.detection.tables import JobRow

AT_ONCE: Final = 2
"""So many jobs are handed out at a time: one is prepared, or its result stored, while another is computed."""


class Outcome(Enum):
    """What became of one attempt at a job."""

    NOTHING = auto()
    """There was no such job to work on."""
    ENDED = auto()
    AGAIN = auto()
    """Its compute process died: the job is to be taken again."""
    FAULT = auto()
    """It could not be handled, and that has been logged: the job is to be taken again, after a while."""


Take = Callable[[Session], JobRow | None]
"""Takes a job within the transaction of a session."""
Work = Callable[[Take], Awaitable[Outcome]]
"""Takes a job and works it off. It never raises, but for being cancelled: then the job is given back."""


class Queue(Protocol):
    """Hands every job to one of the services on the database, `AT_ONCE`, and those of dead ones again.

    It may hand a job out twice; that its result is written once is ensured by
    `service.detection.jobs.job_rows`.
    """

    def add(self, session: Session, row: JobRow) -> None:
        """Queue a new job, in the transaction that makes its row."""

    def kick(self) -> None:
        """A new job was committed; from any thread."""

    async def start(self, work: Work) -> None:
        """Begin to hand jobs to `work`, on the loop of the caller."""

    def is_alive(self) -> bool:
        """Whether it hands out jobs, as far as there are any."""

    async def stop(self) -> None:
        """Cancel the work that runs, and hand out no more."""
