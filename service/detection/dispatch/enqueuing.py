"""Creates and queues jobs with their pending entries, and cancels both.

Everything here works inside the caller's transaction. All jobs are locked before the record of their items.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from service.db.database import now
from service.detection import rules
from service.detection.failure import MESSAGES
from service.detection.jobs import job_rows
from service.detection.models.registry import facts
from service.detection.ports import Ports
from service.detection.queue.port import Queue
from service.detection.tables import JobRow, ModelRow
from service.web.envelope import Problem
from shared.wire.detection import OPEN, JobState


class JobEnqueuer:
    """Makes and cancels jobs on behalf of a person, at an address."""

    def __init__(self, ports: Ports, queue: Queue) -> None:
        self._ports = ports
        self._queue = queue

    def job(self, session: Session, item_id: str, actor: str | None, address: str | None) -> JobRow:
        """A job for the item, or its open one. Raises Problem 404, and 409 without a model or a photo."""
        before = job_rows.unfinished(session, [item_id])
        return self._job_of(session, item_id, before.get(item_id), actor, address, None)

    def jobs(
        self,
        session: Session,
        item_ids: Sequence[str],
        actor: str | None,
        address: str | None,
        batch_id: str,
    ) -> None:
        """A job of a batch for each of the items (of one record); an open job stays the item's.

        Items that were deleted or have no model or photo any more are left out.
        """
        before = job_rows.unfinished(session, item_ids)
        for item_id in item_ids:
            try:
                self._job_of(session, item_id, before.get(item_id), actor, address, batch_id)
            except Problem:
                continue

    def _job_of(
        self,
        session: Session,
        item_id: str,
        before: JobRow | None,
        actor: str | None,
        address: str | None,
        batch_id: str | None,
    ) -> JobRow:
        item = self._ports.load_item(session, item_id)
        if item.model_id is None:
            raise _conflict("no_model")
        missing = rules.obstacle(item.photo_file_id is not None, True, False)
        if missing is not None:
            raise _conflict(missing)
        # This locks the record; whoever made a job in the meantime is seen now.
        going_on = self._ports.is_under_way(session, item_id, "" if before is None else before.job_id)
        if before is None and (open_job := job_rows.newest_open(session, item_id)) is not None:
            return open_job
        if before is not None:
            if going_on:
                return before
            # A client took its entry away, or brought the item back from a deletion: it is asked for again.
            job_rows.end(before, JobState.CANCELED)
            job_rows.announce_job(session, before, "cancel", actor, address)
        row = job_rows.create(session, item_id, item.inspection_id, item.model_id, actor, batch_id)
        model_row = session.get(ModelRow, item.model_id)
        model = None if model_row is None else facts(model_row)
        photo = None if item.photo_file_id is None else self._ports.file_info(session, item.photo_file_id)
        entry = rules.queued(row.job_id, row.model_id, model, photo, row.created_at)
        row.version = self._ports.put_result(session, item_id, entry, actor)
        self._queue.add(session, row)
        job_rows.announce_job(session, row, "create", actor, address)
        return row

    def cancel(self, session: Session, row: JobRow, actor: str | None, address: str | None) -> None:
        """Cancel a job (locked) that waits or runs; one that has ended stays as it is."""
        if row.state not in OPEN:
            return
        try:
            version = self._ports.put_result(session, row.item_id, rules.canceled(row.job_id, now()), actor)
        except Problem:
            # The item was deleted meanwhile.
            version = None
        job_rows.end(row, JobState.CANCELED, None, version)
        job_rows.announce_job(session, row, "cancel", actor, address)


def _conflict(code: str) -> Problem:
    return Problem(409, code, MESSAGES[code])
