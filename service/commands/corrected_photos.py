"""Reads the content of a training set: photos with the findings that people corrected."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from service.catalogue.tables import FlightRow, TaskRow
from service.files.tables import FileRow
from service.inspection.tables import ITEM, RECORD
from shared.record import findings, results
from shared.record.content import cid
from shared.record.entries import Entry
from shared.record.findings import Finding

_CORRECTED_RECORD_IDS = select(ITEM.c.inspection_id).where(ITEM.c.result.contains('"correction"'))
_ITEMS = (
    select(
        ITEM.c.item_id,
        ITEM.c.inspection_id,
        ITEM.c.result,
        func.coalesce(col(TaskRow.aircraft_id), col(FlightRow.aircraft_id)).label("aircraft_id"),
    )
    .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
    .outerjoin(TaskRow, col(TaskRow.task_id) == RECORD.c.task_id)
    .outerjoin(FlightRow, col(FlightRow.flight_id) == col(TaskRow.flight_id))
    .where(ITEM.c.detected, ITEM.c.inspection_id.in_(_CORRECTED_RECORD_IDS))
    .order_by(RECORD.c.created_at, RECORD.c.inspection_id, ITEM.c.created_at, ITEM.c.item_id)
)
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class CorrectedPhoto:
    """A photo, upright `width` x `height` px, whose findings a person corrected.

    groups: the aircraft of the photo's records (`aircraft ID`), or the record if it has no aircraft (`record
    ID`). There are several if several records have the same content. findings: the current findings of all
    items that were detected in the photo, in px. rejected: the number of a model's findings that people
    removed.
    """

    sha256: str
    mime_type: str
    width: int
    height: int
    groups: tuple[str, ...]
    findings: tuple[Finding, ...]
    rejected: int

    @property
    def content_id(self) -> str:
        """The content ID of the file."""
        return cid(self.sha256)


@dataclass(frozen=True, slots=True)
class _DetectedItem:
    group: str
    findings: Sequence[Finding]
    rejected: int | None


def corrected_photos(session: Session) -> list[CorrectedPhoto]:
    """The photos in which a person corrected the findings of an item, by the SHA-256 of their content.

    A photo of several items has the findings of all of them: without those of the other items, training would
    take their places for undamaged surface. A photo whose file was deleted is left out.
    """
    with session.execute(_ITEMS.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        detected_items = [item for row in rows for item in _detected_items(row)]
    files = _pictures(session, sorted({file_id for file_id, _ in detected_items}))
    photos: defaultdict[str, list[_DetectedItem]] = defaultdict(list)
    file_by_sha256: dict[str, FileRow] = {}
    for file_id, item in detected_items:
        if (file := files.get(file_id)) is not None:
            photos[file.sha256].append(item)
            file_by_sha256.setdefault(file.sha256, file)
    corrected_photos = []
    for sha256, items in sorted(photos.items()):
        if all(item.rejected is None for item in items):
            continue
        file = file_by_sha256[sha256]
        corrected_photos.append(
            CorrectedPhoto(
                sha256,
                file.mime_type,
                file.width or 0,
                file.height or 0,
                tuple(sorted({item.group for item in items})),
                tuple(finding for item in items for finding in item.findings),
                sum(item.rejected or 0 for item in items),
            )
        )
    return corrected_photos


def _pictures(session: Session, file_ids: Sequence[str]) -> dict[str, FileRow]:
    """Read the rows of those files that are images, by file ID."""
    files: dict[str, FileRow] = {}
    for start in range(0, len(file_ids), _ROWS_AT_ONCE):
        ids = file_ids[start : start + _ROWS_AT_ONCE]
        rows = session.exec(select_rows(FileRow).where(col(FileRow.file_id).in_(ids)))
        files |= {row.file_id: row for row in rows if row.width and row.height}
    return files


def _detected_items(row: Row[*tuple[Any, ...]]) -> Iterator[tuple[str, _DetectedItem]]:
    """The ID of the file in which the item of `row` was detected, with its current findings; or nothing."""
    entries: list[Entry] = json.loads(row.result)
    current = results.finished_detection(entries)
    image = None if current is None else current.get("inputImage")
    file_id = image.get("file_id") if isinstance(image, Mapping) else None
    if current is None or not isinstance(file_id, str):
        return
    group = f"record {row.inspection_id}" if row.aircraft_id is None else f"aircraft {row.aircraft_id}"
    current_findings = findings.read_findings(current)
    rejected: int | None = None
    if results.is_correction(current):
        model_findings = findings.read_findings(results.original_detection(entries, current))
        rejected = max(len(model_findings) - sum(not finding.is_drawn for finding in current_findings), 0)
    yield file_id, _DetectedItem(group, current_findings, rejected)
