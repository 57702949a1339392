"""Implements the use cases of items."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import Connection, Select, Update, bindparam, select, update
from sqlmodel import Session

from service.catalogue.service import find_reference_image
from service.changes import ObjectChange, announce, differences
from service.db import statements
from service.db.database import Database
from service.db.upsert import insert_or_ignore
from service.files.lookup import file_info
from service.inspection import problems
from service.inspection.entries import ContradictionError, merge_entries
from service.inspection.queries import (
    ItemQueries,
    ItemRow,
    RecordRow,
    Updater,
    item_json,
    json_text,
    result_values,
    updater,
)
from service.inspection.records import deleted_items
from service.inspection.records.records import locked_record, moment, naive_now, open_record, recompute
from service.inspection.rules import body_hash, correction_entry, verdict_entry
from service.inspection.seal_state import refuse_sealed
from service.inspection.tables import ITEM, ITEM_ORDER, RECORD
from service.web import etags
from service.web.envelope import Problem
from service.web.security import Caller
from shared.ids import new_id
from shared.record import results
from shared.record.codes import ErrorCode
from shared.record.entries import Entry, EntryBox
from shared.wire.common import Pagination, pagination
from shared.wire.files import StoredFile
from shared.wire.inspection import BoxesSet, FileInfo, ItemCreate, ItemPoint, ItemUpdate, VerdictSet
from shared.wire.text import fill

_RECORD_OF = select(ITEM.c.inspection_id).where(ITEM.c.item_id == bindparam("item_id"))
_MADE_BY = select(ITEM.c.item_id, ITEM.c.client_body).where(ITEM.c.client_key == bindparam("client_key"))
_RESULT_COLUMNS = result_values(()).keys()
_STORED = select(ITEM).where(ITEM.c.item_id == bindparam("item_id"))
_INLINE_LIMIT = 20
"""So many items are read and written in the time that a change of thread takes."""

MAX_PAGE_LENGTH = 32 * 2**20
"""Characters of the regions and results of a page of more than `_INLINE_LIMIT` items.

The page is in memory several times.
"""


@dataclass(frozen=True, slots=True)
class ItemState:
    """An item as JSON text, as the contract writes it, its revision, and who last changed it by hand."""

    text: str
    revision: int
    by: Updater | None


def _state(rows: Sequence[ItemRow]) -> ItemState:
    if not rows:
        raise problems.no_item()
    (row,) = rows
    return ItemState(item_json(row), row.revision, updater(row))


class Items:
    """The use cases of items; each is one transaction that also brings the record in line."""

    def __init__(self, database: Database, reason_characters: int) -> None:
        self.reason_characters = reason_characters
        """The least length of a reason."""
        self._database = database
        self._queries = ItemQueries()

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
                    return self.read_state(session, previous.item_id)
                refuse_sealed(session, body.inspection_id)
                # Empty when the same key made an item in another record at this moment: now it is found.
                inserted = self._insert(session, [made_with], body.inspection_id, caller)
            (item_id,) = inserted
            details = differences(dict.fromkeys(values), values, body.model_fields_set)
            announce(
                session, ObjectChange("create", "item", item_id, caller.user_id, caller.address, details)
            )
            recompute(session, record, caller.user_id, caller.address)
            return self.read_state(session, item_id)

        return await self._database.write(work)

    async def get(self, item_id: str) -> ItemState:
        """The item. Raises Problem 404."""
        return _state(await self._database.select(self._queries.by_id, {"item_id": item_id}))

    async def update(self, item_id: str, body: ItemUpdate, if_match: str | None, caller: Caller) -> ItemState:
        """Change the fields that were sent. Raises Problem 404, 409 (sealed or contradictory), 412."""
        sent = body.model_dump(exclude_unset=True)

        def work(session: Session) -> ItemState:
            record, item = self.lock_open(session, item_id, if_match)
            values = _values(sent, json.loads(item.result))
            self.change(session, record, item, values, caller.user_id, caller.address)
            return self.read_state(session, item_id)

        return await self._database.write(work)

    async def delete(
        self, item_id: str, if_match: str | None, caller: Caller, reason: str | None = None
    ) -> None:
        """Delete the item with its results and photos; `restore` takes it back.

        The audit log keeps the reason. Raises Problem 404, 409 (sealed), 412.
        """

        def work(session: Session) -> None:
            record, item = self.lock_open(session, item_id, if_match)
            deleted_items.remove(session, item, caller.user_id)
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
            deleted_row = deleted_items.find(session, item_id)
            record = None if deleted_row is None else locked_record(session, deleted_row.inspection_id)
            # Asked again: another user may have brought it back before the record was ours.
            deleted_row = None if record is None else deleted_items.find(session, item_id)
            if record is not None and deleted_row is not None:
                refuse_sealed(session, record.inspection_id)
                item = deleted_items.restore(session, deleted_row)
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
            return self.read_state(session, item_id)

        return await self._database.write(work)

    async def page(
        self, inspection_id: str, current_page: int, page_size: int
    ) -> tuple[list[str], Pagination]:
        """One page of a record's items as JSON texts, oldest first; empty for a record that is not there.

        Raises Problem 413 if the items are too large for one page.
        """
        skip = (current_page - 1) * page_size
        # One more than are shown: where there is none, nothing has to be counted.
        values = {"inspection_id": inspection_id, "size": page_size + 1, "skip": skip}
        rows = await self._select(page_size, self._queries.page, values)
        total = skip + len(rows)
        if len(rows) > page_size or (skip and not rows):
            ((total,),) = await self._database.select(self._queries.count, values)
        return [item_json(row) for row in rows[:page_size]], pagination(current_page, page_size, total)

    async def _select(self, size: int, statement: Select[Any], values: dict[str, Any]) -> Sequence[ItemRow]:
        if size <= _INLINE_LIMIT:
            return await self._database.select(statement, values)

        def read(connection: Connection) -> Sequence[ItemRow]:
            if connection.execute(self._queries.page_length, values).scalar_one() > MAX_PAGE_LENGTH:
                raise problems.page_too_large(_INLINE_LIMIT)
            return connection.execute(statement, values).all()

        return await self._database.fetch(read)

    async def set_verdict(
        self, item_id: str, body: VerdictSet, if_match: str | None, caller: Caller
    ) -> ItemState:
        """Append what the person decided as a result entry.

        Raises Problem 404, 409 (sealed), 412, and 422 for a reason that is too short.
        """
        if body.reason and results.reason_length(body.reason) < self.reason_characters:
            msg = fill("理由至少需要 {count} 个字", count=self.reason_characters)
            raise Problem(422, ErrorCode.REASON_TOO_SHORT, msg, least=self.reason_characters)

        def work(session: Session) -> ItemState:
            record, item = self.lock_open(session, item_id, if_match)
            entries = json.loads(item.result)
            at = moment(session, record)
            entries.append(
                verdict_entry(entries, body.verdict, body.reason, caller.user_id, caller.display_name, at)
            )
            self.change(session, record, item, result_values(entries), caller.user_id, caller.address)
            return self.read_state(session, item_id)

        return await self._database.write(work)

    async def correct(self, item_id: str, body: BoxesSet, if_match: str | None, caller: Caller) -> ItemState:
        """Append findings that the person corrected as a result entry. Raises Problem 404, 409, 412."""
        boxes = [cast(EntryBox, box.model_dump(mode="json")) for box in body.boxes]

        def work(session: Session) -> ItemState:
            record, item = self.lock_open(session, item_id, if_match)
            entries = json.loads(item.result)
            entry = correction_entry(
                entries, body.of_version, boxes, caller.user_id, caller.display_name, moment(session, record)
            )
            if entry is None:
                raise problems.conflict("检测结果没有此版本，请刷新后重试", of_version=body.of_version)
            values = result_values([*entries, entry])
            self.change(session, record, item, values, caller.user_id, caller.address)
            return self.read_state(session, item_id)

        return await self._database.write(work)

    async def from_template(self, inspection_id: str, caller: Caller) -> list[str]:
        """Give a record without items those of its reference image's template, as JSON texts.

        Raises Problem 404, and 409 when the record is sealed, has items or no reference image, or that image
        has no template.
        """

        def work(session: Session) -> list[str]:
            record = open_record(session, inspection_id)
            if record.reference_image_id is None:
                raise problems.conflict("检查记录没有参考图，无法套用模板，请先选择参考图")
            image = find_reference_image(session, record.reference_image_id)
            if image is None or not image.template:
                raise problems.conflict("参考图没有模板，请先将区域保存为模板")
            stored = file_info(session, image.file_id)
            values = [
                {
                    "item_name": region.item_name,
                    "description": region.description,
                    "model_id": region.model_id,
                    "item_point": json_text(
                        ItemPoint(
                            point=region.point, fileInfo=None if stored is None else to_file_info(stored)
                        ).model_dump(exclude_none=True)
                        | ({} if region.detection is None else {"detection": region.detection})
                    ),
                }
                for region in image.template
            ]
            return self._fill(
                session, record, values, {"reference_image_id": record.reference_image_id}, caller
            )

        return await self._database.write(work)

    async def from_record(self, inspection_id: str, other_id: str, caller: Caller) -> list[str]:
        """Give a record without items those of another record, without results and photos, as JSON texts.

        Raises Problem 404, and 409 when the record is sealed or has items, or the other one has none.
        """

        def work(session: Session) -> list[str]:
            record = open_record(session, inspection_id)
            columns = (ITEM.c.item_name, ITEM.c.description, ITEM.c.model_id, ITEM.c.item_point)
            regions = select(*columns).where(ITEM.c.inspection_id == other_id)
            rows = session.execute(regions.order_by(*ITEM_ORDER)).all()
            if not rows:
                of_record = select(RECORD.c.inspection_id).where(RECORD.c.inspection_id == other_id)
                if session.execute(of_record).one_or_none() is None:
                    raise problems.no_record()
                raise problems.conflict("所选检查记录没有检查项，请选择其他记录")
            values = [dict(row._mapping) for row in rows]
            return self._fill(session, record, values, {"inspection_id": other_id}, caller)

        return await self._database.write(work)

    # What the use cases share

    def read_state(self, session: Session, item_id: str) -> ItemState:
        """The item as it is in this transaction. Raises Problem 404."""
        return _state(session.execute(self._queries.by_id, {"item_id": item_id}).all())

    def lock_open(self, session: Session, item_id: str, if_match: str | None) -> tuple[RecordRow, ItemRow]:
        """`lock` of an item that may be changed. Raises Problem 404, 409 (sealed), 412."""
        record, item = self.lock(session, item_id)
        refuse_sealed(session, record.inspection_id)

        def state() -> Mapping[str, Any]:
            current = self.read_state(session, item_id)
            return problems.current_state(json.loads(current.text), current.by)

        etags.require_match(if_match, etags.revision_etag(item.revision), state)
        return record, item

    def lock(self, session: Session, item_id: str) -> tuple[RecordRow, ItemRow]:
        """The stored item and its record, locked. Raises Problem 404."""
        # The record is locked first, always: its items change one after the other and never deadlock.
        connection, values = session.connection(), {"item_id": item_id}
        record = None
        for (inspection_id,) in statements.run(connection, _RECORD_OF, values):
            record = locked_record(session, inspection_id)
        items = statements.run(connection, _STORED, values)
        if record is None or not items:
            raise problems.no_item()
        return record, items[0]

    def change(
        self,
        session: Session,
        record: RecordRow,
        item: ItemRow,
        values: Mapping[str, Any],
        actor: str | None,
        address: str | None,
        *,
        progress_only: bool = False,
        recomputes: bool = True,
    ) -> None:
        """Store those of `values` that differ from `item` (locked), as one revision, and announce them.

        `progress_only`: they only record the progress of a detection, which makes no revision and is not
        audited. Without `recomputes` progress and status of the record stay, and are the caller's to set.
        """
        before = item._mapping
        changed = {name: value for name, value in values.items() if before[name] != value}
        if not changed:
            return
        # Never backwards, even when the clock is set back: the times of verdicts are taken from it.
        at = max(naive_now(), item.updated_at)
        revision = item.revision if progress_only else etags.new_revision()
        stamp = {"revision": revision, "updated_at": at}
        stamp |= {"updated_by": actor} if changed.keys() - _RESULT_COLUMNS else {}
        new_values = {**changed, **stamp}
        statement = _update_statement(frozenset(new_values))
        statements.run(session.connection(), statement, {**new_values, "changed_item": item.item_id})
        details = differences(before, changed, changed)
        announce(
            session,
            ObjectChange("update", "item", item.item_id, actor, address, details, unaudited=progress_only),
        )
        # A status that a person set stays until the items come to something else.
        if recomputes and ("outcome" in changed if progress_only else "result" in changed):
            recompute(session, record, actor, address)

    def _insert(
        self, session: Session, items: Iterable[Mapping[str, Any]], inspection_id: str, caller: Caller
    ) -> list[str]:
        """The ids of the new items; none when the `client_key` of a single one is taken."""
        at = naive_now()
        rows = [
            {
                "description": None,
                "model_id": None,
                "item_point": None,
                **result_values(()),
                "client_key": None,
                "client_body": None,
                **values,
                "item_id": new_id(),
                "inspection_id": inspection_id,
                "revision": 1,
                # The list goes by age: a microsecond each keeps the order they were given in.
                "created_at": at + dt.timedelta(microseconds=number),
                "updated_at": at + dt.timedelta(microseconds=number),
                "updated_by": caller.user_id,
            }
            for number, values in enumerate(items)
        ]
        inserted = insert_or_ignore(session, ITEM, rows, ["client_key"])
        return [row["item_id"] for row in rows] if inserted else []

    def _fill(
        self,
        session: Session,
        record: RecordRow,
        items: list[dict[str, Any]],
        source: dict[str, Any],
        caller: Caller,
    ) -> list[str]:
        values = {"inspection_id": record.inspection_id}
        if session.execute(self._queries.count, values).scalar_one():
            raise problems.conflict("检查记录已有检查项，模板只能用于没有检查项的记录")
        self._insert(session, items, record.inspection_id, caller)
        details = {"items": len(items), "from": source}
        change = ObjectChange(
            "add_items", "record", record.inspection_id, caller.user_id, caller.address, details
        )
        announce(session, change)
        recompute(session, record, caller.user_id, caller.address)
        return [item_json(row) for row in session.execute(self._queries.all, values)]


@lru_cache(maxsize=64)
def _update_statement(columns: frozenset[str]) -> Update:
    values: dict[str, Any] = {column: bindparam(column) for column in sorted(columns)}
    return update(ITEM).where(ITEM.c.item_id == bindparam("changed_item")).values(values)


def to_file_info(stored: StoredFile) -> FileInfo:
    """A stored file as an item names it."""
    return FileInfo(
        download_url=stored.download_url,
        filename=stored.filename,
        ipfs_cid=stored.ipfs_cid,
        mime_type=stored.mime_type,
        size=stored.size,
    )


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
