"""Checks for `walkaround doctor` that the audit log and the finished records are unchanged."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator

from sqlalchemy.exc import SQLAlchemyError

from service.audit.service import AuditService
from service.audit.triggers import missing_triggers
from service.commands.usable_database import unusable_database
from service.commands.verify_audit import finished_records, is_unused
from service.db.database import Database
from service.inspection.sealing.seal_check import seal_checks
from service.settings import Settings
from shared.system.checkup import CheckResult, fail, ok, warn

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
