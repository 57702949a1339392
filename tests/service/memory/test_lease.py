"""An item whose memory is brought in line belongs to one process, and to another one soon after a kill."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any, cast

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from service.db.database import Database, now
from service.detection.dispatch.variations import Learned, Variations, Varied
from service.memory import comparisons, regions, waiting
from service.memory.comparisons import Comparisons
from service.memory.facts import Place
from service.memory.tables import VARIATION, WAITING
from service.memory.waiting import LeasedItem
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


class FakeVariations:
    """Replaces the process that compares; a comparison waits until `go`."""

    def __init__(self) -> None:
        self.started, self.go, self.rested = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.compared = 0

    async def vary(self, *_photo: object) -> Varied:
        self.started.set()
        await self.go.wait()
        self.compared += 1
        return Varied(b"content", 1)

    async def learn(self, *_photos: object) -> Learned:
        return Learned([], None)

    async def rest(self) -> None:
        self.rested.set()

    def is_busy(self, _session: object) -> bool:
        return False


@pytest.fixture
def one_passed_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other domains know one item, which was passed."""
    place = Place("i", "r", "image", "reference", "sha", "cid", None, ALL)
    monkeypatch.setattr(comparisons, "find_place", lambda _session, _item_id: place)
    monkeypatch.setattr(comparisons, "decided_item_ids", lambda _session, _items, _records: ["i"])
    monkeypatch.setattr(regions, "item_ids_at_place", lambda _session, _place, _since, _until: ["i"])
    monkeypatch.setattr(regions, "share_at_place", lambda _place, _region: 1.0)
    monkeypatch.setattr(regions, "item_facts", lambda _session, _ids: [item(verdict())])


@pytest.mark.usefixtures("one_passed_item")
async def test_a_lease_is_renewed_while_a_photo_is_compared(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    monkeypatch.setattr(waiting, "RENEW_INTERVAL", dt.timedelta(0))
    played, loop = FakeVariations(), asyncio.get_running_loop()
    renewed, renew = asyncio.Event(), waiting.renew

    def renew_and_signal(session: Any, take_item: LeasedItem) -> None:
        renew(session, take_item)
        loop.call_soon_threadsafe(renewed.set)

    monkeypatch.setattr(waiting, "renew", renew_and_signal)
    comparing = Comparisons(database, cast(Variations, played))
    await comparing.start()
    try:
        await asyncio.wait_for(renewed.wait(), 60)
        played.go.set()
        await asyncio.wait_for(played.rested.wait(), 60)
        assert played.compared == 1
        assert await database.read(lambda session: session.execute(select(WAITING)).all()) == []
    finally:
        await comparing.stop()


@pytest.mark.usefixtures("one_passed_item")
async def test_comparisons_stop_if_the_item_in_work_cannot_be_released(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    played = FakeVariations()
    comparing = Comparisons(database, cast(Variations, played))
    await comparing.start()
    await asyncio.wait_for(played.started.wait(), 60)

    def refuse(*_arguments: object) -> None:
        raise OperationalError("nothing", None, Exception("locked"))

    monkeypatch.setattr(waiting, "release", refuse)
    await asyncio.wait_for(comparing.stop(), 4)


@pytest.mark.usefixtures("one_passed_item")
@pytest.mark.postgresql
@pytest.mark.parametrize("database_kind", ["postgresql"])
async def test_one_of_two_services_continues_after_the_other_is_killed(
    database: Database, database_url: str, clock: Clock
) -> None:
    database.write_now(lambda session: waiting.add_items(session, ["i"]))
    # What a process does before it is killed.
    assert take_item(database) is not None

    other, played = Database(database_url), FakeVariations()
    played.go.set()
    comparing = Comparisons(other, cast(Variations, played))
    await comparing.start()
    try:
        assert take_item(other) is None
        assert not played.started.is_set()
        clock.later(61)
        comparing.look_now()
        await asyncio.wait_for(played.started.wait(), 60)
        await asyncio.wait_for(played.rested.wait(), 60)
    finally:
        await comparing.stop()
        other.close()
    assert database.read_now(lambda session: session.execute(select(WAITING)).all()) == []
    (row,) = database.read_now(lambda session: session.execute(select(VARIATION)).all())
    assert (row.item_id, row.content) == ("i", b"content")
