"""Finds what earlier inspections saw at the place of an item."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlmodel import Session

from service.db.database import Database
from service.inspection.history.comparison import (
    ComparedFinding,
    Comparison,
    Size,
    compare,
    findings,
    has_reference_places,
)
from service.inspection.history.earlier_items import (
    EarlierItems,
    PastItem,
    author_name,
    corners,
    detection_author,
    parse_time,
    read_verdict,
)
from shared.record import results
from shared.record.codes import Status
from shared.wire.common import to_utc
from shared.wire.history import FindingChange, HistoryEntry, PastFinding


def _past_finding(
    compared: ComparedFinding, change: FindingChange | None, growth: float | None
) -> PastFinding:
    finding = compared.finding
    return PastFinding(
        label=finding.label,
        confidence=finding.confidence,
        points=corners(finding.box),
        reference=None if compared.reference is None else corners(compared.reference),
        change=change,
        growth=growth,
    )


class History:
    """The use case of a region's history."""

    def __init__(self, database: Database, earlier: EarlierItems) -> None:
        self._database = database
        self._earlier = earlier

    async def of_item(self, item_id: str, limit: int) -> list[HistoryEntry]:
        """Earlier items at the same place, newest first, at most `limit`. Raises Problem 404.

        Empty for an item without a region or a record without a reference image.
        """

        def work(session: Session) -> list[HistoryEntry]:
            at_place = self._earlier.of_item(session, item_id, limit)
            now = results.finished_detection(json.loads(at_place.present.result))
            present, aligned = findings(now, at_place.size), has_reference_places(now)
            return [_entry(item, share, present, aligned, at_place.size) for item, share in at_place.earlier]

        return await self._database.read(work)


def _entry(
    row: PastItem,
    shared: float,
    present: Sequence[ComparedFinding],
    is_comparable: bool,
    size: Size | None,
) -> HistoryEntry:
    entries = json.loads(row.result)
    detection = results.finished_detection(entries)
    earlier = findings(detection, size)
    if is_comparable and has_reference_places(detection):
        compared = compare(earlier, present)
    else:
        compared = Comparison(((None, None),) * len(earlier), ())
    verdict = read_verdict(entries)
    reason = verdict.get("reason")
    found_by, found_at = detection_author(detection)
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
        passed=results.is_passed(entries),
        verdict=results.current_verdict(entries),
        reason=None if reason is None else str(reason),
        decided_by=author_name(verdict),
        decided_at=parse_time(verdict.get("at")),
        opinion=results.model_opinion(entries),
        found_by=found_by,
        found_at=found_at,
        findings=[
            _past_finding(finding, *change) for finding, change in zip(earlier, compared.changes, strict=True)
        ],
        appeared=[_past_finding(present[index], FindingChange.NEW, None) for index in compared.appeared],
    )
