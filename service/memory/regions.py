"""Changes the settings for the memory of a region."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import delete, select, update
from sqlmodel import Session

from service.db.database import now
from service.db.upsert import insert_or_ignore, insert_or_update
from service.memory.facts import Place
from service.memory.reading import Memory, StoredRow, find_settings
from service.memory.tables import LEFT_OUT, REGION
from service.web.envelope import Problem
from shared.ids import new_id
from shared.record.codes import ErrorCode
from shared.wire.memory import MemoryChange

KIND: Final = "region_memory"
"""The kind of announced changes of memories; the object is the file of the reference image."""

_KEY = ["reference_image_id", "reference_file_id", "region"]


def lock_region(session: Session, place: Place) -> StoredRow:
    """Return the row of the memory of a place, locked for this transaction; create it if missing."""
    row = find_settings(session, place)
    region = json.dumps(place.region) if row is None else row.region
    values = {
        "reference_image_id": place.reference_image_id,
        "reference_file_id": place.reference_file_id,
        "region": region,
    }
    if row is None:
        insert_or_ignore(session, REGION, [{"memory_id": new_id(), **values}], _KEY)
    conditions = (REGION.c[name] == value for name, value in values.items())
    return session.execute(select(REGION).where(*conditions).with_for_update()).one()


def change(session: Session, memory: Memory, changes: MemoryChange, user_id: str) -> dict[str, Any]:
    """Apply `changes`; return the details for the audit log. Raises Problem 404 for an unknown photo.

    Starting a memory over unfreezes it, unless `changes` freezes it as well.
    """
    unknown = (
        set(changes.left_out or ()) - {member.file_id for member in memory.members} - set(memory.left_out)
    )
    if unknown:
        raise Problem(404, ErrorCode.NOT_FOUND, "照片不在此区域的记忆中，请刷新后重试")
    row = lock_region(session, memory.place)
    moment = now()
    values: dict[str, Any] = {}
    if changes.required is not None:
        values["required"] = changes.required
    if changes.start_over:
        values |= {"begins_at": moment, "frozen_at": None, "frozen_by": None}
    if changes.frozen is False:
        values |= {"frozen_at": None, "frozen_by": None}
    elif changes.frozen and (changes.start_over or row.frozen_at is None):
        values |= {"frozen_at": moment, "frozen_by": user_id}
    new_values = {name: value for name, value in values.items() if row._mapping[name] != value}
    if new_values:
        session.execute(update(REGION).where(REGION.c.memory_id == row.memory_id).values(new_values))
    details: dict[str, Any] = {
        name: {"old": row._mapping[name], "new": value}
        for name, value in new_values.items()
        if name != "frozen_by"
    }
    left_out = _leave_out(session, row.memory_id, memory, changes.left_out or {}, user_id)
    return details | ({"left_out": left_out} if left_out else {})


def _leave_out(
    session: Session, memory_id: str, memory: Memory, choices: dict[str, bool], user_id: str
) -> dict[str, bool]:
    changes = {
        file_id: is_left_out
        for file_id, is_left_out in choices.items()
        if is_left_out is not (file_id in memory.left_out)
    }
    is_in_memory = LEFT_OUT.c.memory_id == memory_id
    restored_ids = [file_id for file_id, is_left_out in changes.items() if not is_left_out]
    session.execute(delete(LEFT_OUT).where(is_in_memory, LEFT_OUT.c.file_id.in_(restored_ids)))
    rows = [
        {"memory_id": memory_id, "file_id": file_id, "left_out_by": user_id, "left_out_at": now()}
        for file_id, is_left_out in sorted(changes.items())
        if is_left_out
    ]
    if rows:
        insert_or_update(session, LEFT_OUT, rows, ["memory_id", "file_id"])
    return changes
