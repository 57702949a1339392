"""Reads, locks and changes the rows of items, inside a transaction."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, Update, bindparam, case, func, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce, differences
from service.db import statements
from service.db.upsert import insert_or_ignore
from service.inspection import problems, sources
from service.inspection.records.records import RecordRow, locked_record, naive_now, recompute, updater
from service.inspection.rules import json_text, result_values
from service.inspection.seal_state import refuse_sealed
from service.inspection.tables import ITEM, ITEM_ORDER, PHOTO
from service.web import etags
from service.web.etags import Updater
from service.web.security import Caller
from shared.ids import new_id

ItemRow = Row[*tuple[Any, ...]]

# Full items have the name of their model. `ALL` and `PAGE` are in the order of the record, `PHOTOS` and
# `RECORD_PHOTOS` begin with the newest one.
_ITEM, _MODELS = ITEM.c, sources.models.c
MAX_IN_PAGE = 64 * 2**10
"""Characters of the region and result of an item up to which a page contains them."""
_LONG = ("item_point", "result")
_IS_LONG = func.length(_ITEM.result) + func.coalesce(func.length(_ITEM.item_point), 0) > MAX_IN_PAGE
_FULL = (
    select(*_ITEM, _MODELS.name.label("model_name"), _MODELS.description.label("model_description"))
    .select_from(ITEM)
    .outerjoin(sources.models, _MODELS.id == _ITEM.model_id)
)
_OF_RECORD = _ITEM.inspection_id == bindparam("inspection_id")
_UPDATERS = sources.executors.alias("updaters")
BY_ID = (
    _FULL.add_columns(_UPDATERS.c.name_with_username.label("updated_by_name"))
    .outerjoin(_UPDATERS, _UPDATERS.c.id == _ITEM.updated_by)
    .where(_ITEM.item_id == bindparam("item_id"))
)
ALL = _FULL.where(_OF_RECORD).order_by(*ITEM_ORDER)
# Long regions and results are left out, both null: a page of them would be in memory several times.
PAGE = (
    ALL.with_only_columns(
        *(column for column in ALL.selected_columns if column.key not in _LONG),
        *(case((_IS_LONG, None), else_=_ITEM[name]).label(name) for name in _LONG),
    )
    .limit(bindparam("size"))
    .offset(bindparam("skip"))
)
COUNT = select(func.count()).select_from(ITEM).where(_OF_RECORD)

_PHOTO, _EXECUTORS = PHOTO.c, sources.executors.c
_ALL_PHOTOS = (
    select(*_PHOTO, _EXECUTORS.name_with_username.label("added_by_name"))
    .select_from(PHOTO)
    .outerjoin(sources.executors, _EXECUTORS.id == _PHOTO.added_by)
    .order_by(_PHOTO.created_at.desc(), _PHOTO.photo_id.desc())
)
PHOTOS = _ALL_PHOTOS.where(_PHOTO.item_id == bindparam("item_id"))
RECORD_PHOTOS = _ALL_PHOTOS.join(ITEM, _ITEM.item_id == _PHOTO.item_id).where(_OF_RECORD)
_RECORD_OF = select(ITEM.c.inspection_id).where(ITEM.c.item_id == bindparam("item_id"))
_RESULT_COLUMNS = result_values(()).keys()
_STORED = select(ITEM).where(ITEM.c.item_id == bindparam("item_id"))
_PHOTOS_OF_RECORD = (
    select(PHOTO.c.item_id, PHOTO.c.file_id)
    .join(ITEM, ITEM.c.item_id == PHOTO.c.item_id)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .order_by(PHOTO.c.created_at, PHOTO.c.photo_id)
)


@dataclass(frozen=True, slots=True)
class ItemState:
    """An item as JSON text, as the contract writes it, its revision, and who last changed it by hand."""

    text: str
    revision: int
    by: Updater | None


def item_state(rows: Sequence[ItemRow]) -> ItemState:
    """The item of the only row of `BY_ID`. Raises Problem 404 without one."""
    if not rows:
        raise problems.no_item()
    (row,) = rows
    return ItemState(item_json(row), row.revision, updater(row))


def item_json(row: ItemRow) -> str:
    """The item of a row of `ALL` as JSON; `item_point` and `result` pass through as stored."""
    before = json_text(
        {
            "item_id": row.item_id,
            "item_name": row.item_name,
            "inspection_id": row.inspection_id,
            "description": row.description,
            "model_id": row.model_id,
            "model_name": row.model_name,
            "model_description": row.model_description,
        }
    )
    point = "null" if row.item_point is None else row.item_point
    return (
        f'{before[:-1]},"item_point":{point},"result":{row.result},'
        f'"created_at":"{row.created_at.isoformat()}Z","updated_at":"{row.updated_at.isoformat()}Z"}}'
    )


def newest_photos(session: Session, inspection_id: str) -> dict[str, str]:
    """The file of the newest photo of each item of a record that has one, by the item's id."""
    rows = session.execute(_PHOTOS_OF_RECORD, {"inspection_id": inspection_id})
    # The last photo of an item is the newest one.
    return {row.item_id: row.file_id for row in rows}


def read_state(session: Session, item_id: str) -> ItemState:
    """The item as it is in this transaction. Raises Problem 404."""
    return item_state(session.execute(BY_ID, {"item_id": item_id}).all())


def lock_open(session: Session, item_id: str, if_match: str | None) -> tuple[RecordRow, ItemRow]:
    """`lock` of an item that may be changed. Raises Problem 404, 409 (sealed), 412."""
    record, item = lock(session, item_id)
    refuse_sealed(session, record.inspection_id)

    def state() -> Mapping[str, Any]:
        current = read_state(session, item_id)
        return problems.current_state(json.loads(current.text), current.by)

    etags.require_match(if_match, etags.revision_etag(item.revision), state)
    return record, item


def lock(session: Session, item_id: str) -> tuple[RecordRow, ItemRow]:
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


def change_item(
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


def insert_items(
    session: Session, items: Iterable[Mapping[str, Any]], inspection_id: str, caller: Caller
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


@lru_cache(maxsize=64)
def _update_statement(columns: frozenset[str]) -> Update:
    values: dict[str, Any] = {column: bindparam(column) for column in sorted(columns)}
    return update(ITEM).where(ITEM.c.item_id == bindparam("changed_item")).values(values)
