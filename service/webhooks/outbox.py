"""The outbox: stores deliveries as rows together with the change they report, and leases them to senders.

The transaction that finishes the record or sets the verdict also writes the row, so a row exists exactly if
that transaction was committed. If several processes use one PostgreSQL, one process at a time holds the lease
of a delivery. If a process dies after the request and before `finish`, the delivery is sent again (at least
once).
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, exists, func, insert, or_, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import now
from service.inspection.tables import EDITION, ITEM, RECORD
from service.webhooks.rules import LONGEST_WAIT, Outcome, message, retry_wait
from service.webhooks.tables import DeliveryRow, WebhookRow
from shared.record.codes import Verdict
from shared.wire.webhooks import DeliveryState, WebhookEvent, WebhookState

LEASE: Final = dt.timedelta(seconds=60)
"""Longer than an attempt lasts (`sending.ATTEMPT_SECONDS`) with the waits for the database around it."""
_CLOCK_TOLERANCE: Final = dt.timedelta(minutes=5)
"""How far the clocks of the services on one database may differ. A longer lease was written before the clock
was set back."""
KEEP_FOR: Final = dt.timedelta(days=30)
"""How long ended deliveries, and those that wait for a paused webhook, are kept."""
_IMPLAUSIBLE_WAIT: Final = 2 * LONGEST_WAIT
"""Longer than any wait: a later `next_attempt_at` was written before the clock was set back."""

WEBHOOK = WebhookRow.__table__
DELIVERY = DeliveryRow.__table__

_STATE = DELIVERY.c.state
_IS_PENDING = _STATE == DeliveryState.PENDING
_WEBHOOK_IS_ACTIVE = WEBHOOK.c.state == WebhookState.ACTIVE


ACTIONS: Final = frozenset({"seal", "release", "update"})
"""The actions of the changes that webhooks may be notified of."""


class Attempt(NamedTuple):
    """A delivery that this process has leased and sends now."""

    delivery_id: str
    webhook_id: str
    url: str
    sealed_secret: bytes
    body: bytes


def new_delivery_id() -> str:
    """Return a new delivery id in the form that Standard Webhooks proposes."""
    return f"msg_{secrets.token_hex(16)}"


class Outbox:
    """Writes, takes and ends deliveries, each inside the caller's transaction."""

    def before_commit(self, session: Session, changes: Sequence[ObjectChange]) -> None:
        """Write the deliveries of `changes`; a listener of the database."""
        for change, event in webhook_events(changes):
            listeners = [row for row in session.execute(select(WEBHOOK)) if str(event) in row.events.split()]
            if not listeners:
                continue
            data = self._event_data(session, change, event)
            if data is None:
                continue
            moment = now()
            body = message(event, moment, data)
            for row in listeners:
                session.execute(
                    insert(DELIVERY).values(_new_row(row.webhook_id, event, change.object_id, body, moment))
                )

    def _event_data(
        self, session: Session, change: ObjectChange, event: WebhookEvent
    ) -> dict[str, Any] | None:
        object_id = change.object_id or ""
        if event is WebhookEvent.ITEM_FAILED:
            place = item_facts(session, object_id)
            if place is None:
                return None
            return {
                "item_id": object_id,
                "inspection_id": place.inspection_id,
                "task_id": place.task_id,
                "by": change.actor,
            }
        edition = int(change.details["edition"])
        facts = edition_facts(session, object_id, edition)
        if facts is None:
            return None
        return {
            "inspection_id": object_id,
            "task_id": facts.task_id,
            "edition": edition,
            "seal": change.details["seal"],
            "outcome": facts.outcome,
            "items": {"total": facts.total, "passed": facts.passed, "failed": facts.failed},
            "needs_release": facts.needs_release,
            "by": change.actor,
        }

    @staticmethod
    def take(session: Session) -> Attempt | None:
        """Lease the delivery that has been due longest; return None if none is due.

        A webhook gets one delivery at a time, so a receiver that does not answer delays only its own
        deliveries.
        """
        moment = now()
        other_delivery = DELIVERY.alias("other")
        webhook_is_busy = exists().where(
            other_delivery.c.webhook_id == DELIVERY.c.webhook_id,
            _is_leased(other_delivery.c.leased_until, moment),
        )
        query = (
            select(DELIVERY, WEBHOOK.c.url, WEBHOOK.c.secret)
            .join(WEBHOOK, WEBHOOK.c.webhook_id == DELIVERY.c.webhook_id)
            # PostgreSQL evaluates `webhook_is_busy` on the rows as they were when the query began. If another
            # process has changed the row since then, only the conditions on the row itself are checked again.
            .where(
                _IS_PENDING,
                _WEBHOOK_IS_ACTIVE,
                _is_due(moment),
                ~_is_leased(DELIVERY.c.leased_until, moment),
                ~webhook_is_busy.correlate(DELIVERY),
            )
            .order_by(DELIVERY.c.next_attempt_at, DELIVERY.c.delivery_id)
            .limit(1)
            .with_for_update(of=DELIVERY, skip_locked=True)
        )
        row = session.execute(query).one_or_none()
        if row is None:
            return None
        session.execute(_update_delivery(row.delivery_id).values(leased_until=moment + LEASE))
        return Attempt(row.delivery_id, row.webhook_id, row.url, row.secret, row.payload.encode())

    @staticmethod
    def add_test(session: Session, webhook_id: str, event: str) -> str:
        """Write a delivery that the caller sends at once and nobody retries; return its id."""
        moment = now()
        values = _new_row(webhook_id, event, None, message(event, moment, {"webhook_id": webhook_id}), moment)
        session.execute(
            insert(DELIVERY).values(**{**values, "state": str(DeliveryState.FAILED), "next_attempt_at": None})
        )
        return str(values["delivery_id"])

    @staticmethod
    def finish_test(session: Session, delivery_id: str, outcome: Outcome) -> None:
        """Store the outcome of a test."""
        state = DeliveryState.DELIVERED if outcome.error is None else DeliveryState.FAILED
        session.execute(_update_delivery(delivery_id).values(state=str(state), **_attempt_values(outcome)))

    @staticmethod
    def finish(session: Session, attempt: Attempt, outcome: Outcome, chance: float) -> bool:
        """Store the outcome of an attempt, and pause the webhook after a day without a success.

        Returns True if this attempt paused the webhook.
        """
        row = session.execute(
            select(DELIVERY, WEBHOOK.c.last_success_at, WEBHOOK.c.failures)
            .join(WEBHOOK, WEBHOOK.c.webhook_id == DELIVERY.c.webhook_id)
            .where(DELIVERY.c.delivery_id == attempt.delivery_id, _IS_PENDING)
            .with_for_update()
        ).one_or_none()
        if row is None:
            # The webhook was deleted, or another process ended this delivery.
            return False
        webhook_update = update(WEBHOOK).where(WEBHOOK.c.webhook_id == attempt.webhook_id)
        delivery_update = _update_delivery(attempt.delivery_id)
        if outcome.error is None:
            end_values = {"state": str(DeliveryState.DELIVERED), "next_attempt_at": None}
            session.execute(delivery_update.values(**end_values, **_attempt_values(outcome)))
            session.execute(webhook_update.values(failures=0, last_success_at=now()))
            return False
        session.execute(webhook_update.values(failures=WEBHOOK.c.failures + 1))
        wait = retry_wait(row.attempts + 1, chance)
        if wait is not None:
            session.execute(delivery_update.values(next_attempt_at=now() + wait, **_attempt_values(outcome)))
        elif row.last_success_at is not None and row.last_success_at > row.created_at:
            # Other deliveries succeed, so the receiver refuses only this one.
            end_values = {"state": str(DeliveryState.FAILED), "next_attempt_at": None}
            session.execute(delivery_update.values(**end_values, **_attempt_values(outcome)))
        else:
            session.execute(delivery_update.values(next_attempt_at=now(), **_attempt_values(outcome)))
            session.execute(webhook_update.values(state=str(WebhookState.FAILING), updated_at=now()))
            details = {"failures": row.failures + 1}
            announce(session, ObjectChange("pause", "webhook", attempt.webhook_id, details=details))
            return True
        return False

    @staticmethod
    def resume(session: Session, webhook_id: str) -> None:
        """Make the pending deliveries of a webhook due now, with all attempts left."""
        session.execute(
            update(DELIVERY)
            .where(DELIVERY.c.webhook_id == webhook_id, _IS_PENDING)
            .values(attempts=0, next_attempt_at=now())
        )
        session.execute(update(WEBHOOK).where(WEBHOOK.c.webhook_id == webhook_id).values(failures=0))

    @staticmethod
    def release_all(session: Session) -> None:
        """Release every lease, at the start of the only process on a SQLite file."""
        session.execute(
            update(DELIVERY).where(DELIVERY.c.leased_until.is_not(None)).values(leased_until=None)
        )

    @staticmethod
    def seconds_to_next(session: Session) -> float | None:
        """Return the seconds until the next delivery is due: 0 if one is due now, None if none is pending."""
        moment = now()
        next_at: dt.datetime | None = session.scalar(
            select(func.min(DELIVERY.c.next_attempt_at))
            .join(WEBHOOK, WEBHOOK.c.webhook_id == DELIVERY.c.webhook_id)
            .where(_IS_PENDING, _WEBHOOK_IS_ACTIVE)
        )
        if next_at is None:
            return None
        seconds = (next_at - moment).total_seconds()
        return 0.0 if seconds > _IMPLAUSIBLE_WAIT.total_seconds() else max(0.0, seconds)

    @staticmethod
    def prune(session: Session) -> None:
        """Delete the deliveries that were created more than `KEEP_FOR` ago."""
        session.execute(delete(DELIVERY).where(DELIVERY.c.created_at < now() - KEEP_FOR))


def webhook_events(changes: Sequence[ObjectChange]) -> Iterator[tuple[ObjectChange, WebhookEvent]]:
    """Yield each change that webhooks are notified of, with its event."""
    for change in changes:
        if change.kind == "record" and change.action == "seal":
            yield change, WebhookEvent.RECORD_SEALED
        elif change.kind == "record" and change.action == "release":
            yield change, WebhookEvent.RECORD_RELEASED
        elif change.kind == "item" and change.action == "update":
            verdict = change.details.get("verdict")
            if verdict is not None and verdict["new"] == Verdict.FAILED:
                yield change, WebhookEvent.ITEM_FAILED


def _new_row(
    webhook_id: str, event: WebhookEvent | str, object_id: str | None, body: str, moment: dt.datetime
) -> dict[str, Any]:
    return {
        "delivery_id": new_delivery_id(),
        "webhook_id": webhook_id,
        "event": str(event),
        "object_id": object_id,
        "payload": body,
        "state": str(DeliveryState.PENDING),
        "attempts": 0,
        "created_at": moment,
        "next_attempt_at": moment,
    }


def _update_delivery(delivery_id: str) -> Any:
    return update(DELIVERY).where(DELIVERY.c.delivery_id == delivery_id)


def _attempt_values(outcome: Outcome) -> dict[str, Any]:
    return {
        "attempts": DELIVERY.c.attempts + 1,
        "status": outcome.status,
        "error": None if outcome.error is None else str(outcome.error),
        "last_attempt_at": now(),
        "leased_until": None,
    }


def _is_due(moment: dt.datetime) -> ColumnElement[bool]:
    column = DELIVERY.c.next_attempt_at
    return or_(column <= moment, column > moment + _IMPLAUSIBLE_WAIT)


def _is_leased(column: ColumnElement[Any], moment: dt.datetime) -> ColumnElement[bool]:
    # The check for null makes the negation true for a row without a lease.
    return and_(column.is_not(None), column > moment, column <= moment + LEASE + _CLOCK_TOLERANCE)


class EditionFacts(NamedTuple):
    """The facts about an edition in a message. `total`, `passed` and `failed` count items."""

    task_id: str
    outcome: str
    needs_release: bool
    total: int
    passed: int
    failed: int


class ItemFacts(NamedTuple):
    """The facts about an item in a message: the record and the task it belongs to."""

    inspection_id: str
    task_id: str


def edition_facts(session: Session, inspection_id: str, edition: int) -> EditionFacts | None:
    """An edition with the verdicts of its record's items; None if there is no such edition.

    The verdicts are the record's current ones. They are the edition's, because a sealed record cannot change.
    """
    row = session.execute(
        select(RECORD.c.task_id, EDITION.c.outcome, EDITION.c.needs_release)
        .join(RECORD, RECORD.c.inspection_id == EDITION.c.inspection_id)
        .where(EDITION.c.inspection_id == inspection_id, EDITION.c.edition == edition)
    ).one_or_none()
    if row is None:
        return None
    verdicts = session.execute(
        select(ITEM.c.verdict, func.count().label("items"))
        .where(ITEM.c.inspection_id == inspection_id)
        .group_by(ITEM.c.verdict)
    )
    counts: dict[str, int] = {row.verdict: row.items for row in verdicts}
    return EditionFacts(
        row.task_id,
        row.outcome,
        row.needs_release,
        sum(counts.values()),
        counts.get(Verdict.PASSED, 0),
        counts.get(Verdict.FAILED, 0),
    )


def item_facts(session: Session, item_id: str) -> ItemFacts | None:
    """The record and the task of an item; None if the item was deleted."""
    row = session.execute(
        select(ITEM.c.inspection_id, RECORD.c.task_id)
        .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
        .where(ITEM.c.item_id == item_id)
    ).one_or_none()
    return None if row is None else ItemFacts(row.inspection_id, row.task_id)
