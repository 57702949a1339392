"""Receives photos from phones in parts, and adds them to records and items once they are complete."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update
from sqlmodel import Session

from service.db.database import Database, now
from service.detection.service import DetectionService
from service.files.service import FilesService
from service.inspection.service import InspectionService
from service.phone.codes import PhoneCodes, PhoneConnection
from service.phone.facts import record_facts
from service.phone.rules import RateLimiter, expiry_after_photo
from service.phone.tables import CODE, PART, UPLOAD
from service.web.envelope import Problem
from shared.record.codes import ErrorCode
from shared.wire.phone import MAX_PHOTOS, PhoneUpload, PhoneUploadCreate, UploadState
from shared.wire.text import fill

MAX_UNFINISHED = 10
"""The most unfinished photos of a code; the page sends one photo after another."""

_FINAL_STATUSES = (404, 413, 415, 422)
"""Statuses after which a photo is refused finally; after others the phone tries again."""

UploadRow = Row[*tuple[Any, ...]]


class PhoneUploads:
    """The photos that phones send."""

    def __init__(
        self,
        database: Database,
        codes: PhoneCodes,
        files: FilesService,
        inspection: InspectionService,
        detection: DetectionService,
    ) -> None:
        self._database = database
        self._codes = codes
        self._files = files
        self._inspection = inspection
        self._detection = detection
        self._begin_limiter = RateLimiter(120, 60)
        self._finish_locks: dict[str, asyncio.Lock] = {}

    def list_uploads(self, session: Session, code_id: str) -> list[PhoneUpload]:
        """Return the uploads of a code, oldest first."""
        query = select(UPLOAD).where(UPLOAD.c.code_id == code_id)
        rows = session.execute(query.order_by(UPLOAD.c.created_at, UPLOAD.c.upload_id))
        return [_to_upload(row) for row in rows]

    async def begin(self, phone: PhoneConnection, body: PhoneUploadCreate) -> PhoneUpload:
        """Begin an upload, or return the state of an upload with this id.

        An upload that the same phone began with an earlier code of the same record continues with this code.
        Raises Problem 404 for an item that the code is not for, 409 if the id is used or the code has too
        many photos, 429, and 507 without room for the photo.
        """
        code = phone.code
        upload = await self._database.write(lambda session: self._resume(session, phone, body))
        if upload is not None:
            return upload
        if wait := self._begin_limiter.seconds_to_wait(code.code_id):
            msg = fill("请求过于频繁，请在 {seconds} 秒后重试", seconds=wait)
            raise Problem(429, ErrorCode.TOO_MANY_REQUESTS, msg, headers={"Retry-After": str(wait)})
        self._begin_limiter.count(code.code_id)
        await self._files.ensure_room(body.size)
        item_id = code.item_id or body.item_id

        def work(session: Session) -> PhoneUpload:
            facts = record_facts(session, code.inspection_id, item_id)
            if (body.item_id or item_id) != item_id or facts is None or not facts.has_item:
                raise Problem(404, ErrorCode.NOT_FOUND, "检查项不存在，请选择其他检查项")
            belongs_to_code = UPLOAD.c.code_id == code.code_id
            session.execute(select(CODE.c.code_id).where(CODE.c.code_id == code.code_id).with_for_update())
            if (
                session.scalar(select(func.count()).select_from(UPLOAD).where(belongs_to_code)) or 0
            ) >= MAX_PHOTOS:
                raise Problem(409, ErrorCode.CONFLICT, "此连接码的照片数量已达上限，请生成新的连接码")
            unfinished = select(UPLOAD.c.upload_id).where(
                belongs_to_code, UPLOAD.c.state == str(UploadState.RECEIVING)
            )
            oldest = unfinished.order_by(UPLOAD.c.created_at.desc()).offset(MAX_UNFINISHED - 1)
            abandoned_ids = session.execute(oldest).scalars().all()
            session.execute(delete(UPLOAD).where(UPLOAD.c.upload_id.in_(abandoned_ids)))
            values = {
                "upload_id": body.upload_id,
                "code_id": code.code_id,
                "name": body.name,
                "item_id": item_id,
                "size": body.size,
                "received": 0,
                "state": str(UploadState.RECEIVING),
                "created_at": now(),
            }
            session.execute(insert(UPLOAD).values(values))
            return _to_upload(_find_upload(session, body.upload_id))

        return await self._database.write(work)

    def _resume(
        self, session: Session, phone: PhoneConnection, body: PhoneUploadCreate
    ) -> PhoneUpload | None:
        query = (
            select(UPLOAD, CODE.c.inspection_id, CODE.c.key_hash)
            .join(CODE, CODE.c.code_id == UPLOAD.c.code_id)
            .where(UPLOAD.c.upload_id == body.upload_id)
        )
        row = session.execute(query).one_or_none()
        if row is None:
            return None
        same_phone = row.key_hash == phone.code.key_hash and row.inspection_id == phone.code.inspection_id
        if not same_phone or row.size != body.size:
            raise Problem(409, ErrorCode.CONFLICT, "照片编号已被使用，请重新拍照")
        if row.code_id != phone.code.code_id:
            statement = update(UPLOAD).where(UPLOAD.c.upload_id == body.upload_id)
            session.execute(statement.values(code_id=phone.code.code_id))
        return _to_upload(_find_upload(session, body.upload_id))

    async def add_part(
        self, phone: PhoneConnection, upload_id: str, start: int, content: bytes
    ) -> PhoneUpload:
        """Add the bytes from `start` on and return the upload. Bytes other than the next are ignored.

        The last part turns the upload into a photo. Raises Problem 404, 410, 422 if there are more bytes than
        announced, 503 and 507. After 503 and 507 the phone may repeat the request, also without content.
        """

        def work(session: Session) -> UploadRow:
            row = _find_upload_of_code(session, phone.code.code_id, upload_id)
            if row.state != UploadState.RECEIVING or start != row.received or not content:
                return row
            received = row.received + len(content)
            if received > row.size:
                raise Problem(422, ErrorCode.INVALID_INPUT, "照片内容超过声明的大小，请重新发送")
            session.execute(insert(PART).values(upload_id=upload_id, start=start, content=content))
            session.execute(update(UPLOAD).where(UPLOAD.c.upload_id == upload_id).values(received=received))
            return _find_upload(session, upload_id)

        row = await self._database.write(work)
        if row.state == UploadState.RECEIVING and row.received == row.size:
            return await self._finish(phone, upload_id)
        return _to_upload(row)

    async def _finish(self, phone: PhoneConnection, upload_id: str) -> PhoneUpload:
        # A phone that got no answer repeats its request while the first one still stores the photo.
        lock = self._finish_locks.setdefault(upload_id, asyncio.Lock())
        try:
            async with lock:
                row = await self._database.read(
                    lambda session: _find_upload_of_code(session, phone.code.code_id, upload_id, lock=False)
                )
                return (
                    _to_upload(row)
                    if row.state != UploadState.RECEIVING
                    else await self._store_photo(phone, row)
                )
        finally:
            self._finish_locks.pop(upload_id, None)

    async def _store_photo(self, phone: PhoneConnection, row: UploadRow) -> PhoneUpload:
        caller, code = phone.caller, phone.code
        try:
            file = await self._files.receive_pieces(
                row.name, self._read_parts(row.upload_id), caller.user_id, caller.address
            )
            if not file.mime_type.startswith("image/"):
                raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, "该文件不是图片，不能作为照片")
            photo_id = ""
            if row.item_id is not None:
                key = f"phone {row.upload_id}"
                await self._inspection.photos.add(row.item_id, file.file_id, key, caller, by_phone=True)
            else:
                photo = await self._inspection.record_photos.add(
                    code.inspection_id, file.file_id, caller, by_phone=True
                )
                photo_id = photo.photo_id
        except Problem as problem:
            if problem.error == ErrorCode.RECORD_SEALED:
                raise await self._codes.find_end_problem(code, caller.address) from problem
            if problem.status not in _FINAL_STATUSES:
                raise
            return await self._end_upload(phone, row, UploadState.REFUSED, problem)
        upload = await self._end_upload(phone, row, UploadState.ARRIVED, None)
        await self._start_detection(phone, row.item_id, photo_id)
        return upload

    async def _start_detection(self, phone: PhoneConnection, item_id: str | None, photo_id: str) -> None:
        """Start the detection of an item's photo, or match a record's photo with its regions."""
        try:
            if item_id is not None:
                await self._detection.detect_item(item_id, phone.caller, 0)
            else:
                await self._inspection.matching.match(phone.code.inspection_id, photo_id, 0, phone.caller)
        except Problem:
            # The item has no model or no region; its photo is stored anyway.
            return

    async def _read_parts(self, upload_id: str) -> AsyncIterator[bytes]:
        start = 0
        query = select(PART.c.content).where(PART.c.upload_id == upload_id)
        while True:
            part = query.where(PART.c.start == start)
            content: bytes | None = await self._database.read(
                lambda session, part=part: session.execute(part).scalar_one_or_none()  # type: ignore[misc]
            )
            if content is None:
                return
            yield content
            start += len(content)

    async def _end_upload(
        self, phone: PhoneConnection, row: UploadRow, state: UploadState, problem: Problem | None
    ) -> PhoneUpload:
        def work(session: Session) -> PhoneUpload:
            session.execute(delete(PART).where(PART.c.upload_id == row.upload_id))
            error = None if problem is None else problem.error
            reason = None if problem is None else problem.msg
            statement = update(UPLOAD).where(UPLOAD.c.upload_id == row.upload_id)
            session.execute(statement.values(state=str(state), error=error, reason=reason))
            if state is UploadState.ARRIVED:
                is_code = CODE.c.code_id == phone.code.code_id
                code = session.execute(select(CODE).where(is_code).with_for_update()).one()
                expires_at = expiry_after_photo(code.created_at, code.expires_at, now())
                session.execute(update(CODE).where(is_code).values(expires_at=expires_at))
            return _to_upload(_find_upload(session, row.upload_id))

        return await self._database.write(work)


def _find_upload(session: Session, upload_id: str) -> UploadRow:
    return session.execute(select(UPLOAD).where(UPLOAD.c.upload_id == upload_id)).one()


def _find_upload_of_code(session: Session, code_id: str, upload_id: str, *, lock: bool = True) -> UploadRow:
    query = select(UPLOAD).where(UPLOAD.c.upload_id == upload_id, UPLOAD.c.code_id == code_id)
    row = session.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "照片不存在，请重新发送")
    return row


def _to_upload(row: UploadRow) -> PhoneUpload:
    return PhoneUpload(**{name: row._mapping[name] for name in PhoneUpload.model_fields})
