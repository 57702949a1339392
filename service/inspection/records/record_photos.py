"""Implements the use cases of a record's photos: one file each, assigned to the items that it shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, bindparam, delete, insert, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.detection.failure import MESSAGES
from service.files.lookup import file_info, to_file_info
from service.inspection import problems, sources
from service.inspection.records import matches
from service.inspection.records.matches import ItemRegion
from service.inspection.records.photos import (
    PhotoUses,
    check_photo,
    mark_of,
    phone_details,
    refuse_reference,
    refuse_used_photo,
)
from service.inspection.records.records import RecordRow, locked_record, naive_now, open_record
from service.inspection.rules import json_text
from service.inspection.seal_state import refuse_sealed
from service.inspection.tables import ITEM, ITEM_ORDER, PHOTO, RECORD, RECORD_PHOTO
from service.web.language import translate
from service.web.security import Caller
from shared.ids import new_id
from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry
from shared.wire.common import to_utc
from shared.wire.inspection import FileInfo
from shared.wire.photos import Assigned, PhotoItem, PhotoItemSet, PhotoState, RecordPhoto

PhotoRow = Row[*tuple[Any, ...]]

_OF_RECORD = RECORD_PHOTO.c.inspection_id == bindparam("inspection_id")
_ONE = select(RECORD_PHOTO).where(_OF_RECORD, RECORD_PHOTO.c.photo_id == bindparam("photo_id"))
_SAME_FILE = select(RECORD_PHOTO.c.photo_id).where(_OF_RECORD, RECORD_PHOTO.c.file_id == bindparam("file_id"))
_ASSIGNMENTS = (
    select(PHOTO).join(RECORD_PHOTO, RECORD_PHOTO.c.photo_id == PHOTO.c.record_photo_id).where(_OF_RECORD)
)
_RECORD = select(RECORD).where(RECORD.c.inspection_id == bindparam("inspection_id"))
_RESULTS = (
    select(ITEM.c.item_id, ITEM.c.item_name, ITEM.c.result)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .order_by(*ITEM_ORDER)
)


class RecordPhotos:
    """The use cases of a record's photos; each is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        executors = sources.executors.c
        self._listed = (
            select(*RECORD_PHOTO.c, executors.name_with_username.label("added_by_name"))
            .select_from(RECORD_PHOTO)
            .outerjoin(sources.executors, executors.id == RECORD_PHOTO.c.added_by)
            .where(_OF_RECORD)
            .order_by(RECORD_PHOTO.c.created_at.desc(), RECORD_PHOTO.c.photo_id.desc())
        )

    async def add(
        self,
        inspection_id: str,
        file_id: str,
        caller: Caller,
        *,
        by_phone: bool = False,
        refuse_used: bool = False,
    ) -> RecordPhoto:
        """Make an uploaded image a photo of the record; one that is there already is answered as it is.

        `by_phone`: a phone sent it for the caller.

        Raises Problem 404 without such a record or file, 409 when the record is sealed, when the file has the
        content of its reference image, and with `refuse_used` when another record has a photo with it, 415
        when the file is not an image.
        """

        def work(session: Session) -> RecordPhoto:
            record = locked_record(session, inspection_id)
            if record is None:
                raise problems.no_record()
            of_file = {"inspection_id": inspection_id, "file_id": file_id}
            present_id = session.execute(_SAME_FILE, of_file).scalar_one_or_none()
            if present_id is not None:
                return self._read_photo(session, record, present_id)
            refuse_sealed(session, inspection_id)
            file = check_photo(file_info(session, file_id))
            refuse_reference(file, matches.record_image(session, record.reference_image_id))
            if refuse_used:
                refuse_used_photo(session, inspection_id, file_id)
            photo_id = new_id()
            values = {
                **of_file,
                "photo_id": photo_id,
                "added_by": caller.user_id,
                "created_at": naive_now(),
                "state": str(PhotoState.WAITING),
                "by_phone": by_phone,
            }
            session.execute(insert(RECORD_PHOTO).values(values))
            self._announce(session, "add_photo", record, photo_id, file_id, caller, **phone_details(by_phone))
            return self._read_photo(session, record, photo_id)

        return await self._database.write(work)

    async def of_record(self, inspection_id: str) -> list[RecordPhoto]:
        """The photos of the record, newest first. Raises Problem 404."""

        def work(session: Session) -> list[RecordPhoto]:
            record = session.execute(_RECORD, {"inspection_id": inspection_id}).one_or_none()
            if record is None:
                raise problems.no_record()
            return self._read_photos(session, record)

        return await self._database.read(work)

    async def get(self, inspection_id: str, photo_id: str) -> RecordPhoto:
        """One photo. Raises Problem 404."""

        def work(session: Session) -> RecordPhoto:
            record = session.execute(_RECORD, {"inspection_id": inspection_id}).one_or_none()
            if record is None:
                raise problems.no_record()
            return self._read_photo(session, record, photo_id)

        return await self._database.read(work)

    async def assign(
        self, inspection_id: str, photo_id: str, items: Sequence[PhotoItemSet], caller: Caller
    ) -> RecordPhoto:
        """Make it the newest photo of exactly these items; what was found stays.

        Raises Problem 404 for a photo or an item that the record does not have, 409 when it is sealed, and
        when the photo has the content of an item's reference file.
        """
        item_by_id = {item.item_id: item for item in items}

        def work(session: Session) -> RecordPhoto:
            record, photo = self.lock(session, inspection_id, photo_id)
            item_regions = matches.places(session, inspection_id, record.reference_image_id)
            if not item_by_id.keys() <= item_regions.keys():
                raise problems.no_item()
            file = check_photo(file_info(session, photo.file_id))
            for item_id in item_by_id:
                refuse_reference(file, item_regions[item_id].reference)
            current = [] if photo.matches is None else matches.current(photo.matches, item_regions)
            proposed = {item.item_id: item.homography for item in current if item.covered}
            assigned = {row.item_id: row for row in self._assignments(session, inspection_id, photo_id)}
            for item_id in assigned.keys() - item_by_id.keys():
                self._remove_assignment(session, assigned[item_id], caller)
            at = naive_now()
            for item_id, item in item_by_id.items():
                values = _assignment(item, proposed.get(item_id), item_regions[item_id])
                if item_id not in assigned:
                    self._add_assignment(session, photo, item_id, {**values, "created_at": at}, caller)
                elif item.homography is not None:
                    self._change(session, assigned[item_id], values, caller)
            announce(session, _update(record, caller))
            return self._read_photo(session, record, photo_id)

        return await self._database.write(work)

    async def delete(self, inspection_id: str, photo_id: str, confirmed: bool, caller: Caller) -> None:
        """Take a photo off the record and its items; the file and what was found in it stay.

        Raises Problem 404, and 409 when the record is sealed, or when results or verdicts rest on the photo,
        unless that is `confirmed`.
        """

        def work(session: Session) -> None:
            record, photo = self.lock(session, inspection_id, photo_id)
            assigned = self._assignments(session, inspection_id, photo_id)
            resting = self._items_with_findings(session, photo, {row.item_id for row in assigned})
            if resting and not confirmed:
                raise problems.photo_in_use(resting)
            for row in assigned:
                self._remove_assignment(session, row, caller)
            session.execute(delete(RECORD_PHOTO).where(RECORD_PHOTO.c.photo_id == photo_id))
            self._announce(session, "delete_photo", record, photo_id, photo.file_id, caller)

        await self._database.write(work)

    # What the use cases share

    def lock(self, session: Session, inspection_id: str, photo_id: str) -> tuple[RecordRow, PhotoRow]:
        """A photo and its record, locked. Raises Problem 404, 409 (sealed)."""
        record = open_record(session, inspection_id)
        values = {"inspection_id": inspection_id, "photo_id": photo_id}
        photo = session.execute(_ONE, values).one_or_none()
        if photo is None:
            raise problems.no_photo()
        return record, photo

    def _assignments(self, session: Session, inspection_id: str, photo_id: str) -> list[PhotoRow]:
        of_photo = _ASSIGNMENTS.where(RECORD_PHOTO.c.photo_id == photo_id)
        return list(session.execute(of_photo, {"inspection_id": inspection_id}))

    def _items_with_findings(
        self, session: Session, photo: PhotoRow, assigned: set[str]
    ) -> list[dict[str, str]]:
        """The items whose results were found in the photo, or that were decided while they have it."""
        items = []
        for row in session.execute(_RESULTS, {"inspection_id": photo.inspection_id}):
            entries: list[Entry] = json.loads(row.result)
            detected = any(
                (entry.get("inputImage") or {}).get("file_id") == photo.file_id for entry in entries
            )
            decided = row.item_id in assigned and results.current_verdict(entries) is not Verdict.UNDECIDED
            if detected or decided:
                items.append({"item_id": row.item_id, "item_name": row.item_name})
        return items

    def _add_assignment(
        self, session: Session, photo: PhotoRow, item_id: str, values: Mapping[str, Any], caller: Caller
    ) -> None:
        row = {
            "photo_id": new_id(),
            "item_id": item_id,
            "file_id": photo.file_id,
            "added_by": caller.user_id,
            "record_photo_id": photo.photo_id,
            "by_phone": photo.by_phone,
            **values,
        }
        session.execute(insert(PHOTO).values(row))
        details = {name: row[name] for name in ("photo_id", "file_id", "record_photo_id", "assigned")}
        announce(session, ObjectChange("add_photo", "item", item_id, caller.user_id, caller.address, details))

    def _remove_assignment(self, session: Session, row: PhotoRow, caller: Caller) -> None:
        session.execute(delete(PHOTO).where(PHOTO.c.photo_id == row.photo_id))
        details = {
            "photo_id": row.photo_id,
            "file_id": row.file_id,
            "record_photo_id": row.record_photo_id,
        }
        change = ObjectChange("delete_photo", "item", row.item_id, caller.user_id, caller.address, details)
        announce(session, change)

    def _change(self, session: Session, row: PhotoRow, values: Mapping[str, Any], caller: Caller) -> None:
        session.execute(update(PHOTO).where(PHOTO.c.photo_id == row.photo_id).values(**values))
        details = {"photo_id": row.photo_id, **values}
        announce(
            session, ObjectChange("update", "item", row.item_id, caller.user_id, caller.address, details)
        )

    def _announce(
        self,
        session: Session,
        action: str,
        record: RecordRow,
        photo_id: str,
        file_id: str,
        caller: Caller,
        **more: Any,
    ) -> None:
        details = {"photo_id": photo_id, "file_id": file_id, **more}
        change = ObjectChange(action, "record", record.inspection_id, caller.user_id, caller.address, details)
        announce(session, change)

    def _read_photo(self, session: Session, record: RecordRow, photo_id: str) -> RecordPhoto:
        photos = self._read_photos(session, record, RECORD_PHOTO.c.photo_id == photo_id)
        if not photos:
            raise problems.no_photo()
        return photos[0]

    def _read_photos(
        self, session: Session, record: RecordRow, *which: ColumnElement[bool]
    ) -> list[RecordPhoto]:
        values = {"inspection_id": record.inspection_id}
        item_regions = matches.places(session, record.inspection_id, record.reference_image_id)
        assigned: dict[str, list[PhotoItem]] = {}
        number = {item_id: index for index, item_id in enumerate(item_regions)}
        rows = session.execute(_ASSIGNMENTS.where(*which), values).all()
        for row in sorted(rows, key=lambda row: number[row.item_id]):
            assigned.setdefault(row.record_photo_id, []).append(_item(row, item_regions[row.item_id]))
        photos = session.execute(self._listed.where(*which), values).all()
        uses = PhotoUses(session, record.inspection_id, {row.file_id for row in photos})
        return [
            self._to_wire(session, record, row, item_regions, assigned.get(row.photo_id, []), uses)
            for row in photos
        ]

    def _to_wire(
        self,
        session: Session,
        record: RecordRow,
        row: PhotoRow,
        item_regions: Mapping[str, ItemRegion],
        items: list[PhotoItem],
        uses: PhotoUses,
    ) -> RecordPhoto:
        stored = file_info(session, row.file_id)
        return RecordPhoto(
            photo_id=row.photo_id,
            inspection_id=row.inspection_id,
            file=FileInfo() if stored is None else to_file_info(stored),
            file_id=row.file_id,
            width=None if stored is None else stored.width,
            height=None if stored is None else stored.height,
            added_by=row.added_by,
            added_by_name=row.added_by_name,
            created_at=to_utc(row.created_at),
            state=PhotoState(row.state),
            error=row.error,
            message=None if row.error is None else translate(MESSAGES.get(row.error, MESSAGES["internal"])),
            matches=None if row.matches is None else matches.current(row.matches, item_regions),
            items=items,
            by_phone=row.by_phone,
            camera=None if stored is None else stored.camera,
            taken_mark=mark_of(stored, record),
            used_in=uses.first(row.file_id, row.created_at),
        )


def _assignment(
    item: PhotoItemSet, proposed: Sequence[Sequence[float]] | None, place: ItemRegion
) -> dict[str, Any]:
    """The columns that say how a photo comes to an item; `proposed` is what the matching found."""
    homography = proposed if item.homography is None else item.homography
    by_alignment = proposed is not None and homography == proposed
    return {
        "assigned": str(Assigned.ALIGNMENT if by_alignment else Assigned.PERSON),
        "homography": None if homography is None else json_text(homography),
        "reference_file_id": None if place.reference is None else place.reference.file_id,
    }


def _item(row: PhotoRow, place: ItemRegion) -> PhotoItem:
    reference = None if place.reference is None else place.reference.file_id
    is_aligned = row.homography is not None and row.reference_file_id == reference
    homography = json.loads(row.homography) if is_aligned else None
    return PhotoItem(
        item_id=row.item_id,
        item_name=place.item_name,
        photo_id=row.photo_id,
        assigned=Assigned(row.assigned),
        homography=homography,
        corners=None if homography is None else place.corners(homography),
    )


def _update(record: RecordRow, caller: Caller) -> ObjectChange:
    # The changes of the items are audited; this one has clients look at the photos of the record again.
    return ObjectChange(
        "update", "record", record.inspection_id, caller.user_id, caller.address, unaudited=True
    )
