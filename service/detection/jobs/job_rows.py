"""Reads and writes detection jobs, so that each result is written exactly once.

Taking a job increments its attempt. Only the worker with the newest attempt can end the job, in the
transaction that also writes its result. A job is queued while its result entry is pending, and running while
the entry is detecting. Both change in one transaction, so they agree if a worker dies. On SQLite the rows are
also the queue: the worker renews its lease while it works, and a job whose lease has expired belonged to a
process that died and may be taken again. Every function works inside the caller's transaction.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, and_, col, or_, select, update

from service.changes import ObjectChange, announce
from service.db import statements
from service.db.database import now
from service.detection.tables import ChunkRow, JobRow
from shared.wire.detection import OPEN_JOB_STATES, JobState

LEASE: Final = dt.timedelta(seconds=30)
MAX_ATTEMPTS: Final = 3


_JOB = JobRow.__table__.c
_OPEN = (
    select_columns(_JOB.job_id)
    .where(
        _JOB.item_id == bindparam("item_id"), or_(*(_JOB.state == str(state) for state in OPEN_JOB_STATES))
    )
    .limit(1)
)


def open_jobs(session: Session, item_ids: Sequence[str]) -> dict[str, JobRow]:
    """The open jobs of the items, locked, by item."""
    connection = session.connection()
    if not any(statements.run(connection, _OPEN, {"item_id": item_id}) for item_id in item_ids):
        # Locking costs more than looking, and most items have none.
        return {}
    rows = session.exec(
        select(JobRow)
        .where(col(JobRow.item_id).in_(item_ids), col(JobRow.state).in_(OPEN_JOB_STATES))
        .order_by(col(JobRow.job_id))
        .with_for_update()
    )
    return {row.item_id: row for row in rows}


def newest_open(session: Session, item_id: str) -> JobRow | None:
    """The newest open job of the item, not locked; None if there is none."""
    if not statements.run(session.connection(), _OPEN, {"item_id": item_id}):
        return None
    query = select(JobRow).where(JobRow.item_id == item_id, col(JobRow.state).in_(OPEN_JOB_STATES))
    return session.exec(query.order_by(col(JobRow.created_at).desc()).limit(1)).first()


def list_batch_or_open(session: Session, inspection_id: str, batch_id: str) -> list[JobRow]:
    """The jobs of a record that belong to the batch or are open, the oldest first."""
    query = select(JobRow).where(
        JobRow.inspection_id == inspection_id,
        or_(JobRow.batch_id == batch_id, col(JobRow.state).in_(OPEN_JOB_STATES)),
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
    """A new job for the item, which is stored at the next flush."""
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
    return row


class QueueState(NamedTuple):
    """Queued and running jobs, the creation time of the oldest queued job, and items without a job yet."""

    queued: int
    running: int
    oldest: dt.datetime | None
    batch_items: int


def queue_state(session: Session) -> QueueState:
    """The number of jobs and items that wait."""
    counted = {
        state: (number, oldest)
        for state, number, oldest in session.exec(
            select(JobRow.state, func.count(), func.min(JobRow.created_at))
            .where(col(JobRow.state).in_(OPEN_JOB_STATES))
            .group_by(JobRow.state)
        )
    }
    queued, oldest = counted.get(JobState.QUEUED, (0, None))
    running, _ = counted.get(JobState.RUNNING, (0, None))
    items = session.exec(select(func.coalesce(func.sum(ChunkRow.size), 0))).one()
    return QueueState(queued, running, oldest, items)


def take_oldest(session: Session) -> JobRow | None:
    """Take the oldest job that is queued or whose worker died; None if there is none. SQLite only."""
    free = or_(
        JobRow.state == JobState.QUEUED,
        and_(JobRow.state == JobState.RUNNING, col(JobRow.lease_until) < now()),
    )
    oldest = select(JobRow).where(free).order_by(col(JobRow.created_at), col(JobRow.job_id)).limit(1)
    row = session.exec(oldest).first()
    return None if row is None else _mark_taken(session, row)


def take(session: Session, job_id: str) -> JobRow | None:
    """Take the job from any other worker; None if it has ended or was deleted."""
    row = session.get(JobRow, job_id, with_for_update=True)
    return None if row is None or row.state not in OPEN_JOB_STATES else _mark_taken(session, row)


def _mark_taken(session: Session, row: JobRow) -> JobRow:
    row.state = JobState.RUNNING
    row.attempt += 1
    row.progress = 0
    row.lease_until = now() + LEASE
    row.updated_at = now()
    session.flush()
    return row


def renew(session: Session, job_id: str, attempt: int, progress: int) -> bool:
    """Prolong the lease; False if the job was cancelled or taken by another worker."""
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


def release_job(session: Session, job_id: str, attempt: int) -> None:
    """Release the job, so that it can be taken again at once."""
    if (row := locked_job(session, job_id, attempt)) is not None:
        row.lease_until = row.updated_at = now()


def release_running_jobs(session: Session) -> None:
    """Release every running job, at the start of the only process that uses the database."""
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
