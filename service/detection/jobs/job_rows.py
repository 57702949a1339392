"""Reads and writes detection jobs, so that each result is written exactly once.

Who takes a job counts its attempt up. Only the taker of the newest attempt can end it, in the transaction
that also writes its result. A job is queued while its result entry is pending and running while that is
detecting: both change in one transaction, so a taker that dies leaves them in agreement. On SQLite the rows
are the queue too: the taker renews its lease while it works, and a job whose lease has run out belongs to a
process that died and may be taken again. Every function works inside the caller's transaction.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import func
from sqlmodel import Session, and_, col, or_, select, update

from service.changes import ObjectChange, announce
from service.db.database import now
from service.detection.tables import ChunkRow, JobRow
from shared.wire.detection import OPEN, JobState

LEASE: Final = dt.timedelta(seconds=30)
MOST_ATTEMPTS: Final = 3


def unfinished(session: Session, item_ids: Sequence[str]) -> dict[str, JobRow]:
    """The jobs of the items that are still open, locked, by item."""
    rows = session.exec(
        select(JobRow)
        .where(col(JobRow.item_id).in_(item_ids), col(JobRow.state).in_(OPEN))
        .order_by(col(JobRow.job_id))
        .with_for_update()
    )
    return {row.item_id: row for row in rows}


def newest_open(session: Session, item_id: str) -> JobRow | None:
    """The job of the item that is still open, not locked."""
    query = select(JobRow).where(JobRow.item_id == item_id, col(JobRow.state).in_(OPEN))
    return session.exec(query.order_by(col(JobRow.created_at).desc()).limit(1)).first()


def of_batch_or_open(session: Session, inspection_id: str, batch_id: str) -> list[JobRow]:
    """The jobs of a record that belong to the batch or are open, the oldest first."""
    query = select(JobRow).where(
        JobRow.inspection_id == inspection_id, or_(JobRow.batch_id == batch_id, col(JobRow.state).in_(OPEN))
    )
    return list(session.exec(query.order_by(col(JobRow.created_at), col(JobRow.job_id))))


def create(
    session: Session,
    item_id: str,
    inspection_id: str,
    model_id: str,
    actor: str | None,
    batch_id: str | None = None,
) -> JobRow:
    """A new job for the item."""
    row = JobRow(
        item_id=item_id,
        inspection_id=inspection_id,
        model_id=model_id,
        batch_id=batch_id,
        state=JobState.QUEUED,
        progress=0,
        attempt=0,
        actor=actor,
    )
    session.add(row)
    session.flush()
    return row


class QueueState(NamedTuple):
    """What waits: queued and running jobs, since when the oldest one is queued, items without a job yet."""

    queued: int
    running: int
    oldest: dt.datetime | None
    batch_items: int


def queue_state(session: Session) -> QueueState:
    """How much is left to do."""
    counted = {
        state: (number, oldest)
        for state, number, oldest in session.exec(
            select(JobRow.state, func.count(), func.min(JobRow.created_at))
            .where(col(JobRow.state).in_(OPEN))
            .group_by(JobRow.state)
        )
    }
    queued, oldest = counted.get(JobState.QUEUED, (0, None))
    running, _ = counted.get(JobState.RUNNING, (0, None))
    items = session.exec(select(func.coalesce(func.sum(ChunkRow.size), 0))).one()
    return QueueState(queued, running, oldest, items)


def take_oldest(session: Session) -> JobRow | None:
    """Take the oldest job that waits or whose worker has died; None when there is none. SQLite only."""
    free = or_(
        JobRow.state == JobState.QUEUED,
        and_(JobRow.state == JobState.RUNNING, col(JobRow.lease_until) < now()),
    )
    oldest = select(JobRow).where(free).order_by(col(JobRow.created_at), col(JobRow.job_id)).limit(1)
    row = session.exec(oldest).first()
    return None if row is None else _taken(session, row)


def take(session: Session, job_id: str) -> JobRow | None:
    """Take the job, whoever had it before; None when it has ended or is gone."""
    row = session.get(JobRow, job_id, with_for_update=True)
    return None if row is None or row.state not in OPEN else _taken(session, row)


def _taken(session: Session, row: JobRow) -> JobRow:
    row.state = JobState.RUNNING
    row.attempt += 1
    row.progress = 0
    row.lease_until = now() + LEASE
    row.updated_at = now()
    session.flush()
    return row


def renew(session: Session, job_id: str, attempt: int, progress: int) -> bool:
    """Prolong the lease; False when the job is no longer ours (cancelled, or taken by another)."""
    changed = session.exec(
        update(JobRow)
        .where(
            col(JobRow.job_id) == job_id,
            col(JobRow.attempt) == attempt,
            col(JobRow.state) == JobState.RUNNING,
        )
        .values(lease_until=now() + LEASE, progress=progress, updated_at=now())
        .returning(col(JobRow.job_id))
    )
    return changed.first() is not None


def locked_job(session: Session, job_id: str, attempt: int) -> JobRow | None:
    """The job, locked, while this attempt may still end it."""
    row = session.get(JobRow, job_id, with_for_update=True)
    if row is None or row.state != JobState.RUNNING or row.attempt != attempt:
        return None
    return row


def end(row: JobRow, state: JobState, error: str | None = None, version: int | None = None) -> None:
    """Close a job."""
    row.state, row.error = state, error
    row.version = row.version if version is None else version
    row.progress = 100 if state is JobState.DONE else row.progress
    row.lease_until = None
    row.updated_at = now()


def give_back(session: Session, job_id: str, attempt: int) -> None:
    """Let the job be taken again at once."""
    if (row := locked_job(session, job_id, attempt)) is not None:
        row.lease_until = row.updated_at = now()


def give_all_back(session: Session) -> None:
    """Let every running job be taken again: for the start of the one process that owns the database."""
    session.exec(
        update(JobRow)
        .where(col(JobRow.state) == JobState.RUNNING)
        .values(lease_until=now(), updated_at=now())
    )


def announce_job(
    session: Session, row: JobRow, action: str, actor: str | None = None, address: str | None = None
) -> None:
    """Announce a change of a job to the audit log and the connected clients."""
    details = {"item_id": row.item_id, "inspection_id": row.inspection_id, "state": str(row.state)}
    if row.error is not None:
        details["error"] = row.error
    announce(session, ObjectChange(action, "detection_job", row.job_id, actor or row.actor, address, details))
