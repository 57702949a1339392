"""Says where the database names files and models, of every domain: what none of these names is unused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, Text
from sqlalchemy import select as core_select
from sqlmodel import Session

from service.catalogue.tables import ReferenceImageRow
from service.detection.tables import ModelRow
from service.inspection.tables import DELETED, EDITION, ITEM, PHOTO, RECORD_PHOTO

_AT_A_TIME = 500


class Source(NamedTuple):
    """Columns of a table whose texts may name files, by id, by address, by SHA-256 or by content id.

    `changed` is when a row last changed, for a table that is too large to be read twice; None reads all.
    """

    columns: tuple[Column[Any], ...]
    changed: Column[Any] | None = None


_REFERENCE_IMAGE, _MODEL = ReferenceImageRow.__table__.c, ModelRow.__table__.c

SOURCES = (
    # Entries of results name input photo, picture of the result and model; a point may name its own image.
    Source((ITEM.c.item_point, ITEM.c.result), ITEM.c.updated_at),
    Source((PHOTO.c.file_id, PHOTO.c.reference_file_id)),
    Source((RECORD_PHOTO.c.file_id, RECORD_PHOTO.c.matches)),
    # An item that can be brought back, with its photos.
    Source((DELETED.c.content,)),
    Source((EDITION.c.content,), EDITION.c.finished_at),
    Source((_REFERENCE_IMAGE.file_id, _REFERENCE_IMAGE.template)),
    Source((_MODEL.sha256, _MODEL.settings)),
)


def tables() -> list[Table]:
    """The tables that name files."""
    return [source.columns[0].table for source in SOURCES]


def texts(session: Session, since: dt.datetime | None = None) -> Iterator[str]:
    """Every text that may name a file; with `since` (UTC), those of large tables only if they changed later.

    Read a few at a time, in the transaction of `session`.
    """
    for source in SOURCES:
        query = core_select(*(column.cast(Text()) for column in source.columns))
        if since is not None and source.changed is not None:
            query = query.where(source.changed >= since.replace(tzinfo=None))
        rows = session.connection().execute(query.execution_options(yield_per=_AT_A_TIME))
        for row in rows:
            yield from (value for value in row if value)
