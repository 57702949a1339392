"""Finds the records that already have a photo with the same content."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select, union_all
from sqlmodel import Session

from service.files.lookup import same_content
from service.inspection.tables import ITEM, PHOTO, RECORD, RECORD_PHOTO
from shared.wire.inspection import PhotoUse

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
