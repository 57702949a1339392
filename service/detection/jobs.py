"""The queue of detection jobs: a table in the service's database, taken on lease.

A job is taken by one dispatcher at a time. The taker renews its lease while it works; a job whose lease has
run out belongs to a process that died and may be taken again. Only the taker of the newest attempt can end a
job, in the transaction that also writes its result, so a result is written exactly once. Every function
works inside the caller's transaction.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from service.database import now
from service.detection.tables import JobRow
from shared.wire.detection import JobState

LEASE: Final = dt.timedelta(seconds=30)
MOST_ATTEMPTS: Final = 3
OPEN: Final = (JobState.QUEUED, JobState.RUNNING)


def enqueue(session: Session, item_id: str, inspection_id: str, model_id: str, actor: str | None) -> JobRow:
    """A new job for the item; the one that is still open when there is one."""
    unfinished = select(JobRow).where(JobRow.item_id == item_id, JobRow.state.in_(OPEN)).limit(1)
    if (row := session.scalars(unfinished).first()) is not None:
        return row
    row = JobRow(
        item_id=item_id,
        inspection_id=inspection_id,
        model_id=model_id,
        state=JobState.QUEUED,
        progress=0,
        attempt=0,
        actor=actor,
    )
    session.add(row)
    session.flush()
    return row


def take(session: Session) -> JobRow | None:
    """The oldest job that waits, or whose taker has died, now ours; None when there is none."""
    free = or_(
        JobRow.state == JobState.QUEUED,
        (JobRow.state == JobState.RUNNING) & (JobRow.lease_until < now()),
    )
    oldest = select(JobRow).where(free).order_by(JobRow.created_at, JobRow.job_id).limit(1)
    row = session.scalars(oldest.with_for_update(skip_locked=True)).first()
    if row is None:
        return None
    row.state = JobState.RUNNING
    row.attempt += 1
    row.progress = 0
    row.lease_until = now() + LEASE
    row.updated_at = now()
    session.flush()
    return row


def renew(session: Session, job_id: str, attempt: int, progress: int) -> bool:
    """Prolong the lease; False when the job is no longer ours (cancelled, or taken by another)."""
    changed = session.execute(
        update(JobRow)
        .where(JobRow.job_id == job_id, JobRow.attempt == attempt, JobRow.state == JobState.RUNNING)
        .values(lease_until=now() + LEASE, progress=progress, updated_at=now())
        .returning(JobRow.job_id)
    )
    return changed.first() is not None


def ours(session: Session, job_id: str, attempt: int) -> JobRow | None:
    """The job, locked, while this attempt may still end it."""
    row = session.get(JobRow, job_id, with_for_update=True)
    if row is None or row.state != JobState.RUNNING or row.attempt != attempt:
        return None
    return row


def end(row: JobRow, state: JobState, error: str | None = None, version: int | None = None) -> None:
    """Close a job."""
    row.state, row.error, row.version = state, error, version
    row.progress = 100 if state is JobState.DONE else row.progress
    row.lease_until = None
    row.updated_at = now()


def give_back(session: Session, job_id: str, attempt: int) -> None:
    """Let the job be taken again at once."""
    if (row := ours(session, job_id, attempt)) is not None:
        row.state, row.lease_until, row.updated_at = JobState.QUEUED, None, now()


def requeue_all(session: Session) -> int:
    """Give back every running job: for the start of the one process that owns the database."""
    changed = session.execute(
        update(JobRow)
        .where(JobRow.state == JobState.RUNNING)
        .values(state=JobState.QUEUED, lease_until=None, updated_at=now())
        .returning(JobRow.job_id)
    )
    return len(changed.all())
