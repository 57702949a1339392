"""Lists where the database refers to files and models. A file without a reference is unused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, Text
from sqlalchemy import select as core_select
from sqlmodel import Session

from service.catalogue.tables import ReferenceImageRow
from service.detection.tables import ModelRow
from service.inspection.tables import DELETED, EDITION, FILM, ITEM, PHOTO, RECORD_PHOTO

_ROWS_AT_ONCE = 500


class Source(NamedTuple):
    """Columns of a table whose texts may refer to files, by ID, address, SHA-256 or content ID.

    `changed_at` is the column with the time of a row's last change. None: every read reads the whole table.
    """

    columns: tuple[Column[Any], ...]
    changed_at: Column[Any] | None = None


_REFERENCE_IMAGE, _MODEL = ReferenceImageRow.__table__.c, ModelRow.__table__.c

SOURCES = (
    # A result refers to its photo, its picture and its model. A point may refer to an image of its own.
    Source((ITEM.c.item_point, ITEM.c.result), ITEM.c.updated_at),
    Source((PHOTO.c.file_id, PHOTO.c.reference_file_id)),
    Source((RECORD_PHOTO.c.file_id, RECORD_PHOTO.c.matches)),
    Source((FILM.c.file_id,)),
    # A deleted item that can be restored, with its photos.
    Source((DELETED.c.content,)),
    Source((EDITION.c.content,), EDITION.c.finished_at),
    Source((_REFERENCE_IMAGE.file_id, _REFERENCE_IMAGE.template)),
    Source((_MODEL.sha256, _MODEL.settings)),
)


def referring_tables() -> list[Table]:
    """The tables that refer to files."""
    return [source.columns[0].table for source in SOURCES]


def referring_texts(session: Session, since: dt.datetime | None = None) -> Iterator[str]:
    """Every text that may refer to a file, read in batches in the transaction of `session`.

    With `since` (UTC), only the rows of large tables that changed at that time or later.
    """
    for source in SOURCES:
        query = core_select(*(column.cast(Text()) for column in source.columns))
        if since is not None and source.changed_at is not None:
            query = query.where(source.changed_at >= since.replace(tzinfo=None))
        with session.connection().execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
            for row in rows:
                yield from (value for value in row if value)
