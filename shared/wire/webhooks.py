"""Bodies of webhooks: who is notified of what, and how each delivery went."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, StrictBool, StringConstraints

from shared.wire.common import ItemTime, NotNull, RequiredName, WireModel

MAX_WEBHOOKS: Final = 20
"""Webhooks of an installation. Each event is one request to each of them."""

LISTED_DELIVERIES: Final = 50
"""Deliveries in the list of the last ones."""

Address = Annotated[str, StringConstraints(min_length=1, max_length=2048, pattern=r"^https?://[^\s\x00]+$")]
"""An address in a request. The service checks it further."""


class WebhookEvent(StrEnum):
    """The events that a webhook can receive."""

    RECORD_SEALED = "record.sealed"
    """A record was finished: an edition seals it."""
    RECORD_RELEASED = "record.released"
    """A second person released an edition."""
    ITEM_FAILED = "item.failed"
    """The verdict of an item became failed."""


TEST_EVENT: Final = "webhook.test"
"""The event of a test delivery, which a user requests for a webhook."""


class WebhookState(StrEnum):
    """The state of a webhook."""

    ACTIVE = "active"
    PAUSED = "paused"
    """A person paused it."""
    FAILING = "failing"
    """The service paused it, after a day without a success."""


class DeliveryState(StrEnum):
    """The state of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class DeliveryError(StrEnum):
    """Why an attempt failed."""

    NOT_RESOLVED = "not_resolved"
    """The host name has no address."""
    ADDRESS_REFUSED = "address_refused"
    """The host is at an address that this service does not send to."""
    NOT_CONNECTED = "not_connected"
    """Nothing accepted the connection, or it was cut."""
    TLS_FAILED = "tls_failed"
    """The certificate is not valid for the host, or no TLS was spoken."""
    TOO_SLOW = "too_slow"
    """No answer in time."""
    REDIRECTED = "redirected"
    """The answer names another address; it is not followed."""
    STATUS = "status"
    """The answer has another status than 200 to 299."""
    BAD_ANSWER = "bad_answer"
    """The answer is not HTTP."""
    SECRET_UNREADABLE = "secret_unreadable"  # noqa: S105 - the name of a failure
    """The stored secret does not open with the key of this installation."""


Events = Annotated[list[WebhookEvent], Field(min_length=1, max_length=len(WebhookEvent))]


class WebhookCreate(WireModel):
    """Body of create webhook.

    The address is https, and its host must be on the internet unless private hosts are allowed.
    """

    name: RequiredName
    url: Address
    events: Events


class WebhookUpdate(WireModel):
    """Body of update webhook: the fields to change. `paused` false also ends the service's own pause."""

    name: Annotated[RequiredName | None, NotNull] = None
    url: Annotated[Address | None, NotNull] = None
    events: Annotated[Events | None, NotNull] = None
    paused: Annotated[StrictBool | None, NotNull] = None


class Webhook(WireModel):
    """A webhook without its secret. `failures` counts the failed attempts since the last success."""

    webhook_id: str
    name: str
    url: str
    events: list[WebhookEvent]
    state: WebhookState
    failures: int
    waiting: int
    """Deliveries that are still to be made."""
    last_success_at: ItemTime | None
    created_at: ItemTime
    updated_at: ItemTime


class NewWebhook(Webhook):
    """A webhook as its create answers it: the only answer that holds the secret."""

    secret: str


class Delivery(WireModel):
    """One event on its way to one webhook. `delivery_id` is the header `webhook-id` of every attempt.

    `object_id` names the record or the item. `status` is the HTTP status of the last attempt, where there was
    an answer, `error` why it failed. `next_attempt_at` is null once the delivery has ended.
    """

    delivery_id: str
    event: str
    object_id: str | None
    state: DeliveryState
    attempts: int
    status: int | None
    error: DeliveryError | None
    created_at: ItemTime
    last_attempt_at: ItemTime | None
    next_attempt_at: ItemTime | None
