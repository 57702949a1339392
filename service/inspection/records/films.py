"""Implements the use cases of the films that are kept with a record, as files beside its photos."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy import ColumnElement, bindparam, delete, insert, select
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.files.lookup import file_info
from service.inspection import problems, sources
from service.inspection.records.records import moment, open_record
from service.inspection.tables import FILM, RECORD
from service.web.envelope import Problem
from service.web.security import Caller
from shared.ids import new_id
from shared.record.codes import ErrorCode, Status
from shared.wire.common import to_utc
from shared.wire.files import StoredFile
from shared.wire.photos import RecordFilm

OpensAsFilm = Callable[[StoredFile], Awaitable[bool]]
"""Whether the program can open a stored file as a film. Raises Problem 404 if the content is lost."""

_OF_RECORD = FILM.c.inspection_id == bindparam("inspection_id")
_LISTED = (
    select(*FILM.c, sources.executors.c.name_with_username.label("added_by_name"))
    .select_from(FILM)
    .outerjoin(sources.executors, sources.executors.c.id == FILM.c.added_by)
    .where(_OF_RECORD)
    .order_by(FILM.c.created_at.desc(), FILM.c.film_id.desc())
)
_RECORD = select(RECORD.c.inspection_id).where(RECORD.c.inspection_id == bindparam("inspection_id"))


class Films:
    """The use cases of the films of a record."""

    def __init__(self, database: Database, opens_as_film: OpensAsFilm) -> None:
        self._database = database
        self._opens_as_film = opens_as_film

    async def add(self, inspection_id: str, file_id: str, caller: Caller) -> RecordFilm:
        """Keep an uploaded film with the record; one that is kept already is answered as it is.

        Raises Problem 404 without such a record or file, 409 when the record is sealed or void, and 415 when
        the file is not a film that this program can open.
        """
        file = await self._database.read(lambda session: file_info(session, file_id))
        if file is None:
            raise Problem(404, ErrorCode.NOT_FOUND, "视频文件不存在，请重新上传")
        # Before the film is opened, which takes a process.
        present = await self._database.write(lambda session: _find_film(session, inspection_id, file_id))
        if present is not None:
            return present
        if not await self._opens_as_film(file):
            raise Problem(
                415,
                ErrorCode.UNSUPPORTED_MEDIA,
                "无法打开该视频，文件可能已损坏或编码不受支持，请转换为 MP4、MOV 或 AVI 后重新上传",
            )

        def work(session: Session) -> RecordFilm:
            present = _find_film(session, inspection_id, file_id)
            return _insert(session, inspection_id, file_id, caller) if present is None else present

        return await self._database.write(work)

    async def of_record(self, inspection_id: str) -> list[RecordFilm]:
        """The films of the record, newest first. Raises Problem 404."""

        def work(session: Session) -> list[RecordFilm]:
            if session.execute(_RECORD, {"inspection_id": inspection_id}).one_or_none() is None:
                raise problems.no_record()
            return _read(session, inspection_id)

        return await self._database.read(work)

    async def delete(self, inspection_id: str, film_id: str, caller: Caller) -> None:
        """Take a film off the record; the file stays. Raises Problem 404, and 409 when it is sealed."""

        def work(session: Session) -> None:
            open_record(session, inspection_id)
            films = _read(session, inspection_id, FILM.c.film_id == film_id)
            if not films:
                raise problems.no_film()
            session.execute(delete(FILM).where(FILM.c.film_id == film_id))
            _announce(session, "delete_film", films[0], caller)

        await self._database.write(work)


def _find_film(session: Session, inspection_id: str, file_id: str) -> RecordFilm | None:
    """The film of a record that may be changed, if it is kept already. Raises Problem 404, 409."""
    record = open_record(session, inspection_id)
    if record.inspection_status == Status.CANCELLED:
        raise problems.conflict("检查记录已作废，无法添加视频，请先恢复")
    return next(iter(_read(session, inspection_id, FILM.c.file_id == file_id)), None)


def _insert(session: Session, inspection_id: str, file_id: str, caller: Caller) -> RecordFilm:
    film_id = new_id()
    values = {
        "film_id": film_id,
        "inspection_id": inspection_id,
        "file_id": file_id,
        "added_by": caller.user_id,
        "created_at": moment(session, open_record(session, inspection_id)),
    }
    session.execute(insert(FILM).values(values))
    (film,) = _read(session, inspection_id, FILM.c.film_id == film_id)
    _announce(session, "add_film", film, caller)
    return film


def _announce(session: Session, action: str, film: RecordFilm, caller: Caller) -> None:
    details = {"film_id": film.film_id, "file_id": film.file.file_id, "sha256": film.file.sha256}
    change = ObjectChange(action, "record", film.inspection_id, caller.user_id, caller.address, details)
    announce(session, change)


def _read(session: Session, inspection_id: str, *which: ColumnElement[bool]) -> list[RecordFilm]:
    films = []
    for row in session.execute(_LISTED.where(*which), {"inspection_id": inspection_id}).all():
        file = file_info(session, row.file_id)
        if file is not None:
            values = {**row._mapping, "file": file, "created_at": to_utc(row.created_at)}
            films.append(RecordFilm.model_validate(values))
    return films
