"""Makes one backup in the place of the settings: writes, verifies and prunes. Runs in a process of its own.

`walkaround backup process` answers a request of the service with an outcome; `walkaround backup run` makes a
backup in its own process.
"""

from __future__ import annotations

import logging
import sqlite3
import sys
from collections.abc import Callable

import psycopg
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from service.backups.archive.manifest import BackupRefusedError
from service.backups.archive.places import BackupPlace, open_place
from service.backups.archive.shared_folder import SharedBackup, SharedFolder, time_of
from service.backups.archive.taking import take
from service.backups.archive.verification import verify
from service.backups.messages import OF_HINDRANCE, BackupProblem
from service.backups.outcome import Outcome
from service.backups.retention import Retention, times_to_keep
from service.db.storage_faults import hindrance_of
from service.exception_trace import trace_of
from service.settings import Settings
from service.stores.port import StoreSettingsError, StoreUnavailableError
from service.workers.frames import Frame
from service.workers.limits import lower_priority
from service.workers.serving import serve

log = logging.getLogger("walkaround.backups")


_FAILURES = (
    *(BackupRefusedError, OSError, StoreUnavailableError, StoreSettingsError, sqlite3.Error, psycopg.Error),
    SQLAlchemyError,
)


def configured_place(settings: Settings) -> BackupPlace:
    """The place of the settings. Raises StoreSettingsError when it cannot be used."""
    return open_place(settings.backup_to, settings)


def make(settings: Settings) -> Outcome:
    """Write a backup, verify it and remove old ones. No other may be made there meanwhile.

    A failure is logged and in the outcome; nothing of a failed backup is listed afterwards.
    """
    try:
        folder = SharedFolder(configured_place(settings))
        folder.place.clean()
        return _make(settings, folder)
    except _FAILURES as problem:
        return Outcome(problem=_report_problem(problem))
    except Exception as problem:
        log.error("a backup failed: %s", trace_of(problem))
        return Outcome(problem=BackupProblem.INTERNAL)


def _make(settings: Settings, folder: SharedFolder) -> Outcome:
    new = folder.new()
    with folder.place.working_folder() as working:
        manifest = take(settings, new, working)
    for sentence in manifest.problems:
        log.warning("the backup holds damaged data: %s", sentence)
    # What no other backup holds is read again; what they hold has to be there in full. Only then is there a
    # manifest, so that an interrupted backup is none.
    with folder.place.working_folder() as working:
        wrong = [f"{entry.name} is missing" for entry in new.missing_contents(manifest.entries)]
        wrong += verify(SharedBackup(folder.place, manifest), working, [*new.added, *new.unverified])
    if wrong:
        new.withdraw()
        for sentence in wrong[:5]:
            log.error("the backup is not what was read: %s", sentence)
        return Outcome(problem=BackupProblem.NOT_VERIFIED)
    name = folder.finish(manifest)
    problem = BackupProblem.DAMAGED_DATA if manifest.problems else None
    try:
        prune(folder, retention(settings))
    except (BackupRefusedError, OSError) as failure:
        log.warning("old backups were not removed: %s", failure)
        problem = problem or BackupProblem.NOT_PRUNED
    return Outcome(
        name=name,
        files=len(manifest.entries),
        size=manifest.size,
        added=sum(entry.size for entry in new.added),
        problem=problem,
    )


def retention(settings: Settings) -> Retention:
    """What the settings say of old backups."""
    return Retention(settings.backup_keep_daily, settings.backup_keep_weekly, settings.backup_keep_monthly)


def prune(folder: SharedFolder, retention: Retention) -> list[str]:
    """Remove backups that `retention` does not keep, and contents that no other names; gives their names."""
    names = {time_of(name): name for name in folder.names()}
    keep = times_to_keep(names, retention)
    removed = [name for time, name in names.items() if time not in keep]
    for name in removed:
        folder.discard(name)
    folder.collect()
    return removed


def _report_problem(problem: Exception) -> BackupProblem:
    if isinstance(problem, StoreSettingsError):
        log.error("a backup failed: %s", problem)
        return BackupProblem.PLACE_AWAY
    if isinstance(problem, BackupRefusedError):
        log.error("a backup failed: %s", problem)
        return BackupProblem.DAMAGED_DATABASE
    # A driver's own error is understood as the one that SQLAlchemy makes of it.
    driver = isinstance(problem, psycopg.Error)
    hindrance = hindrance_of(OperationalError("", {}, problem) if driver else problem)
    if hindrance in OF_HINDRANCE:
        return OF_HINDRANCE[hindrance]
    log.error("a backup failed: %s", trace_of(problem))
    return BackupProblem.PLACE_AWAY if isinstance(problem, OSError) else BackupProblem.INTERNAL


def answer_requests() -> None:
    """Answer the service's requests until it closes the input."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    # Requests go first.
    lower_priority()
    serve(_answer)


def _answer(request: Frame, _report: Callable[[int], None]) -> Frame:
    return Frame(make(Settings(**request.message)).model_dump(mode="json"))
