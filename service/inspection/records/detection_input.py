"""Gives detection its inputs and writes its entries, inside detection's transactions."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, bindparam, select
from sqlmodel import Session

from service.catalogue.service import find_reference_image
from service.db import statements
from service.files.lookup import file_info
from service.inspection import problems
from service.inspection.records import item_rows
from service.inspection.records.item_rows import ItemRow, newest_photos
from service.inspection.records.matches import entry_region, places, reference_file
from service.inspection.records.records import RecordRow
from service.inspection.rules import FINISHED, result_values, with_entry
from service.inspection.seal_state import newest_editions, refuse_sealed, state_of
from service.inspection.tables import ITEM, ITEM_ORDER, PHOTO, RECORD
from shared.record import results
from shared.record.codes import SEALED_STATES, Status, Verdict
from shared.record.entries import Entry, EntryRegion
from shared.wire.inspection import ItemPoint, Point
from shared.wire.photos import Assigned

_KNOWN_RECORD = select(RECORD.c.reference_image_id).where(
    RECORD.c.inspection_id == bindparam("inspection_id")
)
_DETECTABLE = ITEM.c.model_id.is_not(None) & ITEM.c.item_id.in_(select(PHOTO.c.item_id))
_OF_RECORD = (
    select(ITEM.c.item_id, ITEM.c.item_point, ITEM.c.result, ITEM.c.model_id)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"), _DETECTABLE)
    .order_by(*ITEM_ORDER)
)
_RECORD_ID = RECORD.c.inspection_id
_PENDING = (
    select(ITEM.c.item_id, ITEM.c.inspection_id, ITEM.c.result)
    .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
    .where(
        RECORD.c.end_time.is_(None),
        RECORD.c.inspection_status != str(Status.CANCELLED),
        ITEM.c.outcome.not_in([str(outcome) for outcome in FINISHED]),
        _DETECTABLE,
    )
    .order_by(RECORD.c.created_at, RECORD.c.inspection_id, *ITEM_ORDER)
)


@dataclass(frozen=True, slots=True)
class PhotoAlignment:
    """Where the reference image lies in a photo by its assignment: 3 x 3, reference px -> photo px."""

    homography: Sequence[Sequence[float]]
    by_person: bool


@dataclass(frozen=True, slots=True)
class DetectionInput:
    """What a detection of one item works on.

    `point` is the region on the reference image as the item keeps it. `reference_file_id` is the file that
    the item's fileInfo names, else that of the record's reference image; `mm_per_pixel` is known when it is
    the reference image's own file. `photo_file_id` is the newest photo's file, `photo_alignment` what is
    known of it as a photo of the record. `settings` are the item's own, as the client wrote them:
    `shared.wire.inspection.DetectionSettings` unless they make no sense. `region` is what the result keeps
    of `point` and the reference file.
    """

    item_id: str
    inspection_id: str
    item_name: str
    model_id: str | None
    point: Point | None
    reference_file_id: str | None
    mm_per_pixel: float | None
    photo_file_id: str | None
    photo_alignment: PhotoAlignment | None
    settings: Any
    region: EntryRegion | None


class LockedItem:
    """An item and its record, locked in a transaction; valid until the item changes."""

    def __init__(
        self,
        session: Session,
        record: RecordRow,
        item: ItemRow,
    ) -> None:
        self._session = session
        self._record = record
        self._item = item

    def input(self) -> DetectionInput:
        """What a detection of the item works on."""
        session, item = self._session, self._item
        item_point = ItemPoint.model_validate_json(item.item_point) if item.item_point else ItemPoint()
        image_id = self._record.reference_image_id
        image = None if image_id is None else find_reference_image(session, image_id)
        image_file_id = None if image is None else image.file_id
        image_file = None if image_file_id is None else file_info(session, image_file_id)
        reference = reference_file(session, item_point, image_file)
        file_id = image_file_id if reference is None else reference.file_id
        photos = statements.run(session.connection(), item_rows.PHOTOS, {"item_id": item.item_id})
        photo = photos[0] if photos else None
        return DetectionInput(
            item_id=item.item_id,
            inspection_id=item.inspection_id,
            item_name=item.item_name,
            model_id=item.model_id,
            point=item_point.point,
            reference_file_id=file_id,
            mm_per_pixel=image.mm_per_pixel if image is not None and file_id == image_file_id else None,
            photo_file_id=None if photo is None else photo.file_id,
            photo_alignment=_place(photo, file_id),
            settings=(item_point.model_extra or {}).get("detection"),
            region=entry_region(item_point.point, reference),
        )

    def is_under_way(self, job_id: str) -> bool:
        """Whether the item has an entry of the job that has not ended."""
        entries: list[Entry] = json.loads(self._item.result)
        return any(results.is_under_way(entry) and results.entry_job_id(entry) == job_id for entry in entries)

    def put_result(self, entry: Entry, actor: str | None = None) -> int | None:
        """Write one step of a detection's entry, see `rules.with_entry`; gives its version.

        Only a finished result counts as a change of the item: an entry of a detection under way leaves the
        item's revision, so that it makes no edit stale.
        """
        written = with_entry(json.loads(self._item.result), entry)
        if written is None:
            return None
        entries, version = written
        item_rows.change_item(
            self._session,
            self._record,
            self._item,
            result_values(entries),
            actor,
            None,
            progress_only=not results.is_finished(entry),
        )
        return version


class DetectionAccess:
    """The side of items that detection sees."""

    def put_result(
        self, session: Session, item_id: str, entry: Entry, actor: str | None = None
    ) -> int | None:
        """Lock the item and write one step of a detection's entry, see `LockedItem.put_result`.

        Raises Problem 404, and 409 when the record is sealed.
        """
        return self.lock(session, item_id).put_result(entry, actor)

    def lock(self, session: Session, item_id: str) -> LockedItem:
        """The item, which no other transaction changes now. Raises Problem 404, 409 (sealed)."""
        return LockedItem(session, *item_rows.lock_open(session, item_id, None))

    def open_items(self, session: Session, inspection_id: str, outdated: bool = False) -> list[str]:
        """The ids of a record's items with a model and a photo that no person has decided, oldest first.

        `outdated`: only those without a current result, which is one of the newest photo and the region as it
        is, by the item's model and settings.
        Raises Problem 404, and 409 when the record is sealed.
        """
        values = {"inspection_id": inspection_id}
        record = session.execute(_KNOWN_RECORD, values).one_or_none()
        if record is None:
            raise problems.no_record()
        refuse_sealed(session, inspection_id)
        newest = newest_photos(session, inspection_id) if outdated else {}
        regions = places(session, inspection_id, record.reference_image_id) if outdated else {}
        item_ids = []
        for row in session.execute(_OF_RECORD, values):
            entries = json.loads(row.result)
            if results.current_verdict(entries) is not Verdict.UNDECIDED:
                continue
            region = regions[row.item_id].inspected if outdated else None
            if not outdated or not _is_current(entries, row, newest.get(row.item_id), region):
                item_ids.append(row.item_id)
        return item_ids

    def pending_items(self, session: Session, inspection_ids: Sequence[str] | None) -> dict[str, list[str]]:
        """The items with a model and a photo that no detection has finished, by the ids of their records.

        Of these records, None: of all, that are neither cancelled nor finished; the oldest records first.
        Raises Problem 409 when all records that are named are sealed.
        """
        by_record: dict[str, list[str]] = {}
        query = _PENDING
        if inspection_ids is not None:
            query = query.where(_RECORD_ID.in_(self.changeable(session, inspection_ids)))
        with session.execute(query.execution_options(yield_per=200)) as rows:
            for row in rows:
                entries = json.loads(row.result)
                if results.finished_detection(entries) is None and not any(
                    results.is_under_way(entry) for entry in entries
                ):
                    by_record.setdefault(row.inspection_id, []).append(row.item_id)
        return by_record

    def changeable(self, session: Session, inspection_ids: Collection[str]) -> set[str]:
        """Those of the records that are not sealed. Raises Problem 409 when there are some and all are."""
        newest = newest_editions(session, inspection_ids)
        sealed = {inspection_id for inspection_id, row in newest.items() if state_of(row) in SEALED_STATES}
        free = set(inspection_ids) - sealed
        if sealed and not free:
            raise problems.record_sealed(newest[min(sealed)].edition)
        return free


def _place(photo: Row[*tuple[Any, ...]] | None, reference_file_id: str | None) -> PhotoAlignment | None:
    """Where this reference file lies in the photo by its assignment; None when that does not say it."""
    if photo is None or photo.homography is None or photo.reference_file_id != reference_file_id:
        return None
    return PhotoAlignment(json.loads(photo.homography), photo.assigned == Assigned.PERSON)


def _is_current(
    entries: Sequence[Entry], item: Row[Any], photo_file_id: str | None, region: EntryRegion | None
) -> bool:
    """Whether the newest finished detection is of this photo and region, by the item's model and settings."""
    entry = results.finished_detection(entries)
    if entry is None or results.is_region_changed(entries, region):
        return False
    photo = (entry.get("inputImage") or {}).get("file_id")
    origin = (results.newest_model_entry(entries) or {}).get("provenance") or {}
    settings = json.loads(item.item_point or "{}").get("detection")
    return (
        photo in (None, photo_file_id)
        and origin.get("model_id") in (None, item.model_id)
        and origin.get("settings", settings) == settings
    )
