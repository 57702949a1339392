"""Changes that wait for one another on SQLite are committed together, and fail alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database

INSERT = text("INSERT INTO numbers VALUES (:number)")


class RefusedError(Exception):
    """What a change raises."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{tmp_path / 'a.db'}")
    made.write_now(lambda session: session.execute(text("CREATE TABLE numbers (number INTEGER UNIQUE)")))
    yield made
    made.close()


def insert(number: int) -> Callable[[Session], int]:
    def work(session: Session) -> int:
        session.connection().execute(INSERT, {"number": number})
        announce(session, ObjectChange("create", "number", str(number)))
        if number < 0:
            raise RefusedError
        return number

    return work


def numbers(database: Database) -> list[int]:
    rows = database.read_now(lambda session: session.execute(text("SELECT number FROM numbers")).all())
    return sorted(row.number for row in rows)


def written_at_once(database: Database, *works: Callable[[Session], int]) -> list[int | BaseException]:
    """What came of `works`, which all wait before the first begins."""
    begun = threading.Event()
    database._writers.submit(begun.wait)

    async def main() -> list[int | BaseException]:
        waiting = [asyncio.ensure_future(database.write(work)) for work in works]
        await asyncio.sleep(0)
        begun.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(main())


def commits(database: Database) -> list[None]:
    counted: list[None] = []
    event.listen(database.writer, "commit", lambda _connection: counted.append(None))
    return counted


def test_they_share_a_commit(database: Database) -> None:
    heard: list[str | None] = []
    database.after_commit.append(lambda changes: heard.extend(change.object_id for change in changes))
    counted = commits(database)
    assert written_at_once(database, *map(insert, range(5))) == [0, 1, 2, 3, 4]
    assert len(counted) == 1
    assert numbers(database) == [0, 1, 2, 3, 4]
    assert heard == ["0", "1", "2", "3", "4"]


def test_one_that_fails_takes_no_other_with_it(database: Database) -> None:
    heard: list[str | None] = []
    database.after_commit.append(lambda changes: heard.extend(change.object_id for change in changes))
    came = written_at_once(database, insert(1), insert(-1), insert(1), insert(2))
    assert came[0] == 1
    assert isinstance(came[1], RefusedError)
    assert isinstance(came[2], Exception)
    assert came[3] == 2
    assert numbers(database) == [1, 2]
    assert heard == ["1", "2"]


def test_a_listener_that_refuses_undoes_one_change(database: Database) -> None:
    def refuse(_session: Session, changes: list[ObjectChange]) -> None:
        if changes[0].object_id == "2":
            raise RefusedError

    database.before_commit.append(refuse)
    came = written_at_once(database, insert(1), insert(2), insert(3))
    assert isinstance(came[1], RefusedError)
    assert numbers(database) == [1, 3]


def test_a_listener_that_fails_after_the_commit_fails_its_own_change(database: Database) -> None:
    def fail(changes: list[ObjectChange]) -> None:
        if changes[0].object_id == "2":
            raise RefusedError

    database.after_commit.append(fail)
    came = written_at_once(database, insert(1), insert(2), insert(3))
    assert came[0] == 1
    assert isinstance(came[1], RefusedError)
    assert came[2] == 3
    assert numbers(database) == [1, 2, 3]


def test_a_commit_that_fails_fails_them_all(database: Database) -> None:
    def fail(_connection: object) -> None:
        raise RefusedError

    event.listen(database.writer, "commit", fail)
    came = written_at_once(database, insert(1), insert(2))
    assert [type(one) for one in came] == [RefusedError, RefusedError]
    event.remove(database.writer, "commit", fail)
    assert numbers(database) == []
    assert written_at_once(database, insert(3), insert(4)) == [3, 4]
    assert numbers(database) == [3, 4]


def test_a_transaction_that_sqlite_gave_up_is_made_again_one_by_one(database: Database) -> None:
    def gives_up(session: Session) -> int:
        # As SQLite does by itself when the disk is full.
        session.connection().exec_driver_sql("ROLLBACK")
        raise RefusedError

    came = written_at_once(database, insert(1), gives_up, insert(2))
    assert came[0] == 1
    assert isinstance(came[1], RefusedError)
    assert came[2] == 2
    assert numbers(database) == [1, 2]
