"""Finds what earlier inspections saw at the place of an item.

Gives the inspections of a place in their order, with the findings linked through all of them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, select
from sqlmodel import Session

from service.db.database import Database
from service.files.lookup import file_info
from service.inspection.history.comparison import (
    ComparedFinding,
    Comparison,
    Size,
    compare,
    findings,
    has_reference_places,
    invert,
    match_places,
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
from service.inspection.tables import PHOTO
from shared.record import results
from shared.record.codes import Status
from shared.record.entries import Entry
from shared.record.geometry import Rect
from shared.wire.common import to_utc
from shared.wire.history import (
    FindingChange,
    HistoryEntry,
    PastFinding,
    Trend,
    TrendEntry,
    TrendFinding,
    TrendPhoto,
)


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


MAX_MISSED = 10
"""A finding that returns after this many aligned inspections without it starts another chain."""

_PHOTOS = (
    select(PHOTO.c.item_id, PHOTO.c.file_id, PHOTO.c.homography)
    .where(PHOTO.c.item_id.in_(bindparam("item_ids", expanding=True)))
    .order_by(PHOTO.c.created_at, PHOTO.c.photo_id)
)


@dataclass(slots=True)
class Chains:
    """Numbers findings so that the same one has the same number in every inspection."""

    _places: dict[int, Rect] = field(default_factory=dict)
    """Where each chain was seen last, px of the reference image."""
    _missed: dict[int, int] = field(default_factory=dict)
    _next: int = 0

    def link(self, places: Sequence[Rect | None]) -> list[int | None]:
        """The chain of each finding of the next aligned inspection; None where its place is unknown."""
        open_chains = list(self._places)
        partner = match_places(list(self._places.values()), places)
        numbers = {present: open_chains[before] for before, present in partner.items()}
        linked: list[int | None] = []
        for index, place in enumerate(places):
            if place is None:
                linked.append(None)
                continue
            number = numbers.get(index)
            if number is None:
                number, self._next = self._next, self._next + 1
            self._places[number] = place
            linked.append(number)
        self._age(set(numbers.values()) | {chain for chain in linked if chain is not None})
        return linked

    def _age(self, present: Collection[int]) -> None:
        for number in list(self._places):
            self._missed[number] = 0 if number in present else self._missed[number] + 1
            if self._missed[number] > MAX_MISSED:
                del self._places[number], self._missed[number]


class Trends:
    """The use case of a place's trend."""

    def __init__(self, database: Database, earlier: EarlierItems) -> None:
        self._database = database
        self._earlier = earlier

    async def of_item(self, item_id: str, limit: int) -> Trend:
        """The newest `limit` inspections of the item's place, its own as the last. Raises Problem 404."""

        def work(session: Session) -> Trend:
            # One more than wanted says whether there are more: the item itself takes a place.
            at_place = self._earlier.of_item(session, item_id, limit)
            past = [item for item, _ in at_place.earlier[: limit - 1]]
            rows = [*past, *self._earlier.read(session, [item_id])]
            stored: dict[str, list[Entry]] = {row.item_id: json.loads(row.result) for row in rows}
            detections = {id_: results.finished_detection(entries) for id_, entries in stored.items()}
            others = [id_ for id_, entry in detections.items() if _photo_of(entry) is None]
            photos = self._newest_photos(session, others)
            entries = [
                _trend_entry(row, stored[row.item_id], detections[row.item_id], photos.get(row.item_id))
                for row in rows
            ]
            entries.sort(key=lambda entry: (entry.item_id == item_id, entry.at))
            _link(entries, detections, at_place.size)
            return Trend(entries=entries, earlier=len(at_place.earlier) >= limit)

        return await self._database.read(work)

    def _newest_photos(self, session: Session, item_ids: Sequence[str]) -> dict[str, TrendPhoto]:
        """The newest photo of each of these items that has one."""
        if not item_ids:
            return {}
        # In this order the newest of each stays.
        newest = {row.item_id: row for row in session.execute(_PHOTOS, {"item_ids": item_ids})}
        photos = {}
        for item_id, row in newest.items():
            stored = file_info(session, row.file_id)
            matrix = None if row.homography is None else json.loads(row.homography)
            photos[item_id] = TrendPhoto(
                file_id=row.file_id,
                download_url=None if stored is None else stored.download_url,
                ipfs_cid=None if stored is None else stored.ipfs_cid,
                homography=matrix,
            )
        return photos


def _photo_of(detection: Entry | None) -> TrendPhoto | None:
    """The photo that a detection looked at; None without one."""
    photo = None if detection is None else detection.get("inputImage")
    if not isinstance(photo, Mapping):
        return None
    fields = {name: photo.get(name) for name in ("file_id", "download_url", "ipfs_cid")}
    texts = {name: value if isinstance(value, str) else None for name, value in fields.items()}
    if not texts["file_id"] and not texts["download_url"]:
        return None
    matrix = results.entry_homography(detection)
    usable = matrix is not None and invert(matrix) is not None
    return TrendPhoto(**texts, homography=matrix if usable else None)


def _trend_entry(
    row: PastItem, stored: Sequence[Entry], detection: Entry | None, photo: TrendPhoto | None
) -> TrendEntry:
    """An inspection without its findings."""
    verdict = read_verdict(stored)
    reason = verdict.get("reason")
    found_by, found_at = detection_author(detection)
    return TrendEntry(
        item_id=row.item_id,
        item_name=row.item_name,
        inspection_id=row.inspection_id,
        inspection_name=row.inspection_name,
        inspection_status=Status(row.inspection_status),
        at=to_utc(row.start_time) if row.start_time is not None else found_at or to_utc(row.created_at),
        passed=results.is_passed(stored),
        verdict=results.current_verdict(stored),
        reason=None if reason is None else str(reason),
        decided_by=author_name(verdict),
        found_by=found_by,
        detected=detection is not None,
        photo=_photo_of(detection) or photo,
        findings=[],
    )


def _link(entries: Sequence[TrendEntry], detections: Mapping[str, Entry | None], size: Size | None) -> None:
    """Give the inspections, oldest first, their findings with the chain of each."""
    chains = Chains()
    for entry in entries:
        detection = detections[entry.item_id]
        present = findings(detection, size)
        # Who looked at a photo that is not aligned missed nothing that is known.
        aligned = has_reference_places(detection)
        linked = chains.link([finding.reference for finding in present]) if aligned else [None] * len(present)
        entry.findings = [_finding(finding, chain) for finding, chain in zip(present, linked, strict=True)]


def _finding(compared: ComparedFinding, chain: int | None) -> TrendFinding:
    finding = compared.finding
    return TrendFinding(
        label=finding.label,
        confidence=finding.confidence,
        points=corners(finding.box),
        reference=None if compared.reference is None else corners(compared.reference),
        chain=chain,
    )
