"""Webhooks as an administrator configures them, with a real service and a real receiver."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop.context import Context
from desktop.pages.people import PeoplePage
from desktop.pages.people.details import detail_lines
from desktop.pages.people.webhooks.forms import SecretDialog, WebhookForm
from desktop.pages.people.webhooks.section import DeliveriesDialog
from desktop.pages.people.webhooks.terms import delivery_word, event_word, reason_sentence
from desktop.widgets import Button
from shared.wire.webhooks import (
    Delivery,
    DeliveryError,
    DeliveryState,
    WebhookCreate,
    WebhookEvent,
    WebhookUpdate,
)
from tests.desktop.children import child
from tests.desktop.pages.fake_service import open_administration
from tests.narrowing import not_none
from tests.service_process import create_first_admin, service_process
from tests.webhook_receiver import Receiver

ALL = list(WebhookEvent)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("webhooks") / "data"


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[str]:
    with service_process(folder, webhook_allowed_networks='["127.0.0.0/8"]') as url:
        create_first_admin(url)
        yield url


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(autouse=True)
def _none_left(context: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("desktop.pages.people.webhooks.section.confirm", lambda *_: True)
    monkeypatch.setattr("desktop.pages.common.forms.form.confirm", lambda *_: True)
    yield
    for webhook in context.session.webhooks.list():
        context.session.webhooks.delete(webhook.webhook_id)


def rows(page: PeoplePage) -> list[str]:
    return [webhook.name for webhook in page.webhooks.table.rows_model.rows()]


def cells(page: PeoplePage) -> list[str]:
    model = page.webhooks.table.rows_model
    return [model.index(0, column).data() for column in range(model.columnCount())]


def with_webhook(context: Context, qtbot: QtBot, url: str) -> PeoplePage:
    context.session.webhooks.create(WebhookCreate(name="值班", url=url, events=ALL))
    page = open_administration(context, qtbot, "webhooks")
    qtbot.waitUntil(lambda: rows(page) == ["值班"])
    page.webhooks.table.select_row(0)
    return page


def test_a_webhook_is_created_and_its_secret_shown_once(
    context: Context, qtbot: QtBot, receiver: Receiver
) -> None:
    page = open_administration(context, qtbot, "webhooks")
    page.webhooks.new.click()
    form = child(page.webhooks, WebhookForm)
    form.submit()
    assert form.fields["name"].error() == "Enter a name."
    form.fields["name"].set_text("值班")
    form.fields["url"].set_text("example.com")
    form.submit()
    assert form.fields["url"].error() == "Enter an address that begins with https://."
    form.fields["url"].set_text("https://10.0.0.7/")
    for box in form.events.boxes.values():
        box.click()
    form.submit()
    assert form.events.error() == "Select at least one event."
    form.events.boxes[WebhookEvent.ITEM_FAILED].click()
    form.submit()
    qtbot.waitUntil(lambda: "internal network" in form.fields["url"].error())
    form.fields["url"].set_text("HTTP" + receiver.url.removeprefix("http"))
    with qtbot.waitSignal(form.saved) as saved:
        form.submit()
    secret = saved.args[0].secret
    shown = child(page.webhooks, SecretDialog)
    assert shown.field.text() == secret
    assert shown.copy.isDefault()
    shown.copy.click()
    assert QGuiApplication.clipboard().text() == secret
    assert shown.copy.text() == "Copied"
    shown.accept()
    QGuiApplication.clipboard().clear()
    qtbot.waitUntil(lambda: rows(page) == ["值班"])
    assert cells(page)[1:4] == ["Item failed", "Active", "0"]


def test_a_test_is_sent_and_its_delivery_listed(context: Context, qtbot: QtBot, receiver: Receiver) -> None:
    page = with_webhook(context, qtbot, receiver.url)
    with qtbot.waitSignal(page.toast) as toast:
        page.webhooks.test.click()
    assert toast.args == ["The receiver answered 204."]
    receiver.status = 500
    qtbot.waitUntil(page.webhooks.test.isEnabled)
    with qtbot.waitSignal(page.toast) as toast:
        page.webhooks.test.click()
    assert toast.args == ["The receiver answered 500. Check the receiver."]
    page.webhooks.deliveries.click()
    dialog = child(page.webhooks, DeliveriesDialog)
    model = dialog.table.rows_model
    qtbot.waitUntil(lambda: model.rowCount() == 2)
    assert [model.index(row, 2).data() for row in range(2)] == ["Failed", "Delivered"]
    assert dialog.reason.text() == "The receiver answered 500. Check the receiver."
    dialog.table.select_row(1)
    assert dialog.reason.text() == "The receiver answered 204."
    context.session.webhooks.test(not_none(page.webhooks.selected_entry()).webhook_id)
    dialog.refresh.click()
    qtbot.waitUntil(lambda: model.rowCount() == 3)
    qtbot.waitUntil(lambda: dialog.focusWidget() is dialog.table)
    assert [button.text() for button in dialog.findChildren(Button) if button.isDefault()] == ["Close"]
    dialog.accept()


def test_commands_are_disabled_while_the_first_list_loads(
    context: Context, qtbot: QtBot, receiver: Receiver
) -> None:
    page = open_administration(context, qtbot, "webhooks")
    section = page.webhooks
    assert section.table.selected_row is None
    buttons = (section.edit, section.remove, section.pause, section.test, section.deliveries)
    assert [button.isEnabled() for button in buttons] == [False] * 5
    qtbot.waitUntil(lambda: section.stack.currentWidget() is not section.stack.content)


def test_the_audit_log_names_a_webhook_that_was_paused(
    context: Context, qtbot: QtBot, receiver: Receiver
) -> None:
    page = with_webhook(context, qtbot, receiver.url)
    page.webhooks.pause.click()
    qtbot.waitUntil(lambda: cells(page)[2] == "Paused")
    page.show_section("audit")
    model = page.audit.table.rows_model
    qtbot.waitUntil(lambda: model.rowCount() > 0 and model.index(0, 3).data() == "Modified")
    qtbot.waitUntil(lambda: model.index(0, 4).data() == "Webhook · 值班")


def test_a_webhook_is_paused_resumed_edited_and_deleted(
    context: Context, qtbot: QtBot, receiver: Receiver
) -> None:
    page = with_webhook(context, qtbot, receiver.url)
    section = page.webhooks
    assert section.pause.text() == "Pause"
    section.pause.click()
    qtbot.waitUntil(lambda: cells(page)[2] == "Paused")
    assert section.pause.text() == "Resume"
    section.pause.click()
    qtbot.waitUntil(lambda: cells(page)[2] == "Active")
    section.edit_selected()
    form = child(section, WebhookForm)
    assert (form.fields["name"].text(), form.fields["url"].text()) == ("值班", receiver.url)
    form.fields["name"].set_text("夜班")
    with qtbot.waitSignal(form.saved):
        form.submit()
    assert section.findChildren(SecretDialog) == []
    qtbot.waitUntil(lambda: rows(page) == ["夜班"])
    section.search.setText("白班")
    qtbot.waitUntil(lambda: section.stack.currentWidget() is not section.stack.content)
    section.search.clear()
    qtbot.waitUntil(lambda: rows(page) == ["夜班"])
    section.table.select_row(0)
    section.remove.click()
    qtbot.waitUntil(lambda: context.session.webhooks.list() == [])
    qtbot.waitUntil(lambda: section.stack.currentWidget() is not section.stack.content)


def test_pause_by_the_service_is_shown_until_it_is_resumed(
    context: Context, qtbot: QtBot, receiver: Receiver, folder: Path
) -> None:
    context.session.webhooks.create(WebhookCreate(name="值班", url=receiver.url, events=ALL))
    with sqlite3.connect(folder / "walkaround.db") as connection:
        connection.execute("UPDATE webhook SET state = 'failing', failures = 12")
    connection.close()
    page = open_administration(context, qtbot, "webhooks")
    qtbot.waitUntil(lambda: rows(page) == ["值班"])
    assert page.webhooks.banner.isVisible()
    assert page.webhooks.banner.text().startswith("1 webhook(s) paused")
    assert cells(page)[2] == "Paused after failures"
    page.webhooks.table.select_row(0)
    page.webhooks.pause.click()
    qtbot.waitUntil(lambda: cells(page)[2] == "Active")
    assert not page.webhooks.banner.isVisible()


def test_deleted_webhook_is_reported(context: Context, qtbot: QtBot, receiver: Receiver) -> None:
    page = with_webhook(context, qtbot, receiver.url)
    context.session.webhooks.delete(not_none(page.webhooks.selected_entry()).webhook_id)
    with qtbot.waitSignal(page.toast) as toast:
        page.webhooks.test.click()
    assert toast.args == ["This webhook no longer exists. Reload the list."]


def delivery(**changes: Any) -> Delivery:
    return Delivery.model_validate(
        {
            "delivery_id": "msg_1",
            "event": "item.failed",
            "object_id": "i",
            "state": "failed",
            "attempts": 1,
            "status": None,
            "error": None,
            "created_at": "2026-01-01T00:00:00Z",
            "last_attempt_at": None,
            "next_attempt_at": None,
            **changes,
        }
    )


@pytest.mark.parametrize("error", DeliveryError)
def test_every_failure_has_a_different_sentence(qtbot: QtBot, error: DeliveryError) -> None:
    sentences = {reason_sentence(delivery(error=code, status=500)) for code in DeliveryError}
    assert len(sentences) == len(DeliveryError)
    assert reason_sentence(delivery(error=error, status=500)).endswith(".")


def test_states_and_events_have_labels(qtbot: QtBot) -> None:
    assert delivery_word(delivery(state="pending", attempts=0)) == "Waiting"
    assert delivery_word(delivery(state="pending")) == "Waiting to retry"
    assert reason_sentence(delivery(state=DeliveryState.PENDING, attempts=0)) == ""
    assert event_word("webhook.test") == "Test"
    assert event_word("of.tomorrow") == "of.tomorrow"
    logged = {
        "name": "值班",
        "address": "a.example",
        "events": ["record.sealed", "item.failed"],
        "paused": True,
    }
    assert detail_lines(logged) == [
        "Name: 值班",
        "Address: a.example",
        "Events: Record finished, Item failed",
        "Paused: Yes",
    ]


def test_update_sends_only_set_fields() -> None:
    assert WebhookUpdate(paused=True).model_dump(exclude_unset=True) == {"paused": True}
