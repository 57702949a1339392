"""Reads and writes batches: what was requested, what is left to create or cancel, and progress.

A batch is stored whole before its first job is created: its items are in chunks, a row each. The transaction
that creates the jobs of a chunk deletes its row. So a service that dies leaves the other chunks, and no job
is created twice. The chunks of a cancelled batch stay: they count as cancelled and can be retried. Every
function works inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from sqlalchemy import func
from sqlmodel import Session, col, select

from service.db.database import now
from service.detection.tables import BatchRow, ChunkRow, JobRow
from service.web.envelope import Problem
from shared.record.codes import ErrorCode
from shared.wire.detection import OPEN_JOB_STATES, Batch, JobState

CHUNK_SIZE: Final = 100
"""The most jobs that are created or cancelled in one transaction: others write in between."""
FIRST_CHUNK_SIZE: Final = 4
"""The most jobs in the first transaction of a batch: they are computed while the others are created."""

Find = Callable[[Session], Mapping[str, Sequence[str]]]

_CHUNKS_TO_CREATE = (
    select(ChunkRow)
    .join(BatchRow, col(BatchRow.batch_id) == ChunkRow.batch_id)
    .where(col(BatchRow.canceled_at).is_(None))
    # A small batch does not wait for the end of a large one.
    .order_by(col(ChunkRow.number), col(BatchRow.created_at), col(ChunkRow.batch_id))
)
_JOBS_TO_CANCEL = (
    select(JobRow)
    .join(BatchRow, col(BatchRow.batch_id) == JobRow.batch_id)
    .where(col(BatchRow.canceled_at).is_not(None), col(JobRow.state).in_(OPEN_JOB_STATES))
)


def create(session: Session, find: Find, actor: str | None, address: str | None) -> str:
    """Store a batch of the items that `find` returns, by the ids of their records. Returns its id.

    Items in chunks of another batch are left to that batch. Raises the exceptions of `find`.
    """
    # Read first: an item whose job is created in between has a job that `find` sees.
    wished = {item_id for chunk in session.exec(_CHUNKS_TO_CREATE) for item_id in chunk.item_ids}
    items = find(session)
    row = BatchRow(actor=actor, address=address)
    session.add(row)
    session.flush()
    for number, (inspection_id, item_ids) in enumerate(_chunks(items, wished)):
        session.add(
            ChunkRow(
                batch_id=row.batch_id,
                number=number,
                inspection_id=inspection_id,
                item_ids=item_ids,
                size=len(item_ids),
            )
        )
    return row.batch_id


def _chunks(
    by_record: Mapping[str, Sequence[str]], without: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """At most `CHUNK_SIZE` items at a time, of one record each; `FIRST_CHUNK_SIZE` at first."""
    size = min(FIRST_CHUNK_SIZE, CHUNK_SIZE)
    for inspection_id, of_record in by_record.items():
        remaining = [item_id for item_id in of_record if item_id not in without]
        while remaining:
            yield inspection_id, remaining[:size]
            remaining, size = remaining[size:], CHUNK_SIZE


def take_chunk(session: Session, without: Collection[tuple[str, int]]) -> tuple[BatchRow, ChunkRow] | None:
    """The next chunk to create, locked; None if there is none.

    without: chunks to skip, by batch id and number. The batch of the chunk is not cancelled before the
    transaction ends. A chunk that another service has locked is skipped.
    """
    free = _CHUNKS_TO_CREATE.with_for_update(of=ChunkRow, skip_locked=True)
    for chunk in session.exec(free.limit(len(without) + 1)).all():
        if (chunk.batch_id, chunk.number) not in without:
            batch = session.get_one(
                BatchRow, chunk.batch_id, with_for_update={"read": True}, populate_existing=True
            )
            # It may have been cancelled since it was chosen.
            return (batch, chunk) if batch.canceled_at is None else None
    return None


def cancel(session: Session, batch_id: str, actor: str | None, address: str | None) -> None:
    """Cancel the batch: create no further jobs and end its open ones. Raises Problem 404."""
    row = _get(session, batch_id, lock=True)
    if row.canceled_at is None:
        row.canceled_at, row.canceled_by, row.canceled_from = now(), actor, address


def jobs_to_cancel(session: Session) -> tuple[BatchRow, list[JobRow]] | None:
    """Open jobs of a cancelled batch, of one record, at most `CHUNK_SIZE`, locked; None if there is none.

    The newest come first, because they run last.
    """
    newest = session.exec(
        _JOBS_TO_CANCEL.order_by(col(JobRow.created_at).desc(), col(JobRow.job_id)).limit(1)
    ).first()
    if newest is None:
        return None
    of_record = _JOBS_TO_CANCEL.where(
        JobRow.batch_id == newest.batch_id, JobRow.inspection_id == newest.inspection_id
    )
    ids = session.scalars(
        of_record.with_only_columns(col(JobRow.job_id))
        .order_by(col(JobRow.created_at).desc())
        .limit(CHUNK_SIZE)
    ).all()
    locked = select(JobRow).where(col(JobRow.job_id).in_(ids)).order_by(col(JobRow.job_id)).with_for_update()
    rows = session.exec(locked.execution_options(populate_existing=True)).all()
    return _get(session, str(newest.batch_id)), [row for row in rows if row.state in OPEN_JOB_STATES]


def has_work_left(session: Session) -> tuple[bool, bool]:
    """Whether a batch still has jobs to create, and whether a cancelled one still has jobs to end."""
    to_make, to_cancel = _CHUNKS_TO_CREATE.limit(1), _JOBS_TO_CANCEL.limit(1)
    return session.exec(to_make).first() is not None, session.exec(to_cancel).first() is not None


def is_settled(session: Session, batch_id: str) -> bool:
    """Whether all jobs of the batch are created or, if it is cancelled, ended."""
    row = _get(session, batch_id)
    unmade = select(ChunkRow.number).where(ChunkRow.batch_id == batch_id)
    unended = select(JobRow.progress).where(
        JobRow.batch_id == batch_id, col(JobRow.state).in_(OPEN_JOB_STATES)
    )
    waits = unmade if row.canceled_at is None else unended
    return session.exec(waits.limit(1)).first() is None


def batch_progress(session: Session, batch_id: str) -> Batch:
    """The progress of the batch. Raises Problem 404."""
    row = _get(session, batch_id)
    per_state = select(JobRow.state, func.count(), func.sum(JobRow.progress))
    rows = session.exec(per_state.where(JobRow.batch_id == batch_id).group_by(JobRow.state))
    counts = {JobState(state): (count, int(percent)) for state, count, percent in rows}
    unmade = select(func.coalesce(func.sum(ChunkRow.size), 0)).where(ChunkRow.batch_id == batch_id)
    waits = JobState.QUEUED if row.canceled_at is None else JobState.CANCELED
    count, percent = counts.get(waits, (0, 0))
    return _batch(batch_id, {**counts, waits: (count + session.exec(unmade).one(), percent)})


def items_without_result(session: Session, batch_id: str) -> dict[str, list[str]]:
    """The items whose job failed or was cancelled, by the ids of their records. Raises Problem 404."""
    row = _get(session, batch_id)
    ended = (JobState.FAILED, JobState.CANCELED)
    jobs = session.exec(
        select(JobRow.inspection_id, JobRow.item_id)
        .where(JobRow.batch_id == batch_id, col(JobRow.state).in_(ended))
        .order_by(col(JobRow.inspection_id), col(JobRow.created_at), col(JobRow.job_id))
    )
    items_of_record: dict[str, list[str]] = {}
    for inspection_id, item_id in jobs:
        items_of_record.setdefault(inspection_id, []).append(item_id)
    if row.canceled_at is not None:
        unmade = select(ChunkRow).where(ChunkRow.batch_id == batch_id).order_by(col(ChunkRow.number))
        for chunk in session.exec(unmade):
            items_of_record.setdefault(chunk.inspection_id, []).extend(chunk.item_ids)
    return items_of_record


def waiting_items(session: Session, inspection_id: str) -> set[str]:
    """The items of a record in chunks whose jobs are not created yet."""
    chunks = session.exec(_CHUNKS_TO_CREATE.where(ChunkRow.inspection_id == inspection_id))
    return {item_id for chunk in chunks for item_id in chunk.item_ids}


def _get(session: Session, batch_id: str, lock: bool = False) -> BatchRow:
    row = session.get(BatchRow, batch_id, with_for_update=lock or None)
    if row is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "检测批次不存在")
    return row


def _batch(batch_id: str, counts: dict[JobState, tuple[int, int]]) -> Batch:
    number = {state: counts.get(state, (0, 0))[0] for state in JobState}
    total = sum(number.values())
    # A job that ended without a result counts as complete too.
    percent = sum(
        done if state in OPEN_JOB_STATES else 100 * count for state, (count, done) in counts.items()
    )
    return Batch(
        batch_id=batch_id,
        total=total,
        queued=number[JobState.QUEUED],
        running=number[JobState.RUNNING],
        done=number[JobState.DONE],
        failed=number[JobState.FAILED],
        canceled=number[JobState.CANCELED],
        progress=percent // total if total else 100,
    )
