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


def seal_checks(database: Database, settings: Settings) -> SealChecks:
    """The checks of records on a database, for a command."""
    return SealChecks(
        database,
        file_info,
        seal_log,
        file_contents(settings).stored_hash,
        model_contents(settings).stored_hash,
    )
