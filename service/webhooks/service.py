"""Implements the use cases of webhooks for the routes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import delete, func, insert, select, update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.settings import Settings
from service.web.envelope import Problem, invalid
from service.web.security import Caller
from service.webhooks.delivering import Deliverer
from service.webhooks.outbox import DELIVERY, WEBHOOK, Attempt, Outbox
from service.webhooks.rules import AddressFaultError, SecretBox, check_url, new_secret
from shared.ids import new_id
from shared.record.codes import ErrorCode
from shared.wire.webhooks import (
    LISTED_DELIVERIES,
    MAX_WEBHOOKS,
    TEST_EVENT,
    Delivery,
    DeliveryState,
    NewWebhook,
    Webhook,
    WebhookCreate,
    WebhookEvent,
    WebhookState,
    WebhookUpdate,
)

_PENDING_DELIVERIES = (
    select(func.count())
    .where(DELIVERY.c.webhook_id == WEBHOOK.c.webhook_id, DELIVERY.c.state == DeliveryState.PENDING)
    .correlate(WEBHOOK)
    .scalar_subquery()
    .label("waiting")
)
_WEBHOOKS = select(WEBHOOK, _PENDING_DELIVERIES).order_by(WEBHOOK.c.created_at, WEBHOOK.c.webhook_id)


class WebhookService:
    """The webhooks of one database; deliveries are sent between `start` and `stop`.

    `outbox` and `deliverer` listen to changes, see `app.py`.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._allowed_networks = settings.webhook_allowed_networks
        self._box = SecretBox(settings.load_signing_secret())
        self.outbox = Outbox()
        self.deliverer = Deliverer(database, self.outbox, self._box, self._allowed_networks)

    async def start(self) -> None:
        """Start sending deliveries."""
        await self.deliverer.start()

    async def stop(self) -> None:
        """Stop sending deliveries. An interrupted delivery is sent again later."""
        await self.deliverer.stop()

    async def list_all(self) -> list[Webhook]:
        """Return every webhook, oldest first."""
        return await self._database.read(
            lambda session: [Webhook(**_webhook_fields(row)) for row in session.execute(_WEBHOOKS)]
        )

    async def create(self, body: WebhookCreate, caller: Caller) -> NewWebhook:
        """Add a webhook.

        Raises Problem 422 if its address is refused, 409 if there are too many webhooks.
        """
        webhook_id, secret, moment = new_id(), new_secret(), now()
        values = {
            "webhook_id": webhook_id,
            "name": body.name,
            "url": self._check_url(body.url),
            "events": _join_events(body.events),
            "secret": self._box.seal(webhook_id, secret),
            "state": str(WebhookState.ACTIVE),
            "failures": 0,
            "created_at": moment,
            "updated_at": moment,
        }

        def work(session: Session) -> NewWebhook:
            if (session.scalar(select(func.count()).select_from(WEBHOOK)) or 0) >= MAX_WEBHOOKS:
                raise Problem(409, ErrorCode.CONFLICT, "Webhook 数量已达上限，请先删除不再使用的 Webhook")
            session.execute(insert(WEBHOOK).values(values))
            _announce(session, "create", webhook_id, caller, _audit_details(values))
            return NewWebhook(**_webhook_fields(_get_row(session, webhook_id)), secret=secret)

        return await self._database.write(work)

    async def update(self, webhook_id: str, body: WebhookUpdate, caller: Caller) -> Webhook:
        """Change the fields that the body contains.

        Raises Problem 404 for an unknown webhook, 422 if its address is refused.
        """
        fields = body.model_dump(exclude_unset=True)
        values: dict[str, Any] = {name: fields[name] for name in ("name",) if name in fields}
        if body.url is not None:
            values["url"] = self._check_url(body.url)
        if body.events is not None:
            values["events"] = _join_events(body.events)
        if body.paused is not None:
            values["state"] = str(WebhookState.PAUSED if body.paused else WebhookState.ACTIVE)

        def work(session: Session) -> Webhook:
            row = _get_row(session, webhook_id)._mapping
            changes = {name: value for name, value in values.items() if row[name] != value}
            if changes:
                statement = update(WEBHOOK).where(WEBHOOK.c.webhook_id == webhook_id)
                session.execute(statement.values(**changes, updated_at=now()))
                _announce(session, "update", webhook_id, caller, _audit_details(changes))
            if changes.get("state") == WebhookState.ACTIVE:
                self.outbox.resume(session, webhook_id)
            return Webhook(**_webhook_fields(_get_row(session, webhook_id)))

        webhook = await self._database.write(work)
        self.deliverer.look_now()
        return webhook

    async def delete(self, webhook_id: str, caller: Caller) -> None:
        """Delete a webhook with its deliveries. Raises Problem 404."""

        def work(session: Session) -> None:
            row = _get_row(session, webhook_id)
            session.execute(delete(WEBHOOK).where(WEBHOOK.c.webhook_id == webhook_id))
            _announce(session, "delete", webhook_id, caller, {"name": row.name})

        await self._database.write(work)

    async def test(self, webhook_id: str, caller: Caller) -> Delivery:
        """Send a test now, also to a paused webhook, and return its delivery. Raises Problem 404."""

        def begin(session: Session) -> Attempt:
            row = _get_row(session, webhook_id)
            delivery_id = self.outbox.add_test(session, webhook_id, TEST_EVENT)
            payload = session.scalar(select(DELIVERY.c.payload).where(DELIVERY.c.delivery_id == delivery_id))
            assert payload is not None
            _announce(session, "test", webhook_id, caller, {"name": row.name})
            return Attempt(delivery_id, webhook_id, row.url, row.secret, payload.encode())

        attempt = await self._database.write(begin)
        outcome = await self.deliverer.send_attempt(attempt)

        def end(session: Session) -> Delivery:
            self.outbox.finish_test(session, attempt.delivery_id, outcome)
            query = select(DELIVERY).where(DELIVERY.c.delivery_id == attempt.delivery_id)
            row = session.execute(query).one_or_none()
            if row is None:
                raise _not_found()
            return _to_delivery(row)

        return await self._database.write(end)

    async def deliveries(self, webhook_id: str) -> list[Delivery]:
        """Return the last deliveries of a webhook, newest first. Raises Problem 404."""

        def work(session: Session) -> list[Delivery]:
            _get_row(session, webhook_id)
            newest = (
                select(DELIVERY)
                .where(DELIVERY.c.webhook_id == webhook_id)
                .order_by(DELIVERY.c.created_at.desc(), DELIVERY.c.delivery_id.desc())
                .limit(LISTED_DELIVERIES)
            )
            return [_to_delivery(row) for row in session.execute(newest)]

        return await self._database.read(work)

    def _check_url(self, url: str) -> str:
        try:
            return check_url(url, self._allowed_networks)
        except AddressFaultError as fault:
            raise invalid("url", "address", str(fault)) from None


def _not_found() -> Problem:
    return Problem(404, ErrorCode.NOT_FOUND, "Webhook 不存在，请刷新列表")


def _get_row(session: Session, webhook_id: str) -> Any:
    row = session.execute(_WEBHOOKS.where(WEBHOOK.c.webhook_id == webhook_id)).one_or_none()
    if row is None:
        raise _not_found()
    return row


def _join_events(events: list[WebhookEvent]) -> str:
    return " ".join(str(event) for event in WebhookEvent if event in events)


def _webhook_fields(row: Any) -> dict[str, Any]:
    columns = {name: value for name, value in row._mapping.items() if name != "secret"}
    return {**columns, "events": row.events.split()}


def _to_delivery(row: Any) -> Delivery:
    return Delivery(**{name: row._mapping[name] for name in Delivery.model_fields})


def _announce(
    session: Session, action: str, webhook_id: str, caller: Caller, details: dict[str, Any]
) -> None:
    change = ObjectChange(action, "webhook", webhook_id, caller.user_id, caller.address, details)
    announce(session, change)


def _audit_details(values: dict[str, Any]) -> dict[str, Any]:
    """Return the details for the audit log: only the host of the address, as the rest may hold a token."""
    details: dict[str, Any] = {}
    if "name" in values:
        details["name"] = values["name"]
    if "url" in values:
        details["address"] = urlsplit(values["url"]).netloc
    if "events" in values:
        details["events"] = values["events"].split()
    if "state" in values:
        details["paused"] = values["state"] != WebhookState.ACTIVE
    return details
