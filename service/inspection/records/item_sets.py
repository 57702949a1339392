"""Implements what is done with all items of a record at once: filling it, and the order of its items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from service.catalogue.service import find_reference_image
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.files.lookup import file_info, to_file_info
from service.inspection import problems
from service.inspection.records import item_rows
from service.inspection.records.records import RecordRow, open_record, recompute
from service.inspection.rules import json_text
from service.inspection.tables import ITEM, ITEM_ORDER, RECORD
from service.web.security import Caller
from shared.wire.inspection import ItemPoint

_PLACES = (
    select(ITEM.c.item_id, ITEM.c.place)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .order_by(*ITEM_ORDER)
)
_PUT = update(ITEM).where(ITEM.c.item_id == bindparam("put_item")).values(place=bindparam("new_place"))


class ItemSets:
    """The use cases of all items of a record; the order is the one in which people walk around the object."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            if _has_items(session, inspection_id):
                raise problems.conflict("检查记录已有检查项，模板只能用于没有检查项的记录")
            return _fill(session, record, values, {"reference_image_id": record.reference_image_id}, caller)

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
            if _has_items(session, inspection_id):
                raise problems.conflict("检查记录已有检查项，只能将检查项复制到没有检查项的记录")
            return _fill(session, record, values, {"inspection_id": other_id}, caller)

        return await self._database.write(work)

    async def arrange(self, inspection_id: str, item_ids: Sequence[str], caller: Caller) -> list[str]:
        """Put these items first, in this order, and return the ids of all items of the record in their order.

        The other items follow as they are. Ids that the record does not have are left out: another user may
        have deleted the item. The order is no revision of an item. Raises Problem 404, 409 (sealed).
        """

        def work(session: Session) -> list[str]:
            open_record(session, inspection_id)
            places: dict[str, int] = dict(session.execute(_PLACES, {"inspection_id": inspection_id}).all())
            wanted = [item_id for item_id in dict.fromkeys(item_ids) if item_id in places]
            order = list(dict.fromkeys([*wanted, *places]))
            if order != list(places):
                _put(session, order, places)
                details = {"items": len(order)}
                change = ObjectChange(
                    "arrange", "record", inspection_id, caller.user_id, caller.address, details
                )
                announce(session, change)
            return order

        return await self._database.write(work)


def _has_items(session: Session, inspection_id: str) -> bool:
    return bool(session.execute(item_rows.COUNT, {"inspection_id": inspection_id}).scalar_one())


def _fill(
    session: Session,
    record: RecordRow,
    items: list[dict[str, Any]],
    source: dict[str, Any],
    caller: Caller,
) -> list[str]:
    item_rows.insert_items(session, items, record.inspection_id, caller)
    details = {"items": len(items), "from": source}
    change = ObjectChange(
        "add_items", "record", record.inspection_id, caller.user_id, caller.address, details
    )
    announce(session, change)
    recompute(session, record, caller.user_id, caller.address)
    return [
        item_rows.item_json(row)
        for row in session.execute(item_rows.ALL, {"inspection_id": record.inspection_id})
    ]


def _put(session: Session, order: Sequence[str], places: dict[str, int]) -> None:
    """Number the items from -n to -1, so that new ones, at 0, come last."""
    numbered = zip(range(-len(order), 0), order, strict=True)
    changed = [
        {"put_item": item_id, "new_place": place} for place, item_id in numbered if places[item_id] != place
    ]
    session.connection().execute(_PUT, changed)
