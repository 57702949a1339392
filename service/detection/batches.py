"""Jobs that one request made: how far they are, and the ones that gave no result."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.detection.jobs import OPEN
from service.detection.tables import JobRow
from service.envelope import Problem
from shared.codes import ErrorCode
from shared.wire.detection import Batch, JobState


def standing(session: Session, batch_id: str) -> Batch:
    """How far the batch is. Raises Problem 404 for one without jobs."""
    per_state = select(JobRow.state, func.count(), func.sum(JobRow.progress))
    rows = session.execute(per_state.where(JobRow.batch_id == batch_id).group_by(JobRow.state)).all()
    if not rows:
        raise Problem(404, ErrorCode.NOT_FOUND, "没有这一批检测任务")
    return _batch(batch_id, {JobState(state): (count, int(percent)) for state, count, percent in rows})


def empty(batch_id: str) -> Batch:
    """A batch for which there was nothing to do."""
    return _batch(batch_id, {})


def open_jobs(session: Session, batch_id: str) -> Sequence[str]:
    """Ids of the jobs that wait or run."""
    query = select(JobRow.job_id).where(JobRow.batch_id == batch_id, JobRow.state.in_(OPEN))
    return session.scalars(query.order_by(JobRow.job_id)).all()


def without_result(session: Session, batch_id: str) -> dict[str, list[str]]:
    """The items whose job failed or was cancelled, by the ids of their records. Raises Problem 404."""
    standing(session, batch_id)
    ended = (JobState.FAILED, JobState.CANCELED)
    rows = session.execute(
        select(JobRow.inspection_id, JobRow.item_id)
        .where(JobRow.batch_id == batch_id, JobRow.state.in_(ended))
        .order_by(JobRow.inspection_id, JobRow.created_at, JobRow.job_id)
    )
    found: dict[str, list[str]] = {}
    for inspection_id, item_id in rows:
        found.setdefault(inspection_id, []).append(item_id)
    return found


def _batch(batch_id: str, counts: dict[JobState, tuple[int, int]]) -> Batch:
    number = {state: counts.get(state, (0, 0))[0] for state in JobState}
    total = sum(number.values())
    # What has ended is done with, also without a result.
    percent = sum(done if state in OPEN else 100 * count for state, (count, done) in counts.items())
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
