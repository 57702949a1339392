"""Makes backups on the schedule of the settings, one at a time, and says how it stands with them."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from filelock import FileLock, Timeout
from sqlalchemy import func
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select, update

from service.backups import schedule
from service.backups.messages import TEXTS, BackupProblem
from service.backups.outcome import Outcome, outcome_of
from service.backups.tables import BackupRow
from service.db.database import Database, now
from service.exception_trace import trace_of
from service.settings import Settings
from service.workers.child import Child, ProcessDied
from shared.paths import own_command
from shared.wire.backups import BackupRun, BackupStatus

log = logging.getLogger("walkaround.backups")

RUNNING, DONE, FAILED = "running", "done", "failed"
_SHOWN = 10
_MOST_SECONDS = 24 * 3600
"""A run that takes longer is ended: the place of the backups does not answer."""
_LOOK_SECONDS = 60.0
"""So often the clock is read, which may be set, and a computer may sleep."""
_LOCK_KEY = 0x77616C6B
"""Of the advisory lock on PostgreSQL, one for each database: "walk"."""

Make = Callable[[Settings], Outcome]


class BusyError(RuntimeError):
    """Another process makes a backup."""


class _History(NamedTuple):
    """The last good run, how many failed since, and when the last of those ended."""

    last_good: BackupRow | None
    failures: int
    last_failure: dt.datetime | None


class BackupService:
    """The schedule of one service process. On PostgreSQL one of all processes makes each backup."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._schedule = schedule.parse_schedule(settings.backup_at)
        self._child = Child(own_command("backup", "process"))
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to make backups, when the settings name a place for them."""
        if self._settings.backup_to:
            self._thread = threading.Thread(target=self._run, name="backups", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop. A backup that is being made is abandoned and never listed."""
        self._stopping.set()
        self._child.close()
        if self._thread is not None:
            self._thread.join()

    async def status(self) -> BackupStatus:
        """How it stands with the backups."""
        return await self._database.read(self._status)

    def _status(self, session: Session) -> BackupStatus:
        runs = session.exec(select(BackupRow).order_by(col(BackupRow.started_at).desc()).limit(_SHOWN)).all()
        history = _history(session)
        scheduled = bool(self._settings.backup_to)
        due = self._next_time(history)
        return BackupStatus(
            scheduled=scheduled,
            schedule=self._settings.backup_at if scheduled else None,
            next_at=due if scheduled else None,
            late=scheduled and self._is_late(history),
            failures=history.failures,
            last_good=None if history.last_good is None else _to_run(history.last_good),
            runs=[_to_run(row) for row in runs],
        )

    def _next_time(self, history: _History) -> dt.datetime:
        last = history.last_good
        return schedule.due_at(
            self._schedule,
            None if last is None else last.started_at,
            history.failures,
            history.last_failure,
            now(),
        )

    def _is_late(self, history: _History) -> bool:
        if history.last_good is None:
            return history.failures > 0
        wished = schedule.due_at(self._schedule, history.last_good.started_at, 0, None, now())
        return now() - wished > schedule.LATE

    def _run(self) -> None:
        while not self._stopping.is_set():
            pause = _LOOK_SECONDS
            try:
                due = self._next_time(self._database.read_now(_history))
                pause = min(pause, (due - now()).total_seconds())
                if pause <= 0:
                    pause = _LOOK_SECONDS
                    self.make_due()
            except BusyError:
                pass
            except Exception as problem:
                # Whatever it is, the next backup is tried again.
                log.error("no backup can be made: %s", trace_of(problem))
            self._stopping.wait(max(pause, 0.0))

    def make_due(self) -> Outcome | None:
        """Make a backup in the child process if one is due; None otherwise. Raises BusyError."""
        with _lock(self._database, self._settings):
            # Another process may have made it since.
            if self._next_time(self._database.read_now(_history)) > now():
                return None
            return _make_recorded(self._database, self._settings, self._make_in_child)

    def _make_in_child(self, settings: Settings) -> Outcome:
        try:
            return outcome_of(self._child.ask(settings.model_dump(mode="json"), _MOST_SECONDS))
        except ProcessDied as problem:
            return Outcome(
                problem=BackupProblem.PLACE_AWAY if problem.timed_out else BackupProblem.INTERRUPTED
            )


def make_now(database: Database, settings: Settings, make: Make) -> Outcome:
    """Make a backup at once by `make`. Raises BusyError when one is being made."""
    with _lock(database, settings):
        return _make_recorded(database, settings, make)


def _make_recorded(database: Database, settings: Settings, make: Make) -> Outcome:
    def begin(session: Session) -> str:
        # Whoever has the lock knows that no other run goes on.
        session.exec(
            update(BackupRow)
            .where(col(BackupRow.state) == RUNNING)
            .values(state=FAILED, problem=BackupProblem.INTERRUPTED, finished_at=now())
        )
        started = BackupRow(state=RUNNING)
        session.add(started)
        session.flush()
        return started.run_id

    run_id = database.write_now(begin)
    outcome = make(settings)
    _log(outcome)

    def end(session: Session) -> None:
        row = session.get_one(BackupRow, run_id)
        row.finished_at = now()
        row.state = FAILED if outcome.name is None else DONE
        row.name, row.files, row.size = outcome.name, outcome.files, outcome.size
        row.added, row.problem = outcome.added, outcome.problem

    database.write_now(end)
    return outcome


def _log(outcome: Outcome) -> None:
    text = "" if outcome.problem is None else TEXTS[outcome.problem].log
    if outcome.name is None:
        log.error("the backup failed: %s", text)
    elif outcome.problem is not None:
        log.warning("backup %s: %s", outcome.name, text)
    else:
        size, added = (outcome.size or 0) / 2**20, (outcome.added or 0) / 2**20
        log.info("backup %s: %s files, %.1f MB, %.1f MB new", outcome.name, outcome.files, size, added)


@contextlib.contextmanager
def _lock(database: Database, settings: Settings) -> Iterator[None]:
    """Hold the lock of backups: one file in the data directory and, on PostgreSQL, one in the database.

    Raises BusyError when another process holds it.
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
            taken = connection.scalar(select(func.pg_try_advisory_lock(_LOCK_KEY)))
            # The lock belongs to the connection; no transaction stays open meanwhile.
            connection.commit()
            if not taken:
                raise BusyError
            try:
                yield
            finally:
                with contextlib.suppress(SQLAlchemyError):
                    connection.execute(select(func.pg_advisory_unlock(_LOCK_KEY)))
                    connection.commit()
    finally:
        lock.release()


def _history(session: Session) -> _History:
    newest = col(BackupRow.started_at).desc()
    last_good = session.exec(
        select(BackupRow).where(BackupRow.state == DONE).order_by(newest).limit(1)
    ).first()
    failed = select(func.count(), func.max(BackupRow.finished_at)).where(col(BackupRow.state) == FAILED)
    if last_good is not None:
        failed = failed.where(col(BackupRow.started_at) > last_good.started_at)
    failures, last_failure = session.exec(failed).one()
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
        message=None if row.problem is None else TEXTS[BackupProblem(row.problem)].message,
    )
