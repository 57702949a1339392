"""Tests that waiting changes are committed together and fail separately."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event, text
from sqlmodel import Session, select

from service.account.tables import AccountVersion
from service.changes import ObjectChange, announce
from service.db import write_queue
from service.db.cancel_statement import NoAnswerError
from service.db.database import Database

INSERT = text("INSERT INTO numbers VALUES (:number)")


class ChangeError(Exception):
    """The exception of a failing change."""


on_postgresql = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)]
)


@pytest.fixture
def database(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(write_queue, "ANOTHER_SECONDS", 600)
    new = Database(database_url)
    new.write_now(
        lambda session: session.execute(text("CREATE TABLE IF NOT EXISTS numbers (number INTEGER UNIQUE)"))
    )
    yield new
    new.close()


def insert(number: int) -> Callable[[Session], int]:
    def work(session: Session) -> int:
        session.connection().execute(INSERT, {"number": number})
        announce(session, ObjectChange("create", "number", str(number)))
        if number < 0:
            raise ChangeError
        return number

    return work


def read_numbers(database: Database) -> list[int]:
    rows = database.read_now(lambda session: session.execute(text("SELECT number FROM numbers")).all())
    return sorted(row.number for row in rows)


class BlockedChange:
    """A change that has started and ends when `release` is called. Later changes wait."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._started, self._go_on = threading.Event(), threading.Event()
        self.release = self._go_on.set

    def _work(self, _session: Session) -> bool:
        self._started.set()
        return self._go_on.wait(30)

    async def begin(self) -> asyncio.Future[bool]:
        holding = asyncio.ensure_future(self._database.write(self._work))
        await asyncio.sleep(0)
        assert await asyncio.to_thread(self._started.wait, 30)
        return holding


def write_together(database: Database, *works: Callable[[Session], int]) -> list[int | BaseException]:
    """The outcomes of `works`, which all wait until an earlier change ends."""

    async def main() -> list[int | BaseException]:
        before = BlockedChange(database)
        holding = await before.begin()
        waiting = [asyncio.ensure_future(database.write(work)) for work in works]
        await asyncio.sleep(0)
        before.release()
        assert await holding
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(main())


def count_commits(database: Database) -> list[None]:
    counted: list[None] = []
    event.listen(database.writer, "commit", lambda _connection: counted.append(None))
    return counted


@pytest.mark.both_databases
def test_waiting_changes_share_a_commit(database: Database) -> None:
    announced: list[str | None] = []
    database.after_commit.append(lambda changes: announced.extend(change.object_id for change in changes))
    counted = count_commits(database)
    assert write_together(database, *map(insert, range(5))) == [0, 1, 2, 3, 4]
    assert len(counted) == 1
    assert read_numbers(database) == [0, 1, 2, 3, 4]
    assert announced == ["0", "1", "2", "3", "4"]


@pytest.mark.both_databases
def test_failed_change_does_not_fail_the_others(database: Database) -> None:
    announced: list[str | None] = []
    database.after_commit.append(lambda changes: announced.extend(change.object_id for change in changes))
    outcomes = write_together(database, insert(1), insert(-1), insert(1), insert(2))
    assert outcomes[0] == 1
    assert isinstance(outcomes[1], ChangeError)
    assert isinstance(outcomes[2], Exception)
    assert outcomes[3] == 2
    assert read_numbers(database) == [1, 2]
    assert announced == ["1", "2"]


@pytest.mark.both_databases
def test_change_that_raises_stop_iteration_fails_alone(database: Database) -> None:
    def take_from_empty_iterator(_session: Session) -> int:
        return next(iter(()))

    outcomes = write_together(database, insert(1), take_from_empty_iterator, insert(2))
    # A coroutine cannot raise StopIteration.
    assert isinstance(outcomes[1], RuntimeError)
    assert (outcomes[0], outcomes[2]) == (1, 2)
    assert read_numbers(database) == [1, 2]


@pytest.mark.both_databases
def test_listener_that_refuses_undoes_one_change(database: Database) -> None:
    def refuse(_session: Session, changes: list[ObjectChange]) -> None:
        if any(change.object_id == "2" for change in changes):
            raise ChangeError

    database.before_commit.append(refuse)
    outcomes = write_together(database, insert(1), insert(2), insert(3))
    assert isinstance(outcomes[1], ChangeError)
    assert read_numbers(database) == [1, 3]


@pytest.mark.both_databases
def test_listener_that_fails_after_the_commit_fails_only_its_change(database: Database) -> None:
    def fail(changes: list[ObjectChange]) -> None:
        if changes[0].object_id == "2":
            raise ChangeError

    database.after_commit.append(fail)
    outcomes = write_together(database, insert(1), insert(2), insert(3))
    assert outcomes[0] == 1
    assert isinstance(outcomes[1], ChangeError)
    assert outcomes[2] == 3
    assert read_numbers(database) == [1, 2, 3]


@pytest.mark.both_databases
def test_failed_commit_fails_all_changes(database: Database) -> None:
    def fail(_connection: object) -> None:
        raise ChangeError

    event.listen(database.writer, "commit", fail)
    outcomes = write_together(database, insert(1), insert(2))
    assert [type(outcome) for outcome in outcomes] == [ChangeError, ChangeError]
    event.remove(database.writer, "commit", fail)
    assert read_numbers(database) == []
    assert write_together(database, insert(3), insert(4)) == [3, 4]
    assert read_numbers(database) == [3, 4]


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_transaction_rolled_back_by_sqlite_is_repeated_change_by_change(database: Database) -> None:
    def gives_up(session: Session) -> int:
        # SQLite does this when the disk is full.
        session.connection().exec_driver_sql("ROLLBACK")
        raise ChangeError

    outcomes = write_together(database, insert(1), gives_up, insert(2))
    assert outcomes[0] == 1
    assert isinstance(outcomes[1], ChangeError)
    assert outcomes[2] == 2
    assert read_numbers(database) == [1, 2]


@pytest.mark.both_databases
def test_listeners_before_the_commit_get_all_changes_together(database: Database) -> None:
    announced: list[list[str | None]] = []
    database.before_commit.append(
        lambda _, changes: announced.append([change.object_id for change in changes])
    )
    write_together(database, *map(insert, range(3)))
    assert announced == [["0", "1", "2"]]


def hold_row(database: Database) -> tuple[threading.Thread, threading.Event, Callable[[Session], int]]:
    """Lock a row on a thread until the event is set; return both, and a change that waits for the row."""
    database.write_now(insert(1))
    locked, release = threading.Event(), threading.Event()

    def hold(session: Session) -> None:
        session.execute(text("SELECT number FROM numbers WHERE number = 1 FOR UPDATE"))
        locked.set()
        assert release.wait(30)

    def change(session: Session) -> int:
        session.execute(text("UPDATE numbers SET number = 10 WHERE number = 1"))
        return 10

    holder = threading.Thread(target=database.write_now, args=[hold])
    holder.start()
    assert locked.wait(30)
    return holder, release, change


@on_postgresql
def test_change_that_waits_for_a_row_does_not_delay_others(database: Database) -> None:
    holder, release, change = hold_row(database)
    others = threading.Event()

    def release_others(changes: list[ObjectChange]) -> None:
        # The others are committed while the row is still locked.
        others.set()
        release.set()

    database.after_commit.append(release_others)
    assert write_together(database, insert(2), change, insert(3)) == [2, 10, 3]
    holder.join()
    assert others.is_set()
    assert read_numbers(database) == [2, 3, 10]


@on_postgresql
async def test_other_changes_are_answered_while_one_waits_for_a_row(database: Database) -> None:
    holder, release, change = hold_row(database)
    before = BlockedChange(database)
    holding = await before.begin()
    waiting = [asyncio.ensure_future(database.write(work)) for work in (insert(2), change, insert(3))]
    await asyncio.sleep(0)
    before.release()
    await holding
    assert [await waiting[0], await waiting[2]] == [2, 3]
    assert not waiting[1].done()
    release.set()
    assert await waiting[1] == 10
    holder.join()


@pytest.mark.both_databases
def test_changes_do_not_share_objects(database: Database) -> None:
    def add(number: int) -> Callable[[Session], int]:
        def work(session: Session) -> int:
            assert len(session.identity_map) == 0
            assert not session.new
            session.add(AccountVersion(id=number, number=number))
            announce(session, ObjectChange("create", "number", str(number)))
            return number

        return work

    table = AccountVersion.__table__
    database.write_now(lambda session: table.create(session.connection(), checkfirst=True))
    announced: list[str | None] = []
    database.after_commit.append(lambda changes: announced.extend(change.object_id for change in changes))
    assert write_together(database, *map(add, (7, 8, 9))) == [7, 8, 9]
    assert announced == ["7", "8", "9"]
    stored = database.read_now(lambda session: session.exec(select(AccountVersion.number)).all())
    assert {7, 8, 9} <= set(stored)


@on_postgresql
async def test_change_does_not_wait_for_a_long_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_queue, "ANOTHER_SECONDS", 0.01)
    before = BlockedChange(database)
    long = await before.begin()
    assert await database.write(insert(1)) == 1
    assert not long.done()
    before.release()
    assert await long


@pytest.mark.both_databases
async def test_cancelled_change_is_not_started(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    before = BlockedChange(database)
    long = await before.begin()
    with monkeypatch.context() as cancelled:
        cancelled.setattr(database, "_patience", 0.01)
        with pytest.raises(NoAnswerError):
            await database.write(insert(1))
    before.release()
    await long
    assert await database.write(insert(2)) == 2
    assert read_numbers(database) == [2]


@pytest.mark.both_databases
async def test_cancelled_caller_does_not_stop_a_started_change(database: Database) -> None:
    before = BlockedChange(database)
    long = await before.begin()
    leaving = asyncio.ensure_future(database.write(insert(1)))
    await asyncio.sleep(0)
    leaving.cancel()
    before.release()
    await long
    assert await database.write(insert(2)) == 2
    assert read_numbers(database) == [1, 2]


@on_postgresql
def test_change_is_repeated_after_a_deadlock(database: Database) -> None:
    for number in (1, 2):
        database.write_now(insert(number))
    barrier = threading.Barrier(2, timeout=20)
    tries: list[int] = []

    def lock_both(first: int, second: int) -> None:
        def work(session: Session) -> None:
            tries.append(first)
            update = text("UPDATE numbers SET number = number WHERE number = :number")
            session.execute(update, {"number": first})
            if tries.count(first) == 1:
                # Each has locked its first row and now needs the row of the other.
                barrier.wait()
            session.execute(update, {"number": second})
            announce(session, ObjectChange("update", "number", str(first)))

        database.write_now(work)

    announced: list[str | None] = []
    database.after_commit.append(lambda changes: announced.extend(change.object_id for change in changes))
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(lock_both, 1, 2), pool.submit(lock_both, 2, 1)]:
            future.result(timeout=30)
    # PostgreSQL decides which one it ends; on a busy machine both meet again, and it is four.
    assert len(tries) >= 3
    assert sorted(announced, key=str) == ["1", "2"]
