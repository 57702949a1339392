"""Names the events, states and failures of webhooks in the current language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from shared.wire.webhooks import (
    TEST_EVENT,
    Delivery,
    DeliveryError,
    DeliveryState,
    Webhook,
    WebhookEvent,
    WebhookState,
)


def event_word(event: str) -> str:
    """The word for an event; the code if it is unknown."""
    translate = QCoreApplication.translate
    labels: dict[str, str] = {
        WebhookEvent.RECORD_SEALED: translate("Webhooks", "Record finished"),
        WebhookEvent.RECORD_RELEASED: translate("Webhooks", "Record reviewed"),
        WebhookEvent.ITEM_FAILED: translate("Webhooks", "Item failed"),
        TEST_EVENT: translate("Webhooks", "Test"),
    }
    return labels.get(event, event)


def event_meaning(event: WebhookEvent) -> str:
    """When a webhook is notified of an event, on one line."""
    translate = QCoreApplication.translate
    return {
        WebhookEvent.RECORD_SEALED: translate("Webhooks", "Every item is decided and the record is sealed."),
        WebhookEvent.RECORD_RELEASED: translate("Webhooks", "A second person reviewed the record."),
        WebhookEvent.ITEM_FAILED: translate("Webhooks", "An item was failed."),
    }[event]


def state_word(webhook: Webhook) -> str:
    """The word for the state of a webhook."""
    translate = QCoreApplication.translate
    return {
        WebhookState.ACTIVE: translate("Webhooks", "Active"),
        WebhookState.PAUSED: translate("Webhooks", "Paused"),
        WebhookState.FAILING: translate("Webhooks", "Paused after failures"),
    }[webhook.state]


def delivery_word(delivery: Delivery) -> str:
    """The word for the state of a delivery."""
    translate = QCoreApplication.translate
    if delivery.state is DeliveryState.PENDING and delivery.attempts:
        return translate("Webhooks", "Waiting to retry")
    return {
        DeliveryState.PENDING: translate("Webhooks", "Waiting"),
        DeliveryState.DELIVERED: translate("Webhooks", "Delivered"),
        DeliveryState.FAILED: translate("Webhooks", "Failed"),
    }[delivery.state]


def reason_sentence(delivery: Delivery) -> str:
    """The outcome of the last attempt and what to do; empty before the first attempt."""
    translate = QCoreApplication.translate
    if not delivery.attempts:
        return ""
    if delivery.error is None:
        return translate("Webhooks", "The receiver answered {status}.").format(status=delivery.status)
    return {
        DeliveryError.NOT_RESOLVED: translate("Webhooks", "The host name is unknown. Check the address."),
        DeliveryError.ADDRESS_REFUSED: translate(
            "Webhooks",
            "The host is on the server or an internal network. The service's settings do not allow it.",
        ),
        DeliveryError.NOT_CONNECTED: translate(
            "Webhooks", "Cannot connect. Check that the receiver is running."
        ),
        DeliveryError.TLS_FAILED: translate(
            "Webhooks", "The receiver's certificate is not valid. Replace the certificate."
        ),
        DeliveryError.TOO_SLOW: translate(
            "Webhooks", "The receiver did not answer in time. It should answer before it processes the event."
        ),
        DeliveryError.REDIRECTED: translate(
            "Webhooks", "The receiver redirects to another address. Enter that address."
        ),
        DeliveryError.STATUS: translate(
            "Webhooks", "The receiver answered {status}. Check the receiver."
        ).format(status=delivery.status),
        DeliveryError.BAD_ANSWER: translate(
            "Webhooks", "The receiver did not send an HTTP response. Check the address."
        ),
        DeliveryError.SECRET_UNREADABLE: translate(
            "Webhooks", "The secret cannot be read on this server. Delete the webhook and create it again."
        ),
    }[delivery.error]
