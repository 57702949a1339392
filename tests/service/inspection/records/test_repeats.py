"""Tests a create that is repeated with its Idempotency-Key."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import update

from service.db import write_queue
from service.inspection.records import item_rows
from service.inspection.records.records import Records
from service.inspection.tables import ITEM
from tests.service.inspection.conftest import Stage

KEY = {"Idempotency-Key": "k"}


def create_item(stage: Stage, body: dict[str, Any]) -> Any:
    return stage.client.post("/api/inspection_item/create", json=body, headers=KEY)


def test_key_with_another_body_is_422(stage: Stage) -> None:
    record, other = stage.record()["inspection_id"], stage.record()["inspection_id"]
    body = {"item_name": "前缘", "inspection_id": record, "item_point": {"a": 1, "b": 2}}
    first = create_item(stage, body)
    # The same body in another form: other order of the keys, an ignored field.
    for same in ({"item_point": {"b": 2, "a": 1}}, {"colour": "red"}):
        again = create_item(stage, {**body, **same})
        assert (again.status_code, again.json()) == (200, first.json())
    for changed in (
        {"item_name": "后缘"},
        {"description": "x"},
        {"item_point": {"a": 1, "b": 2.5}},
        {"inspection_id": other},
    ):
        refused = create_item(stage, {**body, **changed})
        assert refused.status_code == 422
        (field,) = refused.json()["data"]["fields"]
        assert (field["field"], field["type"]) == ("Idempotency-Key", "key_reused")
        assert refused.json()["msg"] == f"Idempotency-Key：{field['message']}"
    for each, total in ((record, 1), (other, 0)):
        assert len(stage.items(each)) == total


def test_key_of_a_deleted_item_creates_another_one(stage: Stage) -> None:
    body = {"item_name": "前缘", "inspection_id": stage.record()["inspection_id"]}
    first = create_item(stage, body).json()["item_id"]
    stage.client.delete(f"/api/inspection_item/{first}")
    body["item_name"] = "后缘"
    second = create_item(stage, body)
    assert (second.status_code, second.json()["item_name"]) == (200, "后缘")
    assert stage.client.post(f"/api/inspection_item/{first}/restore").status_code == 200
    assert create_item(stage, body).json()["item_id"] == second.json()["item_id"]


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_one_key_in_two_parallel_requests_creates_one_item(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [stage.record()["inspection_id"] for _ in range(2)]
    # Neither sees the other's item before it inserts its own, so one must read again.
    both_have_read, insert = threading.Barrier(2), item_rows.insert_items

    def insert_together(*arguments: Any) -> list[str]:
        both_have_read.wait(20)
        return insert(*arguments)

    monkeypatch.setattr(item_rows, "insert_items", insert_together)
    # Otherwise the second would not begin before the first has ended.
    monkeypatch.setattr(write_queue, "MAX_TOGETHER", 1)

    def make(record: str) -> int:
        return int(create_item(stage, {"item_name": "前缘", "inspection_id": record}).status_code)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(make, records)) == [200, 422]


def test_item_without_a_stored_body_is_returned_for_its_key(stage: Stage) -> None:
    body = {"item_name": "前缘", "inspection_id": stage.record()["inspection_id"]}
    first = create_item(stage, body).json()
    stage.database.write_now(lambda session: session.execute(update(ITEM).values(client_body=None)))
    again = create_item(stage, {**body, "item_name": "后缘"})
    assert (again.status_code, again.json()) == (200, first)


def create_record(stage: Stage, role: str = "planner", **body: Any) -> Any:
    body = {"task_id": "t", **body}
    return stage.as_role(role).post("/api/inspection/create", json=body, headers=KEY)


def list_records(stage: Stage) -> int:
    answer = stage.client.get("/api/inspection/search", params={"current_page": 1, "page_size": 1})
    return int(answer.json()["data"]["pagination"]["total"])


def test_repeated_create_returns_the_same_record(stage: Stage) -> None:
    first = create_record(stage, inspection_name="左翼")
    assert first.status_code == 200, first.text
    stage.changes.clear()
    for same in ({"inspection_name": "左翼"}, {"inspection_name": "左翼", "colour": "red"}):
        again = create_record(stage, **same)
        assert (again.status_code, again.json()) == (200, first.json())
        assert again.headers["etag"] == first.headers["etag"]
    assert stage.changes == []
    refused = create_record(stage, inspection_name="右翼")
    assert refused.status_code == 422
    (field,) = refused.json()["data"]["fields"]
    assert (field["field"], field["type"]) == ("Idempotency-Key", "key_reused")
    assert list_records(stage) == 1


def test_key_belongs_to_the_user_and_is_deleted_with_the_record(stage: Stage) -> None:
    first = create_record(stage).json()["data"]["inspection_id"]
    assert create_record(stage, "admin").json()["data"]["inspection_id"] != first
    assert stage.client.delete(f"/api/inspection/deleteInspection/{first}").status_code == 200
    second = create_record(stage, inspection_name="again").json()["data"]
    assert second["inspection_id"] != first
    assert list_records(stage) == 2


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_parallel_creates_with_one_key_create_one_record(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Neither sees the other's record before it inserts its own, so one must read again.
    both_have_read, keep = threading.Barrier(2), Records._keep_key

    def keep_together(*arguments: Any) -> bool:
        both_have_read.wait(20)
        return keep(*arguments)

    monkeypatch.setattr(Records, "_keep_key", staticmethod(keep_together))
    monkeypatch.setattr(write_queue, "MAX_TOGETHER", 1)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: create_record(stage), range(2)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len({answer.json()["data"]["inspection_id"] for answer in answers}) == 1
    assert list_records(stage) == 1
