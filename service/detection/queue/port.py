"""Declares the queue of jobs: what an implementation does for the dispatcher."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Final, Protocol

from sqlmodel import Session

from service.detection.tables import JobRow

AT_ONCE: Final = 2
"""The number of jobs that are handed out at a time: while one is computed, another is prepared or stored."""


class Outcome(Enum):
    """The outcome of one attempt at a job."""

    NOTHING = auto()
    """There was no job."""
    ENDED = auto()
    AGAIN = auto()
    """The compute process died: the job must be taken again."""
    FAULT = auto()
    """An error was logged: the job must be taken again after a pause."""


Take = Callable[[Session], JobRow | None]
"""Takes a job inside the transaction of a session."""
Work = Callable[[Take], Awaitable[Outcome]]
"""Takes a job and processes it. It raises nothing except CancelledError, after it has released the job."""


class Queue(Protocol):
    """Hands each job, and the jobs of dead services, to one of the services, `AT_ONCE` at a time.

    It may hand out a job twice. `service.detection.jobs.job_rows` ensures that the result is written once.
    """

    def add(self, session: Session, row: JobRow) -> None:
        """Queue a new job, in the transaction that creates its row."""

    def kick(self) -> None:
        """Notify the queue that a new job was committed. Any thread may call it."""

    async def start(self, work: Work) -> None:
        """Start to hand jobs to `work`, on the loop of the caller."""

    def is_alive(self) -> bool:
        """Whether it still hands out jobs."""

    async def stop(self) -> None:
        """Cancel running work and hand out no more jobs."""
