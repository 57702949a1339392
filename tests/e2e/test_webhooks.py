"""Webhooks of a real service process: none by default, none lost by a kill, two on PostgreSQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.postgresql import ReusableDatabase
from tests.service_process import first_admin, running_service
from tests.webhook_receiver import Receiver

ALLOWED = '["127.0.0.0/8"]'


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def post(service: str, token: str, path: str, **body: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.post(f"{service}/api{path}", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def fail_an_item(url: str, token: str) -> str:
    record = post(url, token, "/inspection/create", task_id="t")["data"]["inspection_id"]
    item: str = post(url, token, "/inspection_item/create", item_name="a", inspection_id=record)["item_id"]
    post(url, token, f"/inspection_item/{item}/verdict", verdict="failed")
    return item


def test_delivery_survives_a_kill_in_the_middle(tmp_path: Path, receiver: Receiver) -> None:
    folder = tmp_path / "data"
    receiver.answers.clear()
    with running_service(folder, webhook_allowed_networks=ALLOWED) as running:
        token = first_admin(running.url)
        post(running.url, token, "/webhooks", name="a", url=receiver.url, events=["item.failed"])
        items = {fail_an_item(running.url, token) for _ in range(3)}
        receiver.wait(1)
        running.process.kill()
    receiver.answers.set()
    with running_service(folder, webhook_allowed_networks=ALLOWED):
        received = receiver.wait(4)
    assert {delivery.message["data"]["item_id"] for delivery in received} == items
    # The one that was on its way comes again, under the id that it had.
    assert sorted(Counter(delivery.headers["webhook-id"] for delivery in received).values()) == [1, 1, 2]


def test_nothing_goes_to_loopback_by_default(tmp_path: Path, receiver: Receiver) -> None:
    with running_service(tmp_path / "data") as running:
        token = first_admin(running.url)
        secure = f"https://localhost:{receiver.port}/"
        webhook = post(running.url, token, "/webhooks", name="a", url=secure, events=["item.failed"])["data"]
        sent = post(running.url, token, f"/webhooks/{webhook['webhook_id']}/test")["data"]
    assert (sent["state"], sent["error"]) == ("failed", "address_refused")
    assert receiver.received == []
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert "address_refused" in log
    assert str(receiver.port) not in log


@pytest.mark.postgresql
def test_two_services_on_one_database_deliver_each_event_once(
    tmp_path: Path, receiver: Receiver, postgresql_database: ReusableDatabase
) -> None:
    shared = {"database_url": postgresql_database.url, "webhook_allowed_networks": ALLOWED}
    with running_service(tmp_path / "one", **shared) as first:
        token = first_admin(first.url)
        key = tmp_path / "one" / "secret.key"
        with running_service(tmp_path / "two", secret_file=str(key), **shared) as second:
            post(second.url, token, "/webhooks", name="a", url=receiver.url, events=["item.failed"])
            items = {fail_an_item(url, token) for url in (first.url, second.url) * 5}
            received = receiver.wait(10)
    assert {message.message["data"]["item_id"] for message in received} == items
    assert len(receiver.received) == 10
