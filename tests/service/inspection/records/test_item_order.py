"""Tests of the order of the items of a record."""

from __future__ import annotations

from tests.service.answers import read_list
from tests.service.inspection.conftest import Stage


def _record_with_items(stage: Stage, count: int = 3) -> tuple[str, list[str]]:
    record = stage.record()["inspection_id"]
    return record, [stage.item(record, item_name=str(number))["item_id"] for number in range(count)]


def _arrange(stage: Stage, record: str, item_ids: list[str]) -> list[str]:
    return read_list(stage.client.put(f"/api/inspection/{record}/item-order", json={"item_ids": item_ids}))


def _listed(stage: Stage, record: str) -> list[str]:
    return [item["item_id"] for item in stage.items(record)]


def test_lists_follow_the_order_and_new_items_come_last(stage: Stage) -> None:
    record, (a, b, c) = _record_with_items(stage)
    assert _arrange(stage, record, [c, a, b]) == [c, a, b]
    new = stage.item(record, item_name="新")["item_id"]
    assert _listed(stage, record) == [c, a, b, new]


def test_items_that_are_not_named_follow_and_unknown_ids_are_ignored(stage: Stage) -> None:
    record, (a, b, c) = _record_with_items(stage)
    _, (foreign, *_) = _record_with_items(stage)
    assert _arrange(stage, record, [c, "gone", foreign, c]) == [c, a, b]
    assert _listed(stage, record) == [c, a, b]


def test_restored_item_returns_to_its_place(stage: Stage) -> None:
    record, (a, b, c) = _record_with_items(stage)
    _arrange(stage, record, [c, a, b])
    stage.client.delete(f"/api/inspection_item/{a}")
    stage.client.post(f"/api/inspection_item/{a}/restore")
    assert _listed(stage, record) == [c, a, b]


def test_copied_record_keeps_the_order(stage: Stage) -> None:
    record, (a, b, c) = _record_with_items(stage)
    _arrange(stage, record, [c, a, b])
    copy = stage.record()["inspection_id"]
    items = stage.client.post(f"/api/inspection/{copy}/items-from/{record}").json()["data"]
    assert [item["item_name"] for item in items] == ["2", "0", "1"]


def test_order_is_announced_once_and_makes_no_revision_of_an_item(stage: Stage) -> None:
    record, (a, b, c) = _record_with_items(stage)
    before = stage.client.get(f"/api/inspection_item/{a}").headers["ETag"]
    stage.changes.clear()
    _arrange(stage, record, [b, a, c])
    _arrange(stage, record, [b, a, c])
    assert [(change.action, change.object_id) for change in stage.changes] == [("arrange", record)]
    assert stage.client.get(f"/api/inspection_item/{a}").headers["ETag"] == before


def test_unknown_record_is_404(stage: Stage) -> None:
    answer = stage.client.put("/api/inspection/none/item-order", json={"item_ids": []})
    assert answer.status_code == 404
