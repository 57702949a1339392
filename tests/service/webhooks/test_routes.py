"""Tests the webhooks of the real application: answers, stored rows, deliveries and logs."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.settings import Settings
from service.webhooks.rules import signature
from tests.service.answers import read_data
from tests.webhook_receiver import ReceivedRequest, Receiver

EVENTS = ["record.sealed", "record.released", "item.failed"]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"webhook_allowed_networks": [ip_network("127.0.0.0/8")]})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def create_webhook(client: TestClient, **body: Any) -> dict[str, Any]:
    return read_data(client.post("/api/webhooks", json={"name": "值班", "events": EVENTS, **body}))


def record_with_item(client: TestClient) -> tuple[str, str]:
    record = client.post("/api/inspection/create", json={"task_id": "T-1", "inspection_name": "左翼"})
    record_id: str = record.json()["data"]["inspection_id"]
    item = client.post(
        "/api/inspection_item/create", json={"item_name": "蒙皮", "inspection_id": record_id}
    ).json()
    return record_id, item["item_id"]


def verify_delivery(received: ReceivedRequest, secret: str) -> dict[str, Any]:
    sent = received.headers
    wanted = signature(secret, sent["webhook-id"], int(sent["webhook-timestamp"]), received.body)
    assert sent["webhook-signature"] == wanted
    return received.message


def test_finished_records_and_failed_items_are_sent_with_a_signature(
    client: TestClient, receiver: Receiver
) -> None:
    webhook = create_webhook(client, url=receiver.url)
    record_id, item_id = record_with_item(client)
    me = client.get("/api/auth/me").json()["data"]["user"]["user_id"]
    for value in ("failed", "undecided", "failed"):
        answer = client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": value})
        assert answer.status_code == 200, answer.text
    assert client.post(f"/api/inspection/{record_id}/finish").status_code == 200
    messages = [verify_delivery(message, webhook["secret"]) for message in receiver.wait_for_requests(3)]
    assert sorted(message["type"] for message in messages) == ["item.failed", "item.failed", "record.sealed"]
    (sealed,) = (message["data"] for message in messages if message["type"] == "record.sealed")
    seal = client.get(f"/api/inspection/{record_id}/seal").json()["data"]["newest"]["seal"]
    assert sealed == {
        "inspection_id": record_id,
        "task_id": "T-1",
        "edition": 1,
        "seal": seal,
        "outcome": "failed",
        "items": {"total": 1, "passed": 0, "failed": 1},
        "needs_release": False,
        "by": me,
    }
    failed = next(message["data"] for message in messages if message["type"] == "item.failed")
    assert failed == {"item_id": item_id, "inspection_id": record_id, "task_id": "T-1", "by": me}
    assert len({message.headers["webhook-id"] for message in receiver.received}) == 3
    whole = b"".join(message.body for message in receiver.received).decode()
    assert "主任" not in whole
    assert "左翼" not in whole


def test_release_is_sent(client: TestClient, receiver: Receiver, as_role: Callable[..., TestClient]) -> None:
    create_webhook(client, url=receiver.url, events=["record.released"])
    assert client.put("/api/inspection/policy", json={"four_eyes": True}).status_code == 200
    record_id, item_id = record_with_item(client)
    client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "passed"})
    assert client.post(f"/api/inspection/{record_id}/finish").status_code == 200
    released = as_role("planner").post(f"/api/inspection/{record_id}/release", json={"edition": 1})
    assert released.status_code == 200, released.text
    (message,) = receiver.wait_for_requests(1)
    assert message.message["type"] == "record.released"
    assert message.message["data"]["needs_release"] is True
    assert message.message["data"]["outcome"] == "passed"


def test_secret_is_returned_once_and_stored_encrypted(
    client: TestClient, settings: Settings, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    address = receiver.url + "?token=canary-token"
    webhook = create_webhook(client, url=address)
    secret = webhook["secret"]
    changed = client.put(f"/api/webhooks/{webhook['webhook_id']}", json={"name": "新名"})
    texts = [
        changed.text,
        client.get("/api/webhooks").text,
        client.post(f"/api/webhooks/{webhook['webhook_id']}/test").text,
        client.get(f"/api/webhooks/{webhook['webhook_id']}/deliveries").text,
        client.get("/api/audit").text,
        caplog.text,
    ]
    assert not [text for text in texts if secret in text or "whsec_" in text]
    assert "canary-token" not in client.get("/api/audit").text
    assert "canary-token" not in "".join(
        record.getMessage() for record in caplog.records if record.name.startswith("walkaround")
    )
    with sqlite3.connect(settings.data_dir / "walkaround.db") as connection:
        (sealed,) = connection.execute("SELECT secret FROM webhook").fetchone()
    connection.close()
    assert secret.encode() not in sealed
    assert receiver.wait_for_requests(1)[0].path.endswith("token=canary-token")


def test_audit_log_has_user_and_action(client: TestClient, receiver: Receiver) -> None:
    webhook_id = create_webhook(client, url=receiver.url)["webhook_id"]
    client.put(f"/api/webhooks/{webhook_id}", json={"paused": True})
    client.post(f"/api/webhooks/{webhook_id}/test")
    client.delete(f"/api/webhooks/{webhook_id}")
    rows = client.get("/api/audit", params={"kind": "webhook"}).json()["data"]["data"]
    assert [(row["action"], row["object_id"]) for row in reversed(rows)] == [
        (action, webhook_id) for action in ("create", "update", "test", "delete")
    ]
    assert rows[-1]["details"] == {
        "name": "值班",
        "address": f"127.0.0.1:{receiver.port}",
        "events": EVENTS,
        "paused": False,
    }


def test_test_delivery_returns_its_outcome(client: TestClient, receiver: Receiver) -> None:
    webhook = create_webhook(client, url=receiver.url)
    path = f"/api/webhooks/{webhook['webhook_id']}"
    client.put(path, json={"paused": True})
    sent = client.post(f"{path}/test").json()["data"]
    assert (sent["event"], sent["state"], sent["status"], sent["attempts"]) == (
        "webhook.test",
        "delivered",
        204,
        1,
    )
    receiver.status = 500
    refused = client.post(f"{path}/test").json()["data"]
    assert (refused["state"], refused["status"], refused["error"]) == ("failed", 500, "status")
    assert refused["next_attempt_at"] is None
    assert verify_delivery(receiver.received[0], webhook["secret"])["data"] == {
        "webhook_id": webhook["webhook_id"]
    }
    listed = client.get(f"{path}/deliveries").json()["data"]
    assert [delivery["delivery_id"] for delivery in listed] == [refused["delivery_id"], sent["delivery_id"]]
    assert len(receiver.received) == 2


def test_paused_webhook_keeps_events_until_it_is_resumed(client: TestClient, receiver: Receiver) -> None:
    webhook = create_webhook(client, url=receiver.url)
    path = f"/api/webhooks/{webhook['webhook_id']}"
    assert client.put(path, json={"paused": True}).json()["data"]["state"] == "paused"
    _, item_id = record_with_item(client)
    client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "failed"})
    (listed,) = client.get("/api/webhooks").json()["data"]
    assert (listed["state"], listed["waiting"]) == ("paused", 1)
    assert receiver.received == []
    assert client.put(path, json={"paused": False}).json()["data"]["state"] == "active"
    assert receiver.wait_for_requests(1)[0].message["type"] == "item.failed"


def test_invalid_bodies_are_refused(client: TestClient) -> None:
    good = {"name": "a", "url": "https://example.com/", "events": EVENTS}
    for field, value in [
        ("url", "ftp://example.com/"),
        ("url", "https://"),
        ("url", "https://chief:canary@example.com/"),
        ("url", "http://10.0.0.1/"),
        ("url", "https://169.254.169.254/"),
        ("events", []),
        ("events", ["record.created"]),
        ("name", " "),
    ]:
        answer = client.post("/api/webhooks", json={**good, field: value})
        assert answer.status_code == 422, (field, value, answer.text)
        assert [fault["field"].partition(".")[0] for fault in answer.json()["data"]["fields"]] == [field]
        assert "canary" not in answer.text
    for field in ("name", "url", "events", "paused"):
        assert client.put("/api/webhooks/x", json={field: None}).status_code == 422
    for _ in range(20):
        assert client.post("/api/webhooks", json=good).status_code == 200
    assert client.post("/api/webhooks", json=good).status_code == 409
    assert client.get("/api/webhooks/x/deliveries").status_code == 404


def test_secret_of_another_key_is_reported_and_nothing_is_sent(
    client: TestClient, settings: Settings, receiver: Receiver
) -> None:
    webhook_id = create_webhook(client, url=receiver.url)["webhook_id"]
    with sqlite3.connect(settings.data_dir / "walkaround.db") as connection:
        connection.execute("UPDATE webhook SET secret = ?", (b"x" * 60,))
    connection.close()
    sent = client.post(f"/api/webhooks/{webhook_id}/test").json()["data"]
    assert (sent["state"], sent["error"]) == ("failed", "secret_unreadable")
    assert receiver.received == []


def test_payload_stays_below_a_kilobyte(client: TestClient, receiver: Receiver) -> None:
    create_webhook(client, url=receiver.url)
    record_id, item_id = record_with_item(client)
    client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "failed"})
    client.post(f"/api/inspection/{record_id}/finish")
    assert all(len(delivery.body) < 1000 for delivery in receiver.wait_for_requests(2))
    assert all(json.loads(delivery.body)["timestamp"].endswith("Z") for delivery in receiver.received)
