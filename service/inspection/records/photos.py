"""Implements the use cases of an item's photos.

Finds the records that already have a photo with the same content.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, delete, insert, select, union_all
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.files.lookup import file_info, same_content, to_file_info
from service.inspection import problems
from service.inspection.records import item_rows
from service.inspection.records.matches import record_image, reference_file
from service.inspection.records.records import RecordRow, naive_now
from service.inspection.seal_state import refuse_sealed
from service.inspection.tables import ITEM, PHOTO, RECORD, RECORD_PHOTO
from service.web.envelope import Problem
from service.web.security import Caller
from shared.ids import new_id
from shared.record.codes import ErrorCode
from shared.wire.common import to_utc
from shared.wire.files import StoredFile
from shared.wire.inspection import FileInfo, ItemPoint, Photo, PhotoUse, TakenMark

_FILES: Any = bindparam("file_ids", expanding=True)
_OTHER = RECORD.c.inspection_id != bindparam("inspection_id")
_NAMED = (RECORD.c.inspection_id, RECORD.c.inspection_name)
_USES = union_all(
    select(PHOTO.c.file_id, PHOTO.c.created_at, *_NAMED)
    .join(ITEM, ITEM.c.item_id == PHOTO.c.item_id)
    .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
    .where(PHOTO.c.file_id.in_(_FILES), _OTHER),
    select(RECORD_PHOTO.c.file_id, RECORD_PHOTO.c.created_at, *_NAMED)
    .join(RECORD, RECORD.c.inspection_id == RECORD_PHOTO.c.inspection_id)
    .where(RECORD_PHOTO.c.file_id.in_(_FILES), _OTHER),
)


@dataclass(frozen=True, slots=True)
class _Use:
    at: dt.datetime
    record: PhotoUse


class PhotoUses:
    """The uses of some files as photos of other records than one."""

    def __init__(self, session: Session, inspection_id: str, file_ids: Collection[str]) -> None:
        same = same_content(session, file_ids) if file_ids else {}
        self._same: Mapping[str, Collection[str]] = same
        self._uses: dict[str, list[_Use]] = {}
        others = {other for others in same.values() for other in others}
        if not others:
            return
        values = {"file_ids": list(others), "inspection_id": inspection_id}
        for row in session.execute(_USES, values):
            record = PhotoUse(inspection_id=row.inspection_id, inspection_name=row.inspection_name)
            self._uses.setdefault(row.file_id, []).append(_Use(row.created_at, record))

    def first(self, file_id: str, before: dt.datetime | None = None) -> PhotoUse | None:
        """The record that first had a photo with the content of this file; None if no other has it.

        before: only uses before this time, naive in UTC.
        """
        uses = [use for other in self._same.get(file_id, ()) for use in self._uses.get(other, ())]
        earlier = [use for use in uses if before is None or use.at < before]
        return min(earlier, key=lambda use: use.at).record if earlier else None


_CLOCKS = timedelta(minutes=5)
"""Clocks that differ by no more are not marked."""
_WEST, _EAST = timedelta(hours=12), timedelta(hours=14)
"""The zones of the earth: a clock shows at most 12 h less and 14 h more than UTC."""
_AFTER_END = timedelta(days=1)
_AFTER_START = timedelta(days=7)


def taken_mark(
    taken_at: str | None, start: datetime | None, end: datetime | None, stored_at: datetime
) -> TakenMark | None:
    """What is odd about `taken_at` (`CameraData.taken_at`); None when nothing is, or that is not known.

    `start` and `end` of the record (UTC, without a zone) are None where it has none; `stored_at` is when its
    file was first uploaded (with a zone). A camera that gives no offset may be in any zone: only what is odd
    in all of them is marked.
    """
    if taken_at is None:
        return None
    taken = datetime.fromisoformat(taken_at)
    try:
        if taken.tzinfo is None:
            utc = taken.replace(tzinfo=UTC)
            earliest, latest = utc - _EAST, utc + _WEST
        else:
            earliest = latest = taken.astimezone(UTC)
        if earliest > stored_at + _CLOCKS:
            return TakenMark.FUTURE
        if start is not None and latest < start.replace(tzinfo=UTC) - _CLOCKS:
            return TakenMark.BEFORE_START
        last = end + _AFTER_END if end is not None else start + _AFTER_START if start is not None else None
    except OverflowError:
        # A time at the edge of what a clock can say.
        return None
    return TakenMark.LONG_AFTER if last is not None and earliest > last.replace(tzinfo=UTC) else None


def check_photo(file: StoredFile | None) -> StoredFile:
    """The file of a photo. Raises Problem 404 when there is none, 415 when it is not an image."""
    if file is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "照片文件不存在，请重新添加照片")
    if not file.mime_type.startswith("image/"):
        raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, "该文件不是图片，不能作为照片")
    return file


def refuse_reference(file: StoredFile, reference: StoredFile | None) -> None:
    """Raises Problem 409 when the file has the content of the reference file."""
    if reference is not None and file.sha256 == reference.sha256:
        raise problems.photo_is_reference()


def refuse_used_photo(session: Session, inspection_id: str, file_id: str) -> None:
    """Raises Problem 409 when another record has a photo with the content of the file."""
    use = PhotoUses(session, inspection_id, [file_id]).first(file_id)
    if use is not None:
        raise problems.photo_used(use)


def phone_details(by_phone: bool) -> dict[str, Any]:
    """What the audit log says beside the rest of a photo that a phone sent."""
    return {"by_phone": True} if by_phone else {}


def mark_of(stored: StoredFile | None, record: RecordRow) -> TakenMark | None:
    """What is odd about the time that a photo of `record` was taken at."""
    if stored is None or stored.camera is None:
        return None
    return taken_mark(stored.camera.taken_at, record.start_time, record.end_time, stored.created_at)


class Photos:
    """The use cases of photos; each is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self,
        item_id: str,
        file_id: str,
        key: str | None,
        caller: Caller,
        *,
        by_phone: bool = False,
        refuse_used: bool = False,
    ) -> Photo:
        """Make an uploaded image the newest photo of the item; `by_phone`: a phone sent it for the caller.

        With a `key` that the caller used before on this item, nothing is added: the photo of that time is the
        answer. Raises Problem 404 without such an item or file, 409 when the record is sealed, when the file
        has the content of the item's reference file, and with `refuse_used` when another record has a photo
        with it, 415 when the file is not an image, 422 when the key added another file.
        """
        client_key = None if key is None else f"{caller.user_id} {key}"

        def work(session: Session) -> Photo:
            # Held until the end: the item is not deleted and its record not sealed between the look and the
            # insert, and the same photo is not added twice at the same time.
            record, item = item_rows.lock(session, item_id)
            if client_key is not None:
                with_key = (PHOTO.c.item_id == item_id, PHOTO.c.client_key == client_key)
                added = session.execute(
                    select(PHOTO.c.photo_id, PHOTO.c.file_id).where(*with_key)
                ).one_or_none()
                if added is not None and added.file_id != file_id:
                    raise problems.key_reused()
                if added is not None:
                    return self._read_photo(session, item_id, added.photo_id)
            refuse_sealed(session, record.inspection_id)
            file = check_photo(file_info(session, file_id))
            point = ItemPoint.model_validate_json(item.item_point) if item.item_point else ItemPoint()
            image = record_image(session, record.reference_image_id)
            refuse_reference(file, reference_file(session, point, image))
            if refuse_used:
                refuse_used_photo(session, record.inspection_id, file_id)
            photo_id = new_id()
            values = {
                "photo_id": photo_id,
                "item_id": item_id,
                "file_id": file_id,
                "added_by": caller.user_id,
                "created_at": naive_now(),
                "client_key": client_key,
                "by_phone": by_phone,
            }
            session.execute(insert(PHOTO).values(values))
            details = {"photo_id": photo_id, "file_id": file_id, **phone_details(by_phone)}
            announce(
                session, ObjectChange("add_photo", "item", item_id, caller.user_id, caller.address, details)
            )
            return self._read_photo(session, item_id, photo_id)

        return await self._database.write(work)

    async def of_item(self, item_id: str) -> list[Photo]:
        """The photos of the item, newest first. Raises Problem 404."""

        def work(session: Session) -> list[Photo]:
            if session.execute(select(ITEM.c.item_id).where(ITEM.c.item_id == item_id)).one_or_none() is None:
                raise problems.no_item()
            return self._read_photos(session, item_id)

        return await self._database.read(work)

    async def of_record(self, inspection_id: str) -> list[Photo]:
        """The photos of every item of the record, newest first. Raises Problem 404."""

        def work(session: Session) -> list[Photo]:
            query = select(RECORD).where(RECORD.c.inspection_id == inspection_id)
            record = session.execute(query).one_or_none()
            if record is None:
                raise problems.no_record()
            rows = session.execute(item_rows.RECORD_PHOTOS, {"inspection_id": inspection_id})
            return self._photos(session, record, rows.all())

        return await self._database.read(work)

    async def delete(self, item_id: str, photo_id: str, caller: Caller) -> None:
        """Take a photo off the item; the file stays. Raises Problem 404, 409 when the record is sealed."""

        def work(session: Session) -> None:
            item_rows.lock_open(session, item_id, None)
            conditions = (PHOTO.c.item_id == item_id, PHOTO.c.photo_id == photo_id)
            file_id = session.execute(select(PHOTO.c.file_id).where(*conditions)).scalar_one_or_none()
            if file_id is None:
                raise problems.no_photo()
            session.execute(delete(PHOTO).where(*conditions))
            details = {"photo_id": photo_id, "file_id": file_id}
            announce(
                session,
                ObjectChange("delete_photo", "item", item_id, caller.user_id, caller.address, details),
            )

        await self._database.write(work)

    def _read_photo(self, session: Session, item_id: str, photo_id: str) -> Photo:
        return next(photo for photo in self._read_photos(session, item_id) if photo.photo_id == photo_id)

    def _read_photos(self, session: Session, item_id: str) -> list[Photo]:
        of_item = select(RECORD).join(ITEM, ITEM.c.inspection_id == RECORD.c.inspection_id)
        record = session.execute(of_item.where(ITEM.c.item_id == item_id)).one()
        rows = session.execute(item_rows.PHOTOS, {"item_id": item_id})
        return self._photos(session, record, rows.all())

    def _photos(
        self, session: Session, record: RecordRow, rows: Sequence[Row[*tuple[Any, ...]]]
    ) -> list[Photo]:
        uses = PhotoUses(session, record.inspection_id, {row.file_id for row in rows})
        return [self._photo(session, record, row, uses) for row in rows]

    def _photo(
        self, session: Session, record: RecordRow, row: Row[*tuple[Any, ...]], uses: PhotoUses
    ) -> Photo:
        stored = file_info(session, row.file_id)
        return Photo(
            photo_id=row.photo_id,
            item_id=row.item_id,
            file=FileInfo() if stored is None else to_file_info(stored),
            file_id=row.file_id,
            added_by=row.added_by,
            added_by_name=row.added_by_name,
            created_at=to_utc(row.created_at),
            by_phone=row.by_phone,
            camera=None if stored is None else stored.camera,
            taken_mark=mark_of(stored, record),
            used_in=uses.first(row.file_id, row.created_at),
        )
