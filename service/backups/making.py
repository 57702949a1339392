"""Makes a backup in the configured place: writes and verifies it, and removes old ones.

`walkaround backup process` does this in a child process of the service and answers with an outcome;
`walkaround backup run` does it in its own process.
"""

from __future__ import annotations

import datetime as dt
import logging
import sqlite3
import sys
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import psycopg
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from service.backups.archive.manifest import BackupRefusedError
from service.backups.archive.places import BackupPlace, open_place
from service.backups.archive.shared_folder import SharedBackup, SharedFolder, parse_time
from service.backups.archive.taking import take_backup, verify
from service.backups.outcome import PROBLEM_BY_STORAGE_FAULT, BackupProblem, Outcome
from service.db.storage_faults import classify_storage_fault
from service.exception_trace import trace_of
from service.settings import Settings
from service.stores.port import StoreSettingsError, StoreUnavailableError
from service.workers.frames import Frame, serve
from service.workers.limits import lower_priority

KEEP_ALL_PERIOD = dt.timedelta(hours=24)
"""The period before the newest backup in which every backup is kept."""


class Retention(NamedTuple):
    """The number of days, weeks and months with a backup of which the newest one is kept."""

    daily: int
    weekly: int
    monthly: int


def _day(time: dt.datetime) -> Hashable:
    return time.date()


def _week(time: dt.datetime) -> Hashable:
    return time.isocalendar()[:2]


def _month(time: dt.datetime) -> Hashable:
    return (time.year, time.month)


def times_to_keep(times: Iterable[dt.datetime], retention: Retention) -> set[dt.datetime]:
    """Return the times (UTC) of the backups to keep, always including the newest."""
    newest_first = sorted(set(times), reverse=True)
    if not newest_first:
        return set()
    kept_times = {time for time in newest_first if newest_first[0] - time < KEEP_ALL_PERIOD}
    for period, count in ((_day, retention.daily), (_week, retention.weekly), (_month, retention.monthly)):
        kept_times.update(_newest_of_each(newest_first, period, count))
    return kept_times


def _newest_of_each(
    newest_first: Iterable[dt.datetime], period: Callable[[dt.datetime], Hashable], count: int
) -> list[dt.datetime]:
    newest: dict[Hashable, dt.datetime] = {}
    for time in newest_first:
        newest.setdefault(period(time), time)
    return list(newest.values())[:count]


log = logging.getLogger("walkaround.backups")


_FAILURES = (
    *(BackupRefusedError, OSError, StoreUnavailableError, StoreSettingsError, sqlite3.Error, psycopg.Error),
    SQLAlchemyError,
)


def configured_place(settings: Settings) -> BackupPlace:
    """Open the place of backups in the settings. Raises StoreSettingsError if it cannot be used."""
    return open_place(settings.backup_to, settings)


def make(settings: Settings) -> Outcome:
    """Write a backup, verify it and remove old ones. No other backup may be made there meanwhile.

    A failure is logged and returned in the outcome; a failed backup is not listed.
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
    with folder.place.working_folder() as scratch:
        manifest = take_backup(settings, new, scratch)
    for sentence in manifest.problems:
        log.warning("the backup contains damaged data: %s", sentence)
    # New contents are read again, shared ones must exist completely. Only then is the manifest written, so an
    # interrupted backup does not exist.
    with folder.place.working_folder() as scratch:
        faults = [f"{entry.name} is missing" for entry in new.missing_contents(manifest.entries)]
        faults += verify(SharedBackup(folder.place, manifest), scratch, [*new.added, *new.unverified])
    if faults:
        new.remove_contents()
        for sentence in faults[:5]:
            log.error("the written backup differs from the data: %s", sentence)
        return Outcome(problem=BackupProblem.NOT_VERIFIED)
    name = folder.finish(manifest)
    problem = BackupProblem.DAMAGED_DATA if manifest.problems else None
    try:
        prune(folder, retention(settings))
    except (BackupRefusedError, OSError) as failure:
        log.warning("cannot remove old backups: %s", failure)
        problem = problem or BackupProblem.NOT_PRUNED
    return Outcome(
        name=name,
        files=len(manifest.entries),
        size=manifest.size,
        added=sum(entry.size for entry in new.added),
        problem=problem,
    )


def retention(settings: Settings) -> Retention:
    """Return the settings for old backups."""
    return Retention(settings.backup_keep_daily, settings.backup_keep_weekly, settings.backup_keep_monthly)


def prune(folder: SharedFolder, retention: Retention) -> list[str]:
    """Remove backups that `retention` does not keep, and unused contents; return the names of the backups."""
    names = {parse_time(name): name for name in folder.names()}
    kept_times = times_to_keep(names, retention)
    removed_names = [name for time, name in names.items() if time not in kept_times]
    for name in removed_names:
        folder.discard(name)
    folder.collect()
    return removed_names


def _report_problem(problem: Exception) -> BackupProblem:
    if isinstance(problem, StoreSettingsError):
        log.error("a backup failed: %s", problem)
        return BackupProblem.PLACE_AWAY
    if isinstance(problem, BackupRefusedError):
        log.error("a backup failed: %s", problem)
        return BackupProblem.DAMAGED_DATABASE
    # An error of the driver is classified like the one that SQLAlchemy would raise for it.
    is_driver_error = isinstance(problem, psycopg.Error)
    storage_fault = classify_storage_fault(OperationalError("", {}, problem) if is_driver_error else problem)
    if storage_fault in PROBLEM_BY_STORAGE_FAULT:
        return PROBLEM_BY_STORAGE_FAULT[storage_fault]
    log.error("a backup failed: %s", trace_of(problem))
    return BackupProblem.PLACE_AWAY if isinstance(problem, OSError) else BackupProblem.INTERNAL


def answer_requests() -> None:
    """Answer the service's requests until it closes the input."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    # Requests have priority.
    lower_priority()
    serve(_answer)


def _answer(request: Frame, _report: Callable[[int], None]) -> Frame:
    return Frame(make(Settings(**request.message)).model_dump(mode="json"))
