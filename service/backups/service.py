"""Makes backups on the configured schedule, one at a time, and reports their status."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout
from sqlalchemy import func
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select, update

from service.backups import schedule
from service.backups.outcome import TEXTS, BackupProblem, Outcome, parse_outcome
from service.backups.tables import BackupRow
from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.exception_trace import trace_of
from service.settings import Settings
from service.web.envelope import Problem, invalid
from service.web.language import translate
from service.web.security import Caller
from service.workers.child import Child, ProcessDied
from shared.record.codes import ErrorCode
from shared.system import atomic
from shared.system.paths import program_command
from shared.wire.backups import BackupRun, BackupStatus

log = logging.getLogger("walkaround.backups")

RUNNING, DONE, FAILED = "running", "done", "failed"
_LISTED_RUNS = 10
_MAX_SECONDS = 24 * 3600
"""The time limit of a run; after that the place of the backups is assumed not to answer."""
_LOOK_SECONDS = 60.0
"""How often the clock is read, because it may be set and a computer may sleep."""
_LOCK_KEY = 0x77616C6B
"""The key of the advisory lock on PostgreSQL, one for each database ("walk" in ASCII)."""

Make = Callable[[Settings], Outcome]


class BusyError(RuntimeError):
    """Raised if another process is making a backup."""


class _History(NamedTuple):
    """The last good run, the number of failed runs since then, and the end of the last failed one."""

    last_good: BackupRow | None
    failures: int
    last_failure: dt.datetime | None


class BackupService:
    """The backup schedule of one service process. Each backup is made by one of all processes."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._schedule = schedule.parse_schedule(settings.backup_at)
        self._child = Child(program_command("backup", "process"))
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._is_wanted = threading.Event()
        self._has_setting = bool(settings.backup_to) and not settings.backup_folder_file.exists()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the schedule if the settings name a place for backups."""
        if self._settings.backup_to and self._thread is None:
            self._thread = threading.Thread(target=self._run_schedule, name="backups", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the schedule. A running backup is aborted and not listed."""
        self._stopping.set()
        self._wake.set()
        self._child.close()
        if self._thread is not None:
            self._thread.join()

    async def status(self, caller: Caller) -> BackupStatus:
        """Return the status of the backups."""
        return await self._database.read(partial(self._status, caller))

    async def choose_folder(self, folder: str, caller: Caller) -> BackupStatus:
        """Store backups in `folder` from now on.

        Raises Problem 403 for a caller on another computer, 409 if a setting names the place, and 422 for a
        folder that cannot be used.
        """
        if not caller.is_local:
            raise Problem(403, ErrorCode.PERMISSION_MISSING, "只能在运行服务的电脑上选择备份文件夹")
        if self._has_setting:
            raise Problem(409, ErrorCode.CONFLICT, "备份位置由服务设置指定，无法在此更改")
        await asyncio.to_thread(self._keep_folder, Path(folder))
        details = {"backup_folder": folder}
        change = ObjectChange(
            "update", "service", "backups", caller.user_id, caller.address, details, audit_only=True
        )
        await self._database.write(lambda session: announce(session, change))
        self._is_wanted.set()
        self._wake.set()
        self.start()
        return await self.status(caller)

    def _keep_folder(self, folder: Path) -> None:
        is_inside = folder.resolve().is_relative_to(self._settings.data_dir.resolve())
        if not folder.is_absolute() or not folder.is_dir() or not os.access(folder, os.W_OK) or is_inside:
            raise invalid("folder", "value_error", "请选择数据文件夹以外、可写入的文件夹")
        atomic.write_file(self._settings.backup_folder_file, str(folder).encode(), durable=True)
        self._settings = self._settings.model_copy(update={"backup_to": str(folder)})

    async def start_now(self, caller: Caller) -> BackupStatus:
        """Let the schedule make a backup now. Raises Problem 409 if no place for backups is set."""
        if not self._settings.backup_to:
            raise Problem(409, ErrorCode.CONFLICT, "尚未选择备份文件夹")
        self._is_wanted.set()
        self._wake.set()
        return await self.status(caller)

    def _status(self, caller: Caller, session: Session) -> BackupStatus:
        runs = session.exec(
            select(BackupRow).order_by(col(BackupRow.started_at).desc()).limit(_LISTED_RUNS)
        ).all()
        history = _read_history(session)
        is_scheduled = bool(self._settings.backup_to)
        due = self._next_time(history)
        return BackupStatus(
            scheduled=is_scheduled,
            schedule=self._settings.backup_at if is_scheduled else None,
            next_at=due if is_scheduled else None,
            late=is_scheduled and self._is_late(history),
            failures=history.failures,
            last_good=None if history.last_good is None else _to_run(history.last_good),
            runs=[_to_run(row) for row in runs],
            place=self._settings.backup_to or None,
            can_choose=not self._has_setting and caller.is_local,
        )

    def _next_time(self, history: _History) -> dt.datetime:
        last = history.last_good
        return schedule.next_due_time(
            self._schedule,
            None if last is None else last.started_at,
            history.failures,
            history.last_failure,
            now(),
        )

    def _is_late(self, history: _History) -> bool:
        if history.last_good is None:
            return history.failures > 0
        due = schedule.next_due_time(self._schedule, history.last_good.started_at, 0, None, now())
        return now() - due > schedule.LATE_TOLERANCE

    def _run_schedule(self) -> None:
        while not self._stopping.is_set():
            pause = _LOOK_SECONDS
            try:
                due = self._next_time(self._database.read_now(_read_history))
                pause = min(pause, (due - now()).total_seconds())
                if pause <= 0 or self._is_wanted.is_set():
                    pause = _LOOK_SECONDS
                    self.make_due()
            except BusyError:
                pass
            except Exception as problem:
                # No error may stop the schedule.
                log.error("cannot make a backup: %s; trying again", trace_of(problem))
            self._wake.wait(max(pause, 0.0))
            self._wake.clear()

    def make_due(self) -> Outcome | None:
        """Make a backup in the child process if one is due or wanted, else return None. Raises BusyError."""
        with _hold_lock(self._database, self._settings):
            is_wanted = self._is_wanted.is_set()
            self._is_wanted.clear()
            # Another process may have made it.
            if not is_wanted and self._next_time(self._database.read_now(_read_history)) > now():
                return None
            return _make_and_record(self._database, self._settings, self._make_in_child)

    def _make_in_child(self, settings: Settings) -> Outcome:
        try:
            return parse_outcome(self._child.ask(settings.model_dump(mode="json"), _MAX_SECONDS))
        except ProcessDied as problem:
            return Outcome(
                problem=BackupProblem.PLACE_AWAY if problem.timed_out else BackupProblem.INTERRUPTED
            )


def make_now(database: Database, settings: Settings, make: Make) -> Outcome:
    """Make a backup now with `make`. Raises BusyError if another process is making one."""
    with _hold_lock(database, settings):
        return _make_and_record(database, settings, make)


def _make_and_record(database: Database, settings: Settings, make: Make) -> Outcome:
    def begin(session: Session) -> str:
        # The lock guarantees that no other run is in progress.
        session.exec(
            update(BackupRow)
            .where(col(BackupRow.state) == RUNNING)
            .values(state=FAILED, problem=BackupProblem.INTERRUPTED, finished_at=now())
        )
        row = BackupRow(state=RUNNING)
        session.add(row)
        session.flush()
        return row.run_id

    run_id = database.write_now(begin)
    outcome = make(settings)
    _log_outcome(outcome)

    def end(session: Session) -> None:
        row = session.get_one(BackupRow, run_id)
        row.finished_at = now()
        row.state = FAILED if outcome.name is None else DONE
        row.name, row.files, row.size = outcome.name, outcome.files, outcome.size
        row.added, row.problem = outcome.added, outcome.problem

    database.write_now(end)
    return outcome


def _log_outcome(outcome: Outcome) -> None:
    text = "" if outcome.problem is None else TEXTS[outcome.problem].log
    if outcome.name is None:
        log.error("the backup failed: %s", text)
    elif outcome.problem is not None:
        log.warning("backup %s: %s", outcome.name, text)
    else:
        size, added = (outcome.size or 0) / 2**20, (outcome.added or 0) / 2**20
        log.info("backup %s: %s files, %.1f MB, %.1f MB new", outcome.name, outcome.files, size, added)


@contextlib.contextmanager
def _hold_lock(database: Database, settings: Settings) -> Iterator[None]:
    """Hold the lock of backups: one file in the data folder and, on PostgreSQL, one in the database.

    Raises BusyError if another process holds it.
    """
    lock = FileLock(settings.data_dir / "backup.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as problem:
        raise BusyError from problem
    try:
        if database.is_sqlite:
            yield
            return
        with database.writer.connect() as connection:
            has_lock = connection.scalar(select(func.pg_try_advisory_lock(_LOCK_KEY)))
            # The lock belongs to the connection, so no transaction needs to stay open.
            connection.commit()
            if not has_lock:
                raise BusyError
            try:
                yield
            finally:
                with contextlib.suppress(SQLAlchemyError):
                    connection.execute(select(func.pg_advisory_unlock(_LOCK_KEY)))
                    connection.commit()
    finally:
        lock.release()


def _read_history(session: Session) -> _History:
    newest = col(BackupRow.started_at).desc()
    last_good = session.exec(
        select(BackupRow).where(BackupRow.state == DONE).order_by(newest).limit(1)
    ).first()
    query = select(func.count(), func.max(BackupRow.finished_at)).where(col(BackupRow.state) == FAILED)
    if last_good is not None:
        query = query.where(col(BackupRow.started_at) > last_good.started_at)
    failures, last_failure = session.exec(query).one()
    return _History(last_good, failures, last_failure)


def _to_run(row: BackupRow) -> BackupRun:
    return BackupRun(
        started_at=row.started_at,
        finished_at=row.finished_at,
        state=row.state,
        name=row.name,
        files=row.files,
        size=row.size,
        added=row.added,
        problem=row.problem,
        message=None if row.problem is None else translate(TEXTS[BackupProblem(row.problem)].message),
    )
