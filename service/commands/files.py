"""Runs `walkaround files unused`: lists stored files that nothing uses, and removes them on request.

Lists where the database refers to files and models. A file without a reference is unused.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, Text
from sqlalchemy import select as core_select
from sqlmodel import Session

from service.catalogue.tables import ReferenceImageRow
from service.changes import BeforeCommit
from service.db.database import Database
from service.db.schema import unusable_database
from service.detection.tables import ModelRow
from service.files.collecting import BusyError, Collector, UnusedFiles
from service.inspection.tables import DELETED, EDITION, FILM, ITEM, PHOTO, RECORD_PHOTO
from service.settings import Settings
from service.stores.contents import file_contents, model_contents

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


GRACE_DAYS = 7.0
MIN_DAYS = 1.0
"""A shorter time would include files that a person has uploaded but not used yet."""

MAX_SHOWN = 20


def _parse_days(value: str) -> dt.timedelta:
    try:
        days = float(value)
        if days >= MIN_DAYS:
            return dt.timedelta(days=days)
    except (ValueError, OverflowError):
        pass
    raise argparse.ArgumentTypeError(f"give a number of days, at least {MIN_DAYS:g}")


def main(arguments: Sequence[str], settings: Settings, before_commit: Sequence[BeforeCommit] = ()) -> int:
    """Run `files unused`. Returns 0 on success, 1 if it is not possible now.

    `before_commit` are listeners that are notified of the changes, such as the audit log.
    """
    parser = argparse.ArgumentParser(prog="walkaround files")
    commands = parser.add_subparsers(required=True, metavar="unused")
    unused = commands.add_parser(
        "unused", help="list stored files that no record, result, edition, template or model uses"
    )
    unused.add_argument("--delete", action="store_true", help="remove them, also while a service runs")
    unused.add_argument(
        "--older-than",
        type=_parse_days,
        default=dt.timedelta(days=GRACE_DAYS),
        metavar="DAYS",
        help=f"only what was uploaded longer ago (default {GRACE_DAYS:g} days)",
    )
    options = parser.parse_args(arguments[1:])
    database = Database(settings.url)
    database.before_commit.extend(before_commit)
    contents, models = file_contents(settings), model_contents(settings)
    try:
        if (sentence := unusable_database(database)) is not None:
            print(sentence)
            return 1
        collector = Collector(
            database, contents, models, referring_texts, referring_tables(), options.older_than
        )
        if not options.delete:
            _print_unused(collector.find(), options.older_than)
            return 0
        removed = collector.remove()
    except BusyError:
        print("the database is busy: nothing more was removed, try again later", file=sys.stderr)
        return 1
    finally:
        contents.close()
        models.close()
        database.close()
    print(f"removed {removed.files} files and {removed.contents} contents, {_format_size(removed.size)}")
    return 0


def _print_unused(unused: UnusedFiles, grace: dt.timedelta) -> None:
    items = unused.all_items
    if not items:
        print(f"no unused files older than {grace / dt.timedelta(days=1):g} days")
        return
    for item in items[:MAX_SHOWN]:
        print(f"{item.at:%Y-%m-%d}  {_format_size(item.size):>9}  {item.filename or item.sha256}")
    if len(items) > MAX_SHOWN:
        print(f"... and {len(items) - MAX_SHOWN} more")
    size = sum({item.sha256: item.size for item in items}.values())
    print(
        f"unused: {len(unused.files)} files, {len(unused.contents)} contents without a file, "
        f"{len(unused.models)} model files; {_format_size(size)}, the oldest of {items[0].at:%Y-%m-%d}. "
        "Nothing was removed; use --delete to remove them."
    )


def _format_size(size: int) -> str:
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.1f} MB"
