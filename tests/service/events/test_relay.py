"""Tests that changes reach the clients of every service process on one PostgreSQL database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from sqlmodel import Session as DatabaseSession

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.events.change_feed import ChangeFeed
from service.events.relay import CHANNEL, MAX_BYTES, ChangeNotice, Relay, change_notices
from shared.wire.events import ChangeEvent
from tests.service.waiting import wait_until


@pytest.fixture
def database_kind() -> str:
    return "postgresql"


class Process:
    """The parts of a service process that relay changes, with a separate database layer."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.change_feed = ChangeFeed()
        self.relay = Relay(self.database, self.change_feed)
        self.database.before_commit.append(self.relay.before_commit)
        self.database.after_commit.append(self.change_feed.after_commit)

    def change(self, *changes: ObjectChange) -> None:
        def work(session: DatabaseSession) -> None:
            for change in changes:
                announce(session, change)

        self.database.write_now(work)

    def position(self) -> int:
        return self.change_feed.events_after(0).position

    def wait_for_events(self, position: int, count: int) -> list[ChangeEvent]:
        wait_until(lambda: len(self.change_feed.events_after(position).events) >= count)
        return self.change_feed.events_after(position).events


@contextmanager
def start_process(url: str) -> Iterator[Process]:
    new = Process(url)
    new.relay.start()
    try:
        # It receives every change after the moment when it makes all readers reload.
        wait_until(lambda: new.change_feed.events_after(0).lost)
        yield new
    finally:
        new.relay.stop()
        new.database.close()


@pytest.fixture
def two_processes(database_url: str) -> Iterator[tuple[Process, Process]]:
    with start_process(database_url) as first, start_process(database_url) as other:
        yield first, other


pytestmark = pytest.mark.postgresql


def test_change_of_one_process_reaches_each_process_once(two_processes: tuple[Process, Process]) -> None:
    first, other = two_processes
    places = first.position(), other.position()
    first.change(ObjectChange("create", "record", "r1", "u1", "10.0.0.1", {"name": ["secret"]}))
    other.change(ObjectChange("update", "item", "i1", None))
    for side, position in zip(two_processes, places, strict=True):
        events = side.wait_for_events(position, 2)
        assert sorted((e.action, e.kind, e.object_id, e.actor) for e in events) == [
            ("create", "record", "r1", "u1"),
            ("update", "item", "i1", None),
        ]
        assert {e.id for e in events} == {
            side.change_feed.event_id(position + 1),
            side.change_feed.event_id(position + 2),
        }
    # Only the later change follows, so no change arrived twice.
    first.change(ObjectChange("last", "record"))
    for side, position in zip(two_processes, places, strict=True):
        assert [e.action for e in side.wait_for_events(position, 3)][2:] == ["last"]


def test_uncommitted_and_quiet_changes_are_not_relayed(two_processes: tuple[Process, Process]) -> None:
    first, other = two_processes
    position = other.position()

    def fail(session: DatabaseSession) -> None:
        announce(session, ObjectChange("create", "record", "lost"))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        first.database.write_now(fail)
    first.change(ObjectChange("login", "user", "u", audit_only=True))
    first.change(ObjectChange("create", "record", "kept"))
    assert [e.object_id for e in other.wait_for_events(position, 1)] == ["kept"]


def test_many_changes_of_one_transaction_arrive_in_order(two_processes: tuple[Process, Process]) -> None:
    first, other = two_processes
    position = other.position()
    names = [f"{number}-{'航' * 200}" for number in range(300)]
    first.change(*(ObjectChange("create", "item", name) for name in names))
    assert [e.object_id for e in other.wait_for_events(position, 300)] == names


def test_lost_connection_makes_every_client_reload(two_processes: tuple[Process, Process]) -> None:
    first, other = two_processes
    position = other.position()
    first.change(ObjectChange("create", "record", "before"))
    other.wait_for_events(position, 1)
    position = other.position()
    ended = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = :query")
    first.database.write_now(lambda session: session.execute(ended, {"query": f"LISTEN {CHANNEL}"}).all())
    wait_until(lambda: other.change_feed.events_after(position).lost)
    position = other.position()
    first.change(ObjectChange("create", "record", "after"))
    assert [e.object_id for e in other.wait_for_events(position, 1)] == ["after"]


@pytest.mark.parametrize("payload", ["", "{}", "no json", '{"origin": 1}'])
def test_notification_of_another_version_makes_clients_reload(
    two_processes: tuple[Process, Process], payload: str
) -> None:
    first, other = two_processes
    position = other.position()
    notification = text("SELECT pg_notify(:channel, :payload)")
    first.database.write_now(
        lambda session: session.execute(notification, {"channel": CHANNEL, "payload": payload}).all()
    )
    wait_until(lambda: other.change_feed.events_after(position).lost)


def test_notice_never_exceeds_the_limit_of_postgresql() -> None:
    changes = [ObjectChange("create", "item", f"{n}{'航' * 250}", "員" * 250) for n in range(40)]
    payloads = list(change_notices("0" * 16, changes))
    assert len(payloads) > 1
    assert max(len(note.encode()) for note in payloads) <= MAX_BYTES
    parsed = [change for note in payloads for change in ChangeNotice.model_validate_json(note).changes]
    assert [change[2] for change in parsed] == [change.object_id for change in changes]
    assert list(change_notices("o", [ObjectChange("login", "user", audit_only=True)])) == []
    assert json.loads(payloads[0])["at"].endswith("Z")
