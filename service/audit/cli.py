"""`walkaround audit verify`: prove that nobody changed the audit log."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import exists, table
from sqlmodel import Session, select

from service.audit.service import AuditService
from service.audit.tables import AuditRow, HeadRow
from service.database import Database
from service.schema import current_revision, newest_revision
from service.settings import Settings

MAX_SHOWN = 20


def _expected(value: str) -> tuple[int, str]:
    match = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", value)
    if match is None:
        raise argparse.ArgumentTypeError("give the end of the log as verify printed it: NUMBER:HASH")
    return int(match.group(1)), match.group(2)


def _unused(session: Session) -> bool:
    """True before the first start of a service: no log was begun, and there is nobody who could have acted.

    A log that was emptied looks alike but for the users whose doing it held.
    """
    tables = (AuditRow, HeadRow, table("user"))
    return not any(session.exec(select(exists().select_from(each))).first() for each in tables)


def main(words: Sequence[str], settings: Settings) -> int:
    """Run `audit verify`. Gives 0 when the log is whole or not begun yet, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="walkaround audit")
    commands = parser.add_subparsers(required=True, metavar="verify")
    verify = commands.add_parser(
        "verify", help="compare every row with its hash, and the end with its signature"
    )
    verify.add_argument(
        "--expect",
        type=_expected,
        metavar="NUMBER:HASH",
        help="the end of the log as an earlier run printed it, kept elsewhere: it must still be in the log",
    )
    options = parser.parse_args(words[1:])
    database = Database(settings.url)
    try:
        if database.is_sqlite and not Path(database.url.database or "").is_file():
            print(f"there is no database at {database.url.database}: name the data directory with --data-dir")
            return 1
        revision = current_revision(database)
        if revision is None or (revision == newest_revision() and database.read_now(_unused)):
            print("nothing yet: nobody has used this database, so there is no audit log to verify")
            return 0 if options.expect is None else 1
        if revision != newest_revision():
            print(
                "the database is of another version of the program: start the service once, then verify again"
            )
            return 1
        found = AuditService(database, settings).verify(expect=options.expect)
    finally:
        database.close()
    for problem in found.problems[:MAX_SHOWN]:
        print(problem)
    if len(found.problems) > MAX_SHOWN:
        print(f"... and {len(found.problems) - MAX_SHOWN} more")
    if found.problems:
        print(f"FAILED: the audit log of {found.rows} rows is not whole; compare it with a backup")
        return 1
    print(f"ok: {found.rows} rows; keep this elsewhere for --expect next time: {found.seq}:{found.hash}")
    return 0
