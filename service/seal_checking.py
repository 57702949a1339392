"""Checks sealed records beside a running service; composes what that needs of several domains."""

from __future__ import annotations

from sqlmodel import Session

from service.audit.service import entries_of_object
from service.db.database import Database
from service.files.lookup import file_info
from service.inspection.ports import LoggedSeal
from service.inspection.sealing.seal_check import SealChecks
from service.settings import Settings
from service.stores.contents import file_contents, model_contents

_ACTIONS = ("seal", "release", "reopen")


def seal_log(session: Session, inspection_id: str) -> list[LoggedSeal]:
    """The audit log's entries about a record's editions, oldest first."""
    entries = entries_of_object(session, "record", inspection_id, _ACTIONS)
    return [LoggedSeal(entry.action, entry.actor, entry.details) for entry in entries]


def seal_checks(database: Database, settings: Settings, *, reads_files: bool = True) -> SealChecks:
    """The checks of records on a database, for a command; without `reads_files` of the database alone."""
    if not reads_files:
        return SealChecks(database, file_info, seal_log, _claimed_hash, _claimed_hash)
    return SealChecks(
        database,
        file_info,
        seal_log,
        file_contents(settings).stored_hash,
        model_contents(settings).stored_hash,
    )


def _claimed_hash(sha256: str) -> str:
    return sha256
