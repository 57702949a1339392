"""Runs `walkaround audit verify`: proves that the audit log and the sealed records are unchanged.

`walkaround doctor` checks the same of its installation.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence

from sqlalchemy import exists, func, table
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, select

from service.audit.service import AuditService
from service.audit.tables import AuditRow, HeadRow, missing_triggers
from service.db.database import Database
from service.db.schema import current_revision, missing_database, newest_revision, unusable_database
from service.inspection.sealing.seal_check import NeverSealedError, SealChecks, seal_checks
from service.inspection.tables import EDITION
from service.settings import Settings
from shared.system.checkup import CheckResult, fail, ok, warn
from shared.wire.seal import DifferenceKind, SealCheck

MAX_SHOWN = 20


def _parse_expected_end(value: str) -> tuple[int, str]:
    match = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", value)
    if match is None:
        raise argparse.ArgumentTypeError("give the end of the log as verify printed it: NUMBER:HASH")
    return int(match.group(1)), match.group(2)


def is_unused(session: Session) -> bool:
    """Return whether no service has used the database: it has no audit log and no users.

    If a log was emptied, the users still exist.
    """
    tables = (AuditRow, HeadRow, table("user"))
    return not any(session.exec(select(exists().select_from(source))).first() for source in tables)


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Run `audit verify`. Returns 0 if log and records are intact or no log exists yet, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="walkaround audit")
    commands = parser.add_subparsers(required=True, metavar="verify")
    command = commands.add_parser(
        "verify", help="compare every row with its hash, and the end with its signature"
    )
    command.add_argument(
        "--expect",
        type=_parse_expected_end,
        metavar="NUMBER:HASH",
        help="the end of the log as an earlier run printed it, kept elsewhere: it must still be in the log",
    )
    command.add_argument(
        "--record",
        metavar="ID",
        help="compare this finished record with its seal, not all: the database, its files and the log",
    )
    command.add_argument("--fast", action="store_true", help="verify the log alone, without sealed records")
    options = parser.parse_args(arguments[1:])
    database = Database(settings.url)
    try:
        if (sentence := missing_database(database)) is not None:
            print(sentence)
            return 1
        revision = current_revision(database)
        if revision is None or (revision == newest_revision() and database.read_now(is_unused)):
            print("nothing to verify: no service has used this database yet, so there is no audit log")
            return 0 if options.expect is None and options.record is None else 1
        if revision != newest_revision():
            print(
                "the database is of another version of the program: start the service once, then verify again"
            )
            return 1
        return verify(database, settings, options.expect, record=options.record, fast=options.fast)
    finally:
        database.close()


def verify(
    database: Database,
    settings: Settings,
    expect: tuple[int, str] | None = None,
    *,
    record: str | None = None,
    fast: bool = False,
) -> int:
    """Verify the log, its triggers and the finished records of a database of this version; print the result.

    `expect`, `record` and `fast` are the options of the command. Returns 0 if all is intact, 1 otherwise.
    """
    verification = AuditService(database, settings).verify(expect=expect)
    triggers = database.read_now(missing_triggers)
    checks = seal_checks(database, settings)
    if record is not None:
        are_intact = _verify_record(checks, record)
    else:
        are_intact = fast or _verify_all(checks, database.read_now(finished_records))
    for problem in verification.problems[:MAX_SHOWN]:
        print(problem)
    if len(verification.problems) > MAX_SHOWN:
        print(f"... and {len(verification.problems) - MAX_SHOWN} more")
    for name in triggers:
        print(f"FAILED: the database lacks the trigger {name}, so rows of the audit log can be changed")
    if verification.problems:
        print(f"FAILED: the audit log of {verification.rows} rows was changed; compare it with a backup")
        return 1
    # A line with "ok" would hide a failure above it.
    is_intact = are_intact and not triggers
    end = f"{verification.seq}:{verification.hash}"
    rows = f"{verification.rows} rows" if is_intact else f"the audit log has {verification.rows} valid rows"
    print(f"{'ok: ' if is_intact else ''}{rows}. Keep {end} for --expect.")
    return 0 if is_intact else 1


def finished_records(session: Session) -> list[str]:
    """The IDs of all records that were finished, the last finished first."""
    last = func.max(EDITION.c.finished_at)
    query = select(EDITION.c.inspection_id).group_by(EDITION.c.inspection_id).order_by(last.desc())
    return list(session.exec(query))


def _verify_all(checks: SealChecks, inspection_ids: Sequence[str]) -> bool:
    """Check all finished records and print those that differ from their seals; whether all are intact."""
    failed_count = 0
    for number, inspection_id in enumerate(inspection_ids, 1):
        if sys.stderr.isatty():
            print(f"\rrecord {number} of {len(inspection_ids)}", end="", file=sys.stderr, flush=True)
        check = checks.check_now(inspection_id)
        if not check.intact:
            failed_count += 1
            _print_check(check)
    if sys.stderr.isatty() and inspection_ids:
        print(file=sys.stderr)
    if failed_count:
        print(f"FAILED: {failed_count} of {len(inspection_ids)} finished records differ from their seals")
    elif inspection_ids:
        print(f"all {len(inspection_ids)} finished records are as they were sealed")
    return not failed_count


_DIFFERENCES = {
    DifferenceKind.CHANGED: "differs from the sealed value",
    DifferenceKind.ADDED: "was added after the seal",
    DifferenceKind.MISSING: "is missing",
    DifferenceKind.FILE_CHANGED: "the content of the file differs from the sealed one",
    DifferenceKind.FILE_MISSING: "the file is missing",
    DifferenceKind.FILE_RENAMED: "the name or type of the file differs from the sealed one",
    DifferenceKind.SEAL_BROKEN: "does not have this seal",
    DifferenceKind.LOG_DIFFERS: "differs from the audit log",
    DifferenceKind.UNREADABLE: "cannot be read",
}


def _verify_record(checks: SealChecks, inspection_id: str) -> bool:
    """Check a record against its seal and print the differences; return whether it is intact."""
    try:
        check = checks.check_now(inspection_id)
    except NeverSealedError:
        print(f"FAILED: there is no finished record {inspection_id}; check the ID")
        return False
    _print_check(check)
    return check.intact


def _print_check(check: SealCheck) -> None:
    for difference in check.differences[:MAX_SHOWN]:
        item_text = "" if difference.item_name is None else f" (item {difference.item_name!r})"
        print(f"{difference.path}{item_text}: {_DIFFERENCES[difference.kind]}")
    if len(check.differences) > MAX_SHOWN:
        print(f"... and {len(check.differences) - MAX_SHOWN} more")
    edition = f"edition {check.edition} of record {check.inspection_id}, seal {check.seal}"
    if check.differences:
        print(f"FAILED: {edition}: {len(check.differences)} difference(s)")
    elif check.current:
        print(f"ok: {edition}: the record and its {check.files} file(s) are as they were sealed")
    else:
        print(f"ok: {edition}: kept whole with its {check.files} file(s); the record was reopened since")


_SEAL_SECONDS = 60.0
"""How long finished records are compared with their seals, the newest first; the desktop waits 120 s."""
_VERIFY_ADVICE = "run “walkaround audit verify” and compare with a backup"


def records(settings: Settings) -> Iterator[CheckResult]:
    """Check that the audit log and the finished records are unchanged, without reading their files."""
    db = Database(settings.url)
    secret = settings.secret_file or settings.data_dir / "secret.key"
    try:
        if unusable_database(db) is not None or db.read_now(is_unused):
            return
        if not secret.is_file():
            yield warn(
                "secret file {file} does not exist yet",
                "the service creates it at its first start",
                file=secret,
            )
            return
        total, checked, changed = _check_seals(db, settings)
        is_protected = not db.read_now(missing_triggers)
        log_problems = AuditService(db, settings).verify().problems
    except (SQLAlchemyError, sqlite3.Error, OSError):
        # The checks of the database and of the keys report this.
        return
    finally:
        db.close()
    if changed:
        yield fail("{count} finished records differ from their seals", _VERIFY_ADVICE, count=changed)
    if log_problems:
        yield fail("the audit log was changed ({problem})", _VERIFY_ADVICE, problem=log_problems[0])
    if not is_protected:
        yield fail(
            "the database does not protect the audit log against changes",
            "start the service once: it restores the protection. Then run: walkaround audit verify",
        )
    if not changed and not log_problems and is_protected:
        yield ok(
            "audit log and {checked} of {total} finished records are unchanged", checked=checked, total=total
        )


def _check_seals(db: Database, settings: Settings) -> tuple[int, int, int]:
    """The numbers of finished records, of those that were checked, and of those that were changed."""
    checks = seal_checks(db, settings, reads_files=False)
    record_ids = db.read_now(finished_records)
    deadline = time.monotonic() + _SEAL_SECONDS
    checked = changed = 0
    for record_id in record_ids:
        if time.monotonic() > deadline:
            break
        checked += 1
        changed += not checks.check_now(record_id).intact
    return len(record_ids), checked, changed
