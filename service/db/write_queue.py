"""Makes changes that wait at the same time in one transaction, so that they reach the disk together."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, Literal, Protocol, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm.session import JoinTransactionMode
from sqlmodel import Session

from service.changes import AfterCommit, BeforeCommit, ObjectChange, pop_announced_changes
from service.db.cancel_statement import NoAnswerError, RunningStatement

Kind = Literal["read", "write"]


class Watch(Protocol):
    """Follows the pieces of work of a `Database`, for figures; called on the event loop."""

    def record_wait(self, kind: Kind, seconds: float) -> None:
        """A piece of work waited so long for a thread."""

    def record_immediate_read(self) -> None:
        """A read was done at once, without a thread."""

    def record_failure(self, problem: Exception) -> None:
        """A piece of work raised `problem`; that may be an answer of the service rather than a fault."""


T = TypeVar("T")

MAX_TOGETHER = 32
"""How many changes are committed together at most."""
WRITES = "writes"
"""In `Session.info` of a session that may lock rows."""
LOCK_MILLISECONDS = 100
"""How long a change waits for a row of PostgreSQL while others wait with it; then it is made alone."""

ANOTHER_SECONDS = 0.05
"""After these seconds a change no longer waits for the group that is being made: another thread takes it."""

_DEADLOCK = "40P01"
_LOCKED = frozenset({"55P03", _DEADLOCK})
"""A lock was not available, a deadlock (postgresql.org/docs/current/errcodes-appendix.html)."""
_DEADLOCK_TRIES = 3
_DEADLOCK_PAUSE_SECONDS = 0.05
"""How long a change waits after a deadlock: made again at once, it may take the row from the other change,
which PostgreSQL has only just woken, and both lock each other again."""


class RunCancellable(Protocol):
    """Runs something on this thread, so that its caller can cut the connection it uses."""

    def __call__(self, do: Callable[[], None], running: RunningStatement) -> None: ...


class Make(Protocol):
    """Makes changes on a connection: gives those that were made, and one that keeps all from being made."""

    def __call__(
        self, connection: Connection, group: Sequence[Write[Any]]
    ) -> tuple[Sequence[Write[Any]], Write[Any] | None]: ...


class ReportWaiting(Protocol):
    """Is notified of how long a change has waited for its turn."""

    def __call__(self, kind: Kind, requested_at: float, running: RunningStatement | None) -> None: ...


class Write(Generic[T]):
    """A change that waits to be made. It is settled once it is committed or has failed.

    `waiter` is done, on its event loop, once `result` gives the outcome.
    """

    def __init__(self, work: Callable[[Session], T], waiter: asyncio.Future[None] | None = None) -> None:
        self._work = work
        self._result: T | None = None
        self._problem: BaseException | None = None
        self._changes: list[ObjectChange] = []
        self.waiter = waiter
        self.is_settled = False
        self.running: RunningStatement | None = None
        self.is_abandoned = False

    def make(self, session: Session) -> list[ObjectChange]:
        """Do the work in `session` and give what it announced.

        Raises what the work raises, and NoAnswerError when its caller gave up before.
        """
        if self.is_abandoned:
            raise NoAnswerError("the caller no longer waits")
        self._result = self._work(session)
        session.flush()
        # Another change may use the session next.
        session.expunge_all()
        self._changes = pop_announced_changes(session)
        return self._changes

    def fail(self, problem: BaseException) -> None:
        """The change could not be made."""
        self._problem, self.is_settled = problem, True

    def finish(self, after_commit: Sequence[AfterCommit]) -> None:
        """The change is committed: notify the listeners, whose failure is this change's only."""
        try:
            if self._changes:
                for after in after_commit:
                    after(self._changes)
        except Exception as problem:
            self.fail(problem)
        else:
            self.is_settled = True

    def result(self) -> T:
        """What the work gave; raises what kept the settled change from being made."""
        if self._problem is not None:
            raise self._problem
        return self._result  # type: ignore[return-value]

    def report(self) -> None:
        """Notify the waiter, unless it has left. On its event loop."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class WriteQueue:
    """Commits changes in groups: one after the other while that is quick, else on up to `writers` threads.

    A change that fails takes no other of its group with it: the others are made again, each in a savepoint of
    its own. The `before_commit` listeners get the changes of the whole group at once.
    """

    def __init__(
        self,
        engine: Engine,
        pool: ThreadPoolExecutor,
        writers: int,
        run_cancellable: RunCancellable,
        before_commit: Sequence[BeforeCommit],
        after_commit: Sequence[AfterCommit],
    ) -> None:
        self._engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._pool = pool
        self._run_cancellable = run_cancellable
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._lock = threading.Lock()
        self._waiting: deque[Write[Any]] = deque()
        self._writers = writers
        self._busy = 0

    async def write(self, work: Callable[[Session], T], patience: float, report_waiting: ReportWaiting) -> T:
        """Make the change of `work` and give what it gives, once it is committed.

        Once begun it is finished, also when the caller has left. Raises NoAnswerError after `patience`
        seconds; whether the change was made is not known then.
        """
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        write, requested_at = Write(work, waiter), time.perf_counter()
        with self._lock:
            self._waiting.append(write)
        self._start_writer(1)
        timers = [loop.call_later(patience, _expire, waiter)]
        if self._writers > 1:
            timers.append(loop.call_later(ANOTHER_SECONDS, self._start_writer, self._writers))
        try:
            await waiter
        except NoAnswerError:
            write.is_abandoned = True
            if write.running is not None:
                loop.run_in_executor(None, write.running.abandon)
            raise
        finally:
            for timer in timers:
                timer.cancel()
            report_waiting("write", requested_at, write.running)
        return write.result()

    def _start_writer(self, most: int) -> None:
        """Start a thread that makes the waiting changes, unless there are none or `most` threads are busy."""
        with self._lock:
            if not self._waiting or self._busy >= most:
                return
            self._busy += 1
        self._pool.submit(self._write_group)

    def _write_group(self) -> None:
        """Make one group. Other work may use the thread before the next group."""
        with self._lock:
            group = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_TOGETHER))]
        running = RunningStatement()
        for write in group:
            write.running = running
        try:
            self._run_cancellable(lambda: self._make(group), running)
        except BaseException as problem:
            for write in group:
                if not write.is_settled:
                    write.fail(problem)
            _report(group)
        with self._lock:
            self._busy -= 1
        self._start_writer(self._writers)

    def _make(self, group: Sequence[Write[Any]]) -> None:
        if len(group) > 1:
            self._make_together(group)
            # Before the others are made alone, which may take long.
            _report([write for write in group if write.is_settled])
        for write in group:
            if not write.is_settled:
                self.make_alone(write)
                _report([write])

    def make_alone(self, write: Write[Any]) -> None:
        """Make and commit the change on this thread, or have it fail.

        A change that PostgreSQL ends because of a deadlock is made again, up to `_DEADLOCK_TRIES` times.
        """
        for remaining_tries in reversed(range(_DEADLOCK_TRIES)):
            try:
                with Session(self._engine, expire_on_commit=False, info={WRITES: True}) as session:
                    changes = write.make(session)
                    self._announce(session, changes)
                    session.commit()
            except BaseException as problem:
                if remaining_tries and _sqlstate(problem) == _DEADLOCK:
                    time.sleep(_DEADLOCK_PAUSE_SECONDS)
                    continue
                write.fail(problem)
            else:
                write.finish(self._after_commit)
            return

    def _announce(self, session: Session, changes: list[ObjectChange]) -> None:
        if changes:
            for before in self._before_commit:
                before(session, changes)

    def _make_together(self, group: Sequence[Write[Any]]) -> None:
        """Make and commit the changes of `group`. Those that are not settled then can be made alone.

        Raises what the commit raises: nothing is known to be made then.
        """
        failed = self._commit(group, self._make_all)
        if failed is not None:
            # It is made alone, later. Another change may fail too: each one has a savepoint now.
            self._commit([write for write in group if write is not failed], self._make_each)

    def _commit(self, group: Sequence[Write[Any]], make: Make) -> Write[Any] | None:
        """Commit the changes of `group` that `make` makes, and finish them.

        Gives the change whose failure undid all of them, None if there is none.
        """
        with self._engine.connect() as connection:
            transaction = connection.begin()
            try:
                self._limit_locks(connection, LOCK_MILLISECONDS)
                made, failed = make(connection, group)
                if failed is not None or not made:
                    return failed
                transaction.commit()
            finally:
                if transaction.is_active:
                    transaction.rollback()
                driver = connection.connection.driver_connection
                if isinstance(driver, sqlite3.Connection):
                    # After a commit that failed SQLAlchemy takes the transaction for ended, SQLite does not.
                    driver.rollback()
        for write in made:
            write.finish(self._after_commit)
        return None

    def _make_all(
        self, connection: Connection, group: Sequence[Write[Any]]
    ) -> tuple[Sequence[Write[Any]], Write[Any] | None]:
        """Make all changes of `group`; when one fails, make none and return that one.

        That saves each of them the two statements of a savepoint.
        """
        changes: list[ObjectChange] = []
        with self._join_session(connection, "rollback_only") as session:
            for write in group:
                try:
                    changes += write.make(session)
                except BaseException:
                    return (), write
            if not self._notify_listeners(session, changes):
                return (), None
            session.commit()
        return group, None

    def _make_each(
        self, connection: Connection, group: Sequence[Write[Any]]
    ) -> tuple[Sequence[Write[Any]], None]:
        """Make what can be made of `group`, each in a savepoint; nothing when the transaction is gone."""
        made: list[Write[Any]] = []
        changes: list[ObjectChange] = []
        for write in group:
            try:
                with self._join_session(connection, "create_savepoint") as session:
                    announced_changes = write.make(session)
                    session.commit()
            except BaseException as problem:
                if not _is_lock_failure(problem) and not self._has_lost_transaction(connection):
                    write.fail(problem)
            else:
                made.append(write)
                changes += announced_changes
            if self._has_lost_transaction(connection):
                return (), None
        with self._join_session(connection, "rollback_only") as session:
            if not self._notify_listeners(session, changes):
                return (), None
            session.commit()
        return made, None

    def _notify_listeners(self, session: Session, changes: list[ObjectChange]) -> bool:
        """Notify the listeners before the commit: False when one refuses a change, which then fails alone."""
        try:
            self._limit_locks(session.connection(), 0)
            self._announce(session, changes)
        except Exception:
            return False
        return True

    @staticmethod
    def _join_session(connection: Connection, mode: JoinTransactionMode) -> Session:
        return Session(
            connection,
            expire_on_commit=False,
            join_transaction_mode=mode,
            info={WRITES: True},
        )

    def _limit_locks(self, connection: Connection, milliseconds: int) -> None:
        # A change that waits for a row keeps the others of its group waiting, and the rows that they locked.
        if not self._is_sqlite:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {milliseconds}")

    @staticmethod
    def _has_lost_transaction(connection: Connection) -> bool:
        """True when SQLite gave the whole transaction up, as it does when the disk is full."""
        driver = connection.connection.driver_connection
        return isinstance(driver, sqlite3.Connection) and not driver.in_transaction


def _expire(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_exception(NoAnswerError("the database does not answer"))


def _report(group: Sequence[Write[Any]]) -> None:
    """Notify the waiters of settled changes on their event loops, with one call for each loop."""
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[Write[Any]]] = defaultdict(list)
    for write in group:
        if write.waiter is not None:
            by_loop[write.waiter.get_loop()].append(write)
    for loop, settled in by_loop.items():
        # Nothing waits on a loop that was closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_report_on_loop, settled)


def _report_on_loop(settled: Sequence[Write[Any]]) -> None:
    for write in settled:
        write.report()


def _is_lock_failure(problem: BaseException) -> bool:
    return _sqlstate(problem) in _LOCKED


def _sqlstate(problem: BaseException) -> str | None:
    return getattr(problem.orig, "sqlstate", None) if isinstance(problem, DBAPIError) else None
