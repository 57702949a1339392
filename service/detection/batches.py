"""Jobs that one request made: how far they are, and the ones that gave no result."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.detection.jobs import OPEN
from service.detection.tables import JobRow
from service.envelope import Problem
from shared.codes import ErrorCode
from shared.wire.detection import Batch, JobState


def standing(session: Session, batch_id: str, unmade: int = 0, *, may_be_empty: bool = False) -> Batch:
    """How far the batch is, with so many jobs that are still to be made.

    Raises Problem 404 for one without jobs, unless it `may_be_empty`.
    """
    per_state = select(JobRow.state, func.count(), func.sum(JobRow.progress))
    rows = session.execute(per_state.where(JobRow.batch_id == batch_id).group_by(JobRow.state)).all()
    if not rows and not may_be_empty:
        raise Problem(404, ErrorCode.NOT_FOUND, "没有这一批检测任务")
    counts = {JobState(state): (count, int(percent)) for state, count, percent in rows}
    queued, percent = counts.get(JobState.QUEUED, (0, 0))
    return _batch(batch_id, {**counts, JobState.QUEUED: (queued + unmade, percent)})


def open_jobs(session: Session, batch_id: str) -> dict[str, list[str]]:
    """Ids of the jobs that wait or run, by those of their records, the newest first: they run last."""
    found: dict[str, list[str]] = {}
    rows = session.execute(
        select(JobRow.inspection_id, JobRow.job_id)
        .where(JobRow.batch_id == batch_id, JobRow.state.in_(OPEN))
        .order_by(JobRow.created_at.desc(), JobRow.job_id)
    )
    for inspection_id, job_id in rows:
        found.setdefault(inspection_id, []).append(job_id)
    return found


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
