"""Runs `walkaround files unused`: lists stored files that nothing uses, and removes them on request."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Sequence

from service.changes import BeforeCommit
from service.commands.file_references import referring_tables, referring_texts
from service.commands.usable_database import unusable_database
from service.db.database import Database
from service.files.collecting import BusyError, Collector, UnusedFiles
from service.settings import Settings
from service.stores.contents import file_contents, model_contents

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
