"""Finds what earlier inspections saw at the place of an item."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import and_, bindparam, or_, select
from sqlmodel import Session

from service.db.database import Database
from service.inspection import problems
from service.inspection.history.comparison import (
    SAME_PLACE,
    ComparedFinding,
    Comparison,
    RegionPlace,
    Size,
    comparable,
    compare,
    findings,
    overlap,
    region_place,
)
from service.inspection.ports import JoinSources, Ports
from service.inspection.tables import ITEM, RECORD
from shared import results
from shared.codes import Status
from shared.entries import Entry, EntryCorrection, EntryVerdict
from shared.geometry import Rect
from shared.wire.common import ItemTime, to_utc
from shared.wire.history import Corners, FindingChange, HistoryEntry, PastFinding

LOOKED_THROUGH = 20_000
"""So many of the newest items on a reference image are looked through at most."""
_AT_ONCE = 1000
_TIME: TypeAdapter[dt.datetime] = TypeAdapter(ItemTime)


def _corners(rect: Rect) -> Corners:
    return Corners(x1=rect.x, y1=rect.y, x2=rect.right, y2=rect.bottom)


def _past_finding(
    compared: ComparedFinding, change: FindingChange | None, growth: float | None
) -> PastFinding:
    finding = compared.finding
    return PastFinding(
        label=finding.label,
        confidence=finding.confidence,
        points=_corners(finding.box),
        reference=None if compared.reference is None else _corners(compared.reference),
        change=change,
        growth=growth,
    )


class _Present(NamedTuple):
    """The item whose place is asked for."""

    item_point: str | None
    result: str
    inspection_id: str
    reference_image_id: str | None
    created_at: dt.datetime


class _Past(NamedTuple):
    """An earlier item at that place, with its record."""

    item_id: str
    item_name: str
    result: str
    inspection_id: str
    inspection_name: str | None
    inspection_status: str
    start_time: dt.datetime | None
    created_at: dt.datetime
    executor_id: str | None
    executor_name: str | None


class History:
    """The use case of a region's history."""

    def __init__(self, database: Database, sources: JoinSources, ports: Ports) -> None:
        self._database = database
        self._ports = ports
        item, record, executors = ITEM.c, RECORD.c, sources.executors.c
        self._present = (
            select(
                item.item_point,
                item.result,
                record.inspection_id,
                record.reference_image_id,
                record.created_at,
            )
            .join(RECORD, record.inspection_id == item.inspection_id)
            .where(item.item_id == bindparam("item_id"))
        )
        # The index of the reference image gives the records in this order, that of the items theirs. The
        # results are long: only those of the items at the place are read, afterwards.
        self._earlier = (
            select(item.item_id, item.item_point)
            .select_from(RECORD)
            .join(ITEM, item.inspection_id == record.inspection_id)
            .where(
                record.reference_image_id == bindparam("reference_image_id"),
                record.created_at <= bindparam("created_at"),
                or_(
                    record.created_at < bindparam("created_at"),
                    and_(
                        record.created_at == bindparam("created_at"),
                        record.inspection_id < bindparam("inspection_id"),
                    ),
                ),
            )
            .order_by(
                record.created_at.desc(), record.inspection_id.desc(), item.created_at.desc(), item.item_id
            )
            .limit(bindparam("most"))
            .execution_options(yield_per=_AT_ONCE)
        )
        self._past_findings = (
            select(
                item.item_id,
                item.item_name,
                item.result,
                record.inspection_id,
                record.inspection_name,
                record.inspection_status,
                record.start_time,
                record.created_at,
                record.executor_id,
                executors.name.label("executor_name"),
            )
            .select_from(ITEM)
            .join(RECORD, record.inspection_id == item.inspection_id)
            .outerjoin(sources.executors, executors.id == record.executor_id)
            .where(item.item_id.in_(bindparam("item_ids", expanding=True)))
        )

    async def of_item(self, item_id: str, limit: int) -> list[HistoryEntry]:
        """Earlier items at the same place, newest first, at most `limit`. Raises Problem 404.

        Empty for an item without a region or a record without a reference image. Of the items on the image,
        the newest `LOOKED_THROUGH` count.
        """

        def work(session: Session) -> list[HistoryEntry]:
            row = session.execute(self._present, {"item_id": item_id}).one_or_none()
            if row is None:
                raise problems.no_item()
            present = _Present._make(row)
            here = region_place(present.item_point)
            if here is None or present.reference_image_id is None:
                return []
            image = self._ports.reference_image(session, present.reference_image_id)
            size = None
            if image is not None and image.width is not None and image.height is not None:
                size = (image.width, image.height)
            now = results.finished_detection(json.loads(present.result))
            given = {
                "reference_image_id": present.reference_image_id,
                "created_at": present.created_at,
                "inspection_id": present.inspection_id,
                "most": LOOKED_THROUGH,
            }
            rows = session.execute(self._earlier, given)
            try:
                shares = _at_place(rows, here, size, limit)
            finally:
                rows.close()
            past = map(_Past._make, session.execute(self._past_findings, {"item_ids": list(shares)}))
            by_id = {one.item_id: one for one in past}
            found, known = findings(now, size), comparable(now)
            return [_entry(by_id[one], share, found, known, size) for one, share in shares.items()]

        return await self._database.read(work)


def _at_place(
    items: Iterable[tuple[str, str | None]], here: RegionPlace, size: Size | None, limit: int
) -> dict[str, float]:
    """The ids of the first `limit` items whose region is the place `here`, with the overlap."""
    shares: dict[str, float] = {}
    # Records that start with those of the last one share their regions, letter by letter.
    known: dict[str | None, float] = {}
    for item_id, item_point in items:
        share = known.get(item_point)
        if share is None:
            there = region_place(item_point)
            share = known[item_point] = 0.0 if there is None else overlap(here, there, size)
        if share >= SAME_PLACE:
            shares[item_id] = share
            if len(shares) == limit:
                break
    return shares


def _found(detection: Entry | None) -> tuple[str | None, dt.datetime | None]:
    """Who found the findings of a detection, and when: the person who corrected them, else the model."""
    if detection is None:
        return None, None
    if results.is_correction(detection):
        correction = detection["correction"]
        return _name(correction), _time(correction.get("at"))
    origin = detection.get("provenance")
    if not isinstance(origin, Mapping):
        return None, None
    model = origin.get("model_name")
    return model if isinstance(model, str) else None, _time(origin.get("finished_at"))


def _name(said: EntryVerdict | EntryCorrection) -> str | None:
    return next((name for name in (said.get("by_name"), said.get("by")) if isinstance(name, str)), None)


def _time(value: object) -> dt.datetime | None:
    # A client may have written anything there.
    try:
        return _TIME.validate_python(value)
    except ValidationError:
        return None


def _entry(
    row: _Past,
    shared: float,
    present: Sequence[ComparedFinding],
    known: bool,
    size: Size | None,
) -> HistoryEntry:
    entries = json.loads(row.result)
    detection = results.finished_detection(entries)
    earlier = findings(detection, size)
    if known and comparable(detection):
        compared = compare(earlier, present)
    else:
        compared = Comparison(((None, None),) * len(earlier), ())
    current = results.current(entries)
    verdict = current["verdict"] if current is not None and results.is_verdict(current) else EntryVerdict()
    reason = verdict.get("reason")
    found_by, found_at = _found(detection)
    return HistoryEntry(
        item_id=row.item_id,
        item_name=row.item_name,
        inspection_id=row.inspection_id,
        inspection_name=row.inspection_name,
        inspection_status=Status(row.inspection_status),
        start_time=None if row.start_time is None else to_utc(row.start_time),
        created_at=to_utc(row.created_at),
        executor_id=row.executor_id,
        executor_name=row.executor_name,
        overlap=shared,
        passed=results.passed(entries),
        verdict=results.verdict(entries),
        reason=None if reason is None else str(reason),
        decided_by=_name(verdict),
        decided_at=_time(verdict.get("at")),
        opinion=results.model_opinion(entries),
        found_by=found_by,
        found_at=found_at,
        findings=[
            _past_finding(finding, *change) for finding, change in zip(earlier, compared.changes, strict=True)
        ],
        appeared=[_past_finding(present[index], FindingChange.NEW, None) for index in compared.appeared],
    )
