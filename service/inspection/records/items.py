"""Implements the use cases of items.

Keeps deleted items for a while, so that a deletion can be undone.

An item that is deleted leaves its table: no query has to know of deleted ones. Its row and those of its
photos are kept as JSON until they are brought back, their time is over, or the record is deleted.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from typing import Any, Final, cast

from sqlalchemy import DateTime, Row, Table, bindparam, delete, insert, select
from sqlmodel import Session

from service.changes import ObjectChange, announce, differences
from service.db.database import Database
from service.inspection import problems
from service.inspection.records import item_rows
from service.inspection.records.item_rows import (
    ItemRow,
    ItemState,
    change_item,
    item_json,
    item_state,
    lock_open,
    read_state,
)
from service.inspection.records.records import locked_record, moment, naive_now, recompute
from service.inspection.rules import (
    ContradictionError,
    body_hash,
    cancel_running,
    correction_entry,
    json_text,
    merge_entries,
    result_values,
    verdict_entry,
)
from service.inspection.seal_state import refuse_sealed
from service.inspection.tables import DELETED, ITEM, PHOTO, RECORD_PHOTO
from service.web.envelope import Problem
from service.web.security import Caller
from shared.record import results
from shared.record.codes import ErrorCode
from shared.record.entries import Entry, EntryBox
from shared.wire.common import Pagination, pagination
from shared.wire.inspection import BoxesSet, ItemCreate, ItemUpdate, VerdictSet
from shared.wire.text import fill

KEEP_FOR = dt.timedelta(days=30)
"""How long a deleted item can be brought back."""

_ITEM_ID: Any = bindparam("item_id")
# Locked, so that a photo that is being added or taken off at this moment is there, or not, for good.
_LOCKED_ITEM = select(ITEM.c.item_id).where(ITEM.c.item_id == _ITEM_ID).with_for_update()
_LOCKED_PHOTOS = (
    select(PHOTO)
    .where(PHOTO.c.item_id == _ITEM_ID)
    .order_by(PHOTO.c.created_at, PHOTO.c.photo_id)
    .with_for_update()
)
_RESTORABLE = select(DELETED).where(DELETED.c.item_id == _ITEM_ID, DELETED.c.deleted_at >= bindparam("since"))
_RECORD_PHOTOS = select(RECORD_PHOTO.c.photo_id).where(
    RECORD_PHOTO.c.inspection_id == bindparam("inspection_id")
)
_UNASSIGNED = dict.fromkeys(("record_photo_id", "assigned", "homography", "reference_file_id"))
_SAME_KEY = select(ITEM.c.item_id).where(ITEM.c.client_key == bindparam("client_key"))


def remove(session: Session, item: ItemRow, actor: str) -> None:
    """Delete `item` (of a locked record) with its photos, and keep its state. Drops expired deletions."""
    at, item_id = naive_now(), item.item_id
    session.execute(_LOCKED_ITEM, {"item_id": item_id})
    photos = [_as_json(row) for row in session.execute(_LOCKED_PHOTOS, {"item_id": item_id})]
    session.execute(delete(DELETED).where(DELETED.c.deleted_at < at - KEEP_FOR))
    session.execute(
        insert(DELETED).values(
            item_id=item_id,
            inspection_id=item.inspection_id,
            deleted_by=actor,
            deleted_at=at,
            content=json_text({"item": _as_json(item), "photos": photos}),
        )
    )
    session.execute(delete(ITEM).where(ITEM.c.item_id == item_id))


def find(session: Session, item_id: str) -> Row[*tuple[Any, ...]] | None:
    """The row of `DELETED` of an item that can be brought back; None when there is none."""
    return session.execute(_RESTORABLE, {"item_id": item_id, "since": naive_now() - KEEP_FOR}).one_or_none()


def restore(session: Session, deleted_row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    """Put a deleted item and its photos back as they were (its record is locked); gives the item's values.

    A detection that was under way is cancelled: its job may have ended without an item to write to.
    """
    content = json.loads(deleted_row.content)
    item = _column_values(ITEM, content["item"])
    # Columns that came to the table after the deletion follow from the entries.
    item |= result_values(cancel_running(json.loads(item["result"])))
    if item["client_key"] is not None:
        taken = session.execute(_SAME_KEY, {"client_key": item["client_key"]}).one_or_none()
        # The create was sent again after the deletion and made another item.
        item["client_key"] = None if taken is not None else item["client_key"]
    session.execute(insert(ITEM).values(item))
    photo_ids = set(session.execute(_RECORD_PHOTOS, {"inspection_id": deleted_row.inspection_id}).scalars())
    photos = [_photo(photo, photo_ids) for photo in content["photos"]]
    if photos:
        session.execute(insert(PHOTO), photos)
    session.execute(delete(DELETED).where(DELETED.c.item_id == deleted_row.item_id))
    return item


def _photo(fields: dict[str, Any], of_record: Collection[str]) -> dict[str, Any]:
    """A photo's row; it is the item's alone when the record does not have the photo any more."""
    values = {"by_phone": False, **_UNASSIGNED, **_column_values(PHOTO, fields)}
    return values if values["record_photo_id"] in of_record else {**values, **_UNASSIGNED}


def _as_json(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, dt.datetime) else value
        for name, value in row._mapping.items()
    }


def _column_values(table: Table, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: dt.datetime.fromisoformat(value)
        if value is not None and isinstance(table.c[name].type, DateTime)
        else value
        for name, value in fields.items()
    }


_MADE_BY = select(ITEM.c.item_id, ITEM.c.client_body).where(ITEM.c.client_key == bindparam("client_key"))
_INLINE_LIMIT = 20
"""So many items are read and written in the time that a change of thread takes."""
MAX_RESULT: Final = 16 * 2**20
"""The longest result that another correction may make, in characters of JSON: that of the largest body that a
client can send. Verdicts are always possible."""


class Items:
    """The use cases of items; each is one transaction that also brings the record in line."""

    def __init__(self, database: Database, reason_characters: int) -> None:
        self.reason_characters = reason_characters
        """The least length of a reason."""
        self._database = database

    async def create(self, body: ItemCreate, key: str | None, caller: Caller) -> ItemState:
        """Create an item in a record. Raises Problem 404 when there is no such record, 409 when it is sealed.

        With a `key` that the caller used before, nothing is made: the item of that time is the answer, and
        Problem 422 when its body was another one.
        """
        values: dict[str, Any] = _values(body.model_dump(exclude_unset=True), ())
        client_key = None if key is None else f"{caller.user_id} {key}"
        client_body = None if key is None else body_hash(body.model_dump(mode="json", exclude_unset=True))
        values = {**result_values(()), **values}

        def work(session: Session) -> ItemState:
            record = locked_record(session, body.inspection_id)
            if record is None:
                raise problems.no_record()
            made_with = {**values, "client_key": client_key, "client_body": client_body}
            inserted: list[str] = []
            while not inserted:
                previous = None
                if client_key is not None:
                    previous = session.execute(_MADE_BY, {"client_key": client_key}).one_or_none()
                if previous is not None:
                    if previous.client_body not in (None, client_body):
                        raise problems.key_reused()
                    return read_state(session, previous.item_id)
                refuse_sealed(session, body.inspection_id)
                # Empty when the same key made an item in another record at this moment: now it is found.
                inserted = item_rows.insert_items(session, [made_with], body.inspection_id, caller)
            (item_id,) = inserted
            details = differences(dict.fromkeys(values), values, body.model_fields_set)
            announce(
                session, ObjectChange("create", "item", item_id, caller.user_id, caller.address, details)
            )
            recompute(session, record, caller.user_id, caller.address)
            return read_state(session, item_id)

        return await self._database.write(work)

    async def get(self, item_id: str) -> ItemState:
        """The item. Raises Problem 404."""
        return item_state(await self._database.select(item_rows.BY_ID, {"item_id": item_id}))

    async def update(self, item_id: str, body: ItemUpdate, if_match: str | None, caller: Caller) -> ItemState:
        """Change the fields that were sent. Raises Problem 404, 409 (sealed or contradictory), 412."""
        sent = body.model_dump(exclude_unset=True)

        def work(session: Session) -> ItemState:
            record, item = lock_open(session, item_id, if_match)
            values = _values(sent, json.loads(item.result))
            change_item(session, record, item, values, caller.user_id, caller.address)
            return read_state(session, item_id)

        return await self._database.write(work)

    async def delete(
        self, item_id: str, if_match: str | None, caller: Caller, reason: str | None = None
    ) -> None:
        """Delete the item with its results and photos; `restore` takes it back.

        The audit log keeps the reason. Raises Problem 404, 409 (sealed), 412.
        """

        def work(session: Session) -> None:
            record, item = lock_open(session, item_id, if_match)
            remove(session, item, caller.user_id)
            details = {"inspection_id": item.inspection_id, "item_name": item.item_name}
            if reason:
                details["reason"] = reason
            announce(
                session, ObjectChange("delete", "item", item_id, caller.user_id, caller.address, details)
            )
            recompute(session, record, caller.user_id, caller.address)

        await self._database.write(work)

    async def restore(self, item_id: str, caller: Caller) -> ItemState:
        """Bring a deleted item back as it was, in its old place; one that is there is answered as it is.

        Raises Problem 404 when nothing is kept of it: its time is over, or its record was deleted. Raises 409
        when the record is sealed.
        """

        def work(session: Session) -> ItemState:
            deleted_row = find(session, item_id)
            record = None if deleted_row is None else locked_record(session, deleted_row.inspection_id)
            # Asked again: another user may have brought it back before the record was ours.
            deleted_row = None if record is None else find(session, item_id)
            if record is not None and deleted_row is not None:
                refuse_sealed(session, record.inspection_id)
                item = restore(session, deleted_row)
                details = {
                    "inspection_id": deleted_row.inspection_id,
                    "item_name": item["item_name"],
                    "deleted_by": deleted_row.deleted_by,
                    "deleted_at": deleted_row.deleted_at.isoformat(),
                }
                announce(
                    session,
                    ObjectChange("bring_back", "item", item_id, caller.user_id, caller.address, details),
                )
                recompute(session, record, caller.user_id, caller.address)
            return read_state(session, item_id)

        return await self._database.write(work)

    async def page(
        self, inspection_id: str, current_page: int, page_size: int
    ) -> tuple[Sequence[ItemRow], Pagination]:
        """One page of a record's items, oldest first; empty for a record that is not there.

        The rows are those of `item_rows.PAGE`, for `texts`.
        """
        skip = (current_page - 1) * page_size
        # One more than are shown: where there is none, nothing has to be counted.
        values = {"inspection_id": inspection_id, "size": page_size + 1, "skip": skip}
        if page_size <= _INLINE_LIMIT:
            rows: Sequence[ItemRow] = await self._database.select(item_rows.PAGE, values)
        else:
            rows = await self._database.fetch(
                lambda connection: connection.execute(item_rows.PAGE, values).all()
            )
        total = skip + len(rows)
        if len(rows) > page_size or (skip and not rows):
            ((total,),) = await self._database.select(item_rows.COUNT, values)
        return rows[:page_size], pagination(current_page, page_size, total)

    async def texts(self, page: Iterable[ItemRow]) -> AsyncIterator[str]:
        """The items of a page as JSON, one after the other; long ones are read when it is their turn.

        An item that was deleted in the meantime is left out.
        """
        for row in page:
            if row.result is not None:
                yield item_json(row)
            else:
                values = {"item_id": row.item_id}
                for item in await self._database.select(item_rows.BY_ID, values):
                    yield item_json(item)

    async def set_verdict(
        self, item_id: str, body: VerdictSet, if_match: str | None, caller: Caller
    ) -> ItemState:
        """Append what the person decided as a result entry.

        Raises Problem 404, 409 (sealed), 412, and 422 for a reason that is too short, or missing where the
        verdict differs from the model's opinion.
        """
        is_short = results.reason_length(body.reason or "") < self.reason_characters

        def work(session: Session) -> ItemState:
            record, item = lock_open(session, item_id, if_match)
            entries = json.loads(item.result)
            if is_short and (body.reason or results.differs(body.verdict, results.model_opinion(entries))):
                msg = fill("理由至少需要 {count} 个字", count=self.reason_characters)
                raise Problem(422, ErrorCode.REASON_TOO_SHORT, msg, least=self.reason_characters)
            at = moment(session, record)
            entries.append(
                verdict_entry(entries, body.verdict, body.reason, caller.user_id, caller.display_name, at)
            )
            change_item(session, record, item, result_values(entries), caller.user_id, caller.address)
            return read_state(session, item_id)

        return await self._database.write(work)

    async def correct(self, item_id: str, body: BoxesSet, if_match: str | None, caller: Caller) -> ItemState:
        """Append findings that the person corrected as a result entry. Raises Problem 404, 409, 412, 413."""
        boxes = [cast(EntryBox, box.model_dump(mode="json")) for box in body.boxes]

        def work(session: Session) -> ItemState:
            record, item = lock_open(session, item_id, if_match)
            entries = json.loads(item.result)
            entry = correction_entry(
                entries, body.of_version, boxes, caller.user_id, caller.display_name, moment(session, record)
            )
            if entry is None:
                raise problems.conflict("检测结果没有此版本，请刷新后重试", of_version=body.of_version)
            values = result_values([*entries, entry])
            if len(values["result"]) > MAX_RESULT:
                raise Problem(413, ErrorCode.TOO_LARGE, "此检查项的更正过多，无法再保存")
            change_item(session, record, item, values, caller.user_id, caller.address)
            return read_state(session, item_id)

        return await self._database.write(work)


def _values(sent: dict[str, Any], stored: Sequence[Entry]) -> dict[str, Any]:
    """The columns that a body says: the two documents as text, the result with its outcome.

    `stored` are the entries that the item has. Raises Problem 409 where the result contradicts them.
    """
    values = {name: value for name, value in sent.items() if name != "result"}
    if sent.get("item_point") is not None:
        values["item_point"] = json_text(sent["item_point"])
    if sent.get("result") is not None:
        try:
            values |= result_values(merge_entries(sent["result"], stored))
        except ContradictionError as error:
            raise problems.service_written(error.version, error.field) from None
    return values
