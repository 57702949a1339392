"""An item whose memory is brought in line belongs to one process, and to another one soon after a kill."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from service.db.database import Database, now
from service.memory import waiting
from service.memory.comparisons import Comparisons
from service.memory.ports import ComparisonResult, Place, Ports, Question
from service.memory.tables import VARIATION, WAITING
from service.memory.waiting import LeasedItem
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind
from tests.service.memory.test_rules import ALL, item, verdict


class Clock:
    """The time of the service, which a test sets."""

    def __init__(self) -> None:
        self.now = now()

    def later(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "now", lambda: clock.now)
    return clock


def take_item(database: Database) -> LeasedItem | None:
    return database.write_now(waiting.take)


def test_a_process_that_was_killed_keeps_an_item_for_a_minute(database: Database, clock: Clock) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    first = take_item(database)
    assert first is not None
    clock.later(59)
    assert take_item(database) is None
    clock.later(2)
    assert take_item(database) == first


def test_a_process_that_is_alive_keeps_an_item(database: Database, clock: Clock) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    first = take_item(database)
    assert first is not None
    for _ in range(10):
        clock.later(45)
        database.write_now(lambda session: waiting.renew(session, first))
        assert take_item(database) is None
    clock.later(61)
    assert take_item(database) == first


def test_released_item_is_not_renewed(database: Database, clock: Clock) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    first = take_item(database)
    assert first is not None
    database.write_now(lambda session: waiting.release(session, first))
    database.write_now(lambda session: waiting.renew(session, first))
    assert take_item(database) == first


class FakeDomains:
    """The other domains of a service, with one passed item; a comparison waits until `go`."""

    def __init__(self) -> None:
        self.started, self.go, self.rested = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.compared = 0

    async def compare(
        self,
        question: Question,
        key: str,
        order: float,
        kind: MemoryKind,
        judged: Sequence[Rect],
        without: Sequence[Rect],
    ) -> ComparisonResult:
        self.started.set()
        await self.go.wait()
        self.compared += 1
        return ComparisonResult(b"content", 1)

    async def disagreements(self, question: Question, contents: Sequence[bytes]) -> list[list[float]]:
        return []

    async def rest(self) -> None:
        self.rested.set()

    def ports(self) -> Ports:
        place = Place("i", "r", "image", "reference", "sha", "cid", None, ALL)
        return Ports(
            place=lambda session, item_id: place,
            at_place=lambda session, place, since, until: ["i"],
            overlap=lambda place, region: 1.0,
            items=lambda session, ids: [item(verdict())],
            decided=lambda session, items, records: ["i"],
            names=lambda session, ids: {},
            is_busy=lambda session: False,
            compare=self.compare,
            disagreements=self.disagreements,
            rest=self.rest,
            version=1,
            oldest=4,
            newest=20,
        )


def test_a_lease_is_renewed_while_a_photo_is_compared(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    monkeypatch.setattr(waiting, "RENEW_INTERVAL", dt.timedelta(0))

    async def work() -> None:
        played, loop = FakeDomains(), asyncio.get_running_loop()
        renewed, renew = asyncio.Event(), waiting.renew

        def renew_and_signal(session: Any, take_item: LeasedItem) -> None:
            renew(session, take_item)
            loop.call_soon_threadsafe(renewed.set)

        monkeypatch.setattr(waiting, "renew", renew_and_signal)
        comparisons = Comparisons(database, played.ports())
        await comparisons.start()
        try:
            await asyncio.wait_for(renewed.wait(), 60)
            played.go.set()
            await asyncio.wait_for(played.rested.wait(), 60)
            assert played.compared == 1
            assert await database.read(lambda session: session.execute(select(WAITING)).all()) == []
        finally:
            await comparisons.stop()

    asyncio.run(work())


@pytest.mark.postgresql
@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_one_of_two_services_continues_after_the_other_is_killed(
    database: Database, database_url: str, clock: Clock
) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    # What a process does before it is killed.
    assert take_item(database) is not None

    async def work(other: Database) -> None:
        played = FakeDomains()
        played.go.set()
        comparisons = Comparisons(other, played.ports())
        await comparisons.start()
        try:
            assert take_item(other) is None
            assert not played.started.is_set()
            clock.later(61)
            comparisons.look_now()
            await asyncio.wait_for(played.started.wait(), 60)
            await asyncio.wait_for(played.rested.wait(), 60)
        finally:
            await comparisons.stop()

    other = Database(database_url)
    try:
        asyncio.run(work(other))
    finally:
        other.close()
    assert database.read_now(lambda session: session.execute(select(WAITING)).all()) == []
    (row,) = database.read_now(lambda session: session.execute(select(VARIATION)).all())
    assert (row.item_id, row.content) == ("i", b"content")
