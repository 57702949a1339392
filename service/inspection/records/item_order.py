"""Implements the order of the items of a record, in which people walk around the object."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.inspection.records.records import open_record
from service.inspection.tables import ITEM, ITEM_ORDER
from service.web.security import Caller

_PLACES = (
    select(ITEM.c.item_id, ITEM.c.place)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .order_by(*ITEM_ORDER)
)
_PUT = update(ITEM).where(ITEM.c.item_id == bindparam("put_item")).values(place=bindparam("new_place"))


class ItemOrder:
    """Sets the order of a record's items."""

    def __init__(self, database: Database) -> None:
        self._database = database

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


def _put(session: Session, order: Sequence[str], places: dict[str, int]) -> None:
    """Number the items from -n to -1, so that new ones, at 0, come last."""
    numbered = zip(range(-len(order), 0), order, strict=True)
    changed = [
        {"put_item": item_id, "new_place": place} for place, item_id in numbered if places[item_id] != place
    ]
    session.connection().execute(_PUT, changed)
