"""Finishes a record: requires a verdict on every item and seals the result."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.detection.jobs.batch_rows import waiting_items
from service.detection.models.labels import severities
from service.inspection import problems, sources
from service.inspection.records import item_rows
from service.inspection.records.item_rows import ItemRow, newest_photos
from service.inspection.records.matches import places
from service.inspection.records.records import (
    RecordRow,
    Records,
    RecordState,
    change_record,
    moment,
    naive_now,
)
from service.inspection.rules import result_values, verdict_entry
from service.inspection.seal_state import newest_edition
from service.inspection.sealing import seal
from service.inspection.sealing.contents import files_of, reference_image, table_content
from service.inspection.tables import EDITION, ITEM, ITEM_ORDER, POLICY
from service.web.security import Caller
from shared.record import results
from shared.record.codes import Status, Verdict
from shared.record.entries import Entry, EntryRegion
from shared.wire.seal import RecordFinish

CLOCK_TOLERANCE = dt.timedelta(minutes=5)
"""So far the clocks of the desktops and of the service may be apart."""

_ITEMS = select(ITEM).order_by(*ITEM_ORDER)
_KNOWN = ("executor_name", "reference_image_name", "flight_id", "aircraft_id", "aircraft_name")


@dataclass(slots=True)
class _Case:
    """An item with its result entries."""

    row: ItemRow
    entries: list[Entry]
    photo_file_id: str | None
    """The newest photo's."""
    region: EntryRegion | None

    @property
    def is_undecided(self) -> bool:
        return results.current_verdict(self.entries) is Verdict.UNDECIDED

    @property
    def is_acceptable(self) -> bool:
        return self.acceptable_version is not None

    @property
    def acceptable_version(self) -> int | None:
        return results.acceptable_version(self.entries, self.photo_file_id, self.region)

    @property
    def summary(self) -> dict[str, str]:
        return {"item_id": self.row.item_id, "item_name": self.row.item_name}


class Finishing:
    """The use case of finishing, one transaction."""

    def __init__(self, database: Database, records: Records) -> None:
        self._database = database
        self._records = records
        self._executors = sources.executors

    async def finish(
        self, inspection_id: str, body: RecordFinish, if_match: str | None, caller: Caller
    ) -> RecordState:
        """Close the record with an edition that seals it. All of it happens, or nothing.

        Raises Problem 404, 412, and 409 when the record is sealed, cancelled or empty, while detections are
        under way, while items are undecided, when its times cannot be, and by the rule that requires
        inspection while passed items were not inspected completely.
        """

        def work(session: Session) -> RecordState:
            record = self._records.lock_matching(session, inspection_id, if_match)
            if record.inspection_status == Status.CANCELLED:
                raise problems.conflict("检查记录已作废，无法完成，请先恢复")
            rows = session.execute(_ITEMS.where(ITEM.c.inspection_id == inspection_id)).all()
            if not rows:
                raise problems.conflict("检查记录没有检查项，无法完成，请先添加检查项")
            photos = newest_photos(session, inspection_id)
            regions = places(session, inspection_id, record.reference_image_id)
            cases = [
                _Case(row, json.loads(row.result), photos.get(row.item_id), regions[row.item_id].inspected)
                for row in rows
            ]
            self._refuse_running(session, inspection_id, cases)
            if body.accept_model_opinion:
                self._accept(session, record, cases, body, caller)
            _refuse_undecided(cases)
            if session.execute(select(POLICY.c.requires_inspection)).scalar_one():
                _refuse_uninspected(cases)
            self._close(session, record, cases, caller)
            return self._records.read_state(session, inspection_id)

        return await self._database.write(work)

    def _refuse_running(self, session: Session, inspection_id: str, cases: Sequence[_Case]) -> None:
        waiting = waiting_items(session, inspection_id)
        running = [
            case
            for case in cases
            if case.row.item_id in waiting or any(map(results.is_under_way, case.entries))
        ]
        if running:
            raise problems.detections_running([case.summary for case in running])

    def _accept(
        self,
        session: Session,
        record: RecordRow,
        cases: Sequence[_Case],
        body: RecordFinish,
        caller: Caller,
    ) -> None:
        """Sign the model's opinion on each undecided item that has one, as a verdict of the caller."""
        item_ids: Collection[str] | None = None if body.item_ids is None else set(body.item_ids)
        at = moment(session, record)
        for case in cases:
            version = case.acceptable_version
            if (
                not case.is_undecided
                or version is None
                or (item_ids is not None and case.row.item_id not in item_ids)
            ):
                continue
            opinion = results.model_opinion(case.entries)
            verdict = Verdict.PASSED if opinion else Verdict.FAILED
            entry = verdict_entry(
                case.entries,
                verdict,
                body.reason,
                caller.user_id,
                caller.display_name,
                at,
                accepted_version=version,
            )
            case.entries.append(entry)
            values = result_values(case.entries)
            item_rows.change_item(
                session, record, case.row, values, caller.user_id, caller.address, recomputes=False
            )

    def _close(self, session: Session, record: RecordRow, cases: Sequence[_Case], caller: Caller) -> None:
        counted = results.count_items(case.entries for case in cases)
        assert counted.outcome is not None
        end = _end(record, moment(session, record))
        values = {
            "progress": results.record_progress([case.entries for case in cases]),
            "inspection_status": str(counted.outcome),
            "record_state": str(
                results.record_state(counted.outcome, sealed=counted.outcome, has_started=True)
            ),
            "end_time": end,
        }
        change_record(session, record, values, caller.user_id, caller.address)
        before = newest_edition(session, record.inspection_id)
        edition = 1 if before is None else before.edition + 1
        accepted = sum(
            results.accepted_version(results.current_entry(case.entries)) is not None for case in cases
        )
        finished = {
            "by": caller.user_id,
            "by_name": caller.display_name,
            "at": end,
            "needs_release": session.execute(select(POLICY.c.four_eyes)).scalar_one(),
            "accepted_opinions": accepted,
        }
        text = self._content(session, record.inspection_id, edition, finished, counted)
        values = {
            "inspection_id": record.inspection_id,
            "edition": edition,
            "seal": seal.seal_of(text),
            "content": text,
            "outcome": str(counted.outcome),
            "accepted_opinions": accepted,
            "finished_by": caller.user_id,
            "finished_by_name": caller.display_name,
            "finished_at": end,
            "needs_release": finished["needs_release"],
        }
        session.execute(insert(EDITION).values(values))
        details = {name: values[name] for name in ("edition", "seal", "outcome", "accepted_opinions")}
        announce(
            session,
            ObjectChange("seal", "record", record.inspection_id, caller.user_id, caller.address, details),
        )

    def _content(
        self,
        session: Session,
        inspection_id: str,
        edition: int,
        finished: dict[str, Any],
        counted: results.Counters,
    ) -> str:
        of_tables = table_content(session, inspection_id)
        assert of_tables is not None
        body = self._records.read_state(session, inspection_id).body
        users = self._executors.c
        named = select(users.name_with_username).where(users.id == body["executor_id"])
        executor = session.execute(named).scalar_one_or_none()
        item_results = [item["result"] for item in of_tables["items"]]
        return seal.canonical(
            seal.whole_content(
                edition,
                finished,
                counted,
                {**{name: body[name] for name in _KNOWN}, "executor": executor},
                severities(session, seal.labels_without_severity(item_results)),
                of_tables,
                seal.models_of(item_results),
                [seal.file_content(file) for file in files_of(session, of_tables)],
                reference_image(session, of_tables),
            )
        )


def _refuse_undecided(cases: Sequence[_Case]) -> None:
    undecided = [case for case in cases if case.is_undecided]
    if undecided:
        undecided_items = [{**case.summary, "acceptable": case.is_acceptable} for case in undecided]
        raise problems.items_undecided(undecided_items, sum(case.is_acceptable for case in undecided))


def _refuse_uninspected(cases: Sequence[_Case]) -> None:
    uninspected = []
    for case in cases:
        gap = results.inspection_gap(case.entries, case.photo_file_id, case.region)
        if gap is not None and results.current_verdict(case.entries) is Verdict.PASSED:
            uninspected.append({**case.summary, "gap": str(gap)})
    if uninspected:
        raise problems.not_inspected(uninspected)


def _end(record: RecordRow, at: dt.datetime) -> dt.datetime:
    """The end of a record that is finished at this moment, not before its start. Raises Problem 409."""
    latest = naive_now() + CLOCK_TOLERANCE
    if at > latest:
        raise problems.implausible_times(
            "记录中的时间晚于服务器时钟，请联系管理员校准服务器时间", end_time=at.isoformat()
        )
    start: dt.datetime | None = record.start_time
    if start is None or start <= at:
        return at
    if start > latest:
        raise problems.implausible_times(
            "开始时间晚于当前时间，无法完成，请先更正开始时间",
            start_time=start.isoformat(),
            end_time=at.isoformat(),
        )
    return start
