"""Tests that deliveries are written with the change, taken once, repeated and ended, on both databases."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import insert, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.webhooks import outbox as outbox_module
from service.webhooks.outbox import (
    DELIVERY,
    KEEP_FOR,
    LEASE,
    WEBHOOK,
    Attempt,
    EditionFacts,
    ItemFacts,
    Outbox,
)
from service.webhooks.rules import MAX_ATTEMPTS, Outcome
from shared.wire.webhooks import DeliveryError

SUCCESS = Outcome(200, None)
FAILURE = Outcome(503, DeliveryError.STATUS)
SEALED = ObjectChange("seal", "record", "r1", "u1", None, {"edition": 2, "seal": "ab", "outcome": "failed"})


def item_decided(verdict: str) -> ObjectChange:
    return ObjectChange("update", "item", "i1", "u1", None, {"verdict": {"old": "undecided", "new": verdict}})


pytestmark = pytest.mark.both_databases


class OutboxSetup:
    """An outbox on a database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.outbox = Outbox()
        database.before_commit.append(self.outbox.before_commit)

    def write(self, work: Callable[[Session], Any]) -> Any:
        return self.database.write_now(work)

    def add(self, webhook_id: str, *events: str, state: str = "active") -> None:
        values = {
            "webhook_id": webhook_id,
            "name": webhook_id,
            "url": "https://webhook.invalid/",
            "events": " ".join(events),
            "secret": b"sealed",
            "state": state,
            "failures": 0,
            "created_at": now(),
            "updated_at": now(),
        }
        self.write(lambda session: session.execute(insert(WEBHOOK).values(values)))

    def change(self, *changes: ObjectChange) -> None:
        def work(session: Session) -> None:
            for change in changes:
                announce(session, change)

        self.write(work)

    def take(self) -> Attempt | None:
        attempt: Attempt | None = self.write(self.outbox.take)
        return attempt

    def take_due(self) -> Attempt:
        attempt = self.take()
        assert attempt is not None
        return attempt

    def finish(self, attempt: Attempt, outcome: Outcome) -> None:
        self.write(lambda session: self.outbox.finish(session, attempt, outcome, 0.5))

    def rows(self) -> list[Any]:
        return self.database.read_now(
            lambda session: list(session.execute(select(DELIVERY).order_by(DELIVERY.c.created_at)))
        )

    def row(self) -> Any:
        (row,) = self.rows()
        return row

    def webhook(self) -> Any:
        return self.database.read_now(lambda session: session.execute(select(WEBHOOK)).one())

    def update_deliveries(self, **values: Any) -> None:
        self.write(lambda session: session.execute(update(DELIVERY).values(**values)))

    def due(self) -> None:
        self.update_deliveries(next_attempt_at=now())

    def fail_until_last(self) -> None:
        for _ in range(MAX_ATTEMPTS):
            self.due()
            self.finish(self.take_due(), FAILURE)


@pytest.fixture
def outbox(database: Database, monkeypatch: pytest.MonkeyPatch) -> OutboxSetup:
    """An outbox that knows edition 2 of the record r1 and its item i1."""
    editions = {("r1", 2): EditionFacts("t1", "failed", True, 3, 2, 1)}
    items = {"i1": ItemFacts("r1", "t1")}
    monkeypatch.setattr(
        outbox_module, "edition_facts", lambda _session, record, edition: editions.get((record, edition))
    )
    monkeypatch.setattr(outbox_module, "item_facts", lambda _session, item: items.get(item))
    return OutboxSetup(database)


def test_delivery_is_written_for_each_webhook_of_the_event(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed", "item.failed")
    outbox.add("b", "record.released")
    outbox.add("c", "record.sealed", state="paused")
    outbox.change(SEALED)
    assert sorted(row.webhook_id for row in outbox.rows()) == ["a", "c"]
    message = json.loads(outbox.rows()[0].payload)
    assert message["type"] == "record.sealed"
    assert message["data"] == {
        "inspection_id": "r1",
        "task_id": "t1",
        "edition": 2,
        "seal": "ab",
        "outcome": "failed",
        "items": {"total": 3, "passed": 2, "failed": 1},
        "needs_release": True,
        "by": "u1",
    }


def test_other_changes_and_missing_webhooks_write_no_delivery(outbox: OutboxSetup) -> None:
    outbox.change(SEALED)
    outbox.add("a", "record.sealed", "record.released", "item.failed")
    outbox.change(
        item_decided("passed"),
        ObjectChange("update", "item", "i1", "u1", None, {"item_name": {"old": "a", "new": "failed"}}),
        ObjectChange("seal", "record", "gone", "u1", None, {"edition": 2, "seal": "x"}),
        ObjectChange("reopen", "record", "r1", "u1"),
    )
    assert outbox.rows() == []
    outbox.change(item_decided("failed"))
    assert json.loads(outbox.row().payload)["data"] == {
        "item_id": "i1",
        "inspection_id": "r1",
        "task_id": "t1",
        "by": "u1",
    }


def test_uncommitted_change_is_not_delivered(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")

    def refuse(_session: Session, _changes: object) -> None:
        raise RuntimeError("the last listener refuses")

    outbox.database.before_commit.append(refuse)
    with pytest.raises(RuntimeError):
        outbox.change(SEALED)
    assert outbox.rows() == []


def test_delivery_is_leased_once_until_its_lease_ends(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    first = outbox.take_due()
    assert outbox.take() is None
    outbox.update_deliveries(leased_until=now() - dt.timedelta(seconds=1))
    assert outbox.take_due().delivery_id == first.delivery_id


def test_webhook_gets_one_delivery_at_a_time(outbox: OutboxSetup) -> None:
    outbox.add("slow", "record.sealed")
    outbox.add("other", "item.failed")
    outbox.change(SEALED)
    outbox.change(SEALED)
    outbox.change(item_decided("failed"))
    assert outbox.take_due().webhook_id == "slow"
    second = outbox.take_due()
    assert second.webhook_id == "other"
    assert outbox.take() is None
    outbox.finish(second, SUCCESS)
    assert outbox.take() is None


def test_success_ends_a_delivery(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    outbox.finish(outbox.take_due(), FAILURE)
    assert outbox.webhook().failures == 1
    outbox.due()
    outbox.finish(outbox.take_due(), SUCCESS)
    row = outbox.row()
    assert (row.state, row.attempts, row.status, row.error) == ("delivered", 2, 200, None)
    assert (row.next_attempt_at, row.leased_until) == (None, None)
    assert outbox.webhook().failures == 0
    assert outbox.webhook().last_success_at is not None
    assert outbox.take() is None


def test_each_failure_makes_the_wait_longer(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    waits = []
    for _ in range(4):
        outbox.due()
        outbox.finish(outbox.take_due(), FAILURE)
        row = outbox.row()
        waits.append((row.next_attempt_at - row.last_attempt_at).total_seconds())
        assert outbox.take() is None
        seconds = outbox.database.read_now(outbox.outbox.seconds_to_next)
        assert seconds is not None
        assert 0 < seconds <= waits[-1]
    assert [round(wait) for wait in waits] == [5, 20, 80, 320]
    assert (outbox.row().state, outbox.row().status, outbox.row().error) == ("pending", 503, "status")


def test_webhook_without_a_success_for_a_day_is_paused_and_keeps_its_deliveries(outbox: OutboxSetup) -> None:
    announced: list[ObjectChange] = []
    outbox.database.after_commit.append(announced.extend)
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    outbox.fail_until_last()
    assert outbox.webhook().state == "failing"
    assert outbox.row().state == "pending"
    assert [(change.action, change.kind, change.details) for change in announced[-1:]] == [
        ("pause", "webhook", {"failures": MAX_ATTEMPTS})
    ]
    outbox.due()
    assert outbox.take() is None
    assert outbox.database.read_now(outbox.outbox.seconds_to_next) is None
    outbox.write(lambda session: outbox.outbox.resume(session, "a"))
    outbox.write(lambda session: session.execute(update(WEBHOOK).values(state="active")))
    assert outbox.row().attempts == 0
    outbox.finish(outbox.take_due(), SUCCESS)
    assert (outbox.row().state, outbox.webhook().failures) == ("delivered", 0)


def test_one_delivery_that_is_refused_ends_while_others_arrive(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    later = now() + dt.timedelta(hours=1)
    outbox.write(lambda session: session.execute(update(WEBHOOK).values(last_success_at=later)))
    outbox.fail_until_last()
    assert (outbox.row().state, outbox.row().next_attempt_at) == ("failed", None)
    assert outbox.webhook().state == "active"


def test_clock_that_was_set_back_delays_no_delivery(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    future = now() + dt.timedelta(days=400)
    outbox.update_deliveries(next_attempt_at=future, leased_until=future)
    assert outbox.database.read_now(outbox.outbox.seconds_to_next) == 0
    assert outbox.take() is not None


def test_attempt_that_ends_after_its_webhook_was_deleted_is_ignored(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    attempt = outbox.take_due()
    outbox.write(lambda session: session.execute(WEBHOOK.delete()))
    assert outbox.rows() == []
    outbox.finish(attempt, FAILURE)
    assert outbox.rows() == []


def test_old_deliveries_are_deleted(outbox: OutboxSetup) -> None:
    outbox.add("a", "record.sealed")
    outbox.change(SEALED)
    outbox.write(outbox.outbox.prune)
    assert len(outbox.rows()) == 1
    outbox.update_deliveries(created_at=now() - KEEP_FOR - dt.timedelta(minutes=1))
    outbox.write(outbox.outbox.prune)
    assert outbox.rows() == []


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_two_processes_never_take_the_same_delivery(outbox: OutboxSetup, database_url: str) -> None:
    for number in range(8):
        outbox.add(f"w{number}", "record.sealed")
    outbox.change(SEALED)
    other = Database(database_url)
    try:
        with Session(outbox.database.writer) as first_session, Session(other.writer) as second_session:
            # Neither has committed: each skips the rows that the other one has locked.
            first = [attempt for attempt in (outbox.outbox.take(first_session) for _ in range(4)) if attempt]
            second = [
                attempt for attempt in (outbox.outbox.take(second_session) for _ in range(4)) if attempt
            ]
            first_session.commit()
            second_session.commit()
    finally:
        other.close()
    ids = [attempt.delivery_id for attempt in (*first, *second)]
    assert len(ids) == len(set(ids)) == 8


def test_lease_is_longer_than_an_attempt() -> None:
    from service.webhooks.sending import ATTEMPT_SECONDS

    assert LEASE.total_seconds() >= 2 * ATTEMPT_SECONDS
