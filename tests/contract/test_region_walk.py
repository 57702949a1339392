"""The walk of a region in the service, as docs/architecture.md draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, event

from service.db.database import Database
from service.inspection.records.items import Items
from shared.wire.inspection import ItemCreate
from tests.contract.running import Running
from tests.walks import trace_packages


def test_a_created_item_walks_through_each_package_once(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = running.record()
    walks: dict[str, list[list[str]]] = {"write": [], "insert": []}
    handed: list[object] = []
    write, create = Database.write, Items.create

    async def record_write(self: Database, work: Callable[..., Any]) -> Any:
        if work.__qualname__.startswith("Items.create"):
            walks["write"].append(trace_packages())
        return await write(self, work)

    async def record_create(self: Items, body: ItemCreate, *rest: Any) -> Any:
        handed.append(body)
        return await create(self, body, *rest)

    def record_insert(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT INTO item "):
            walks["insert"].append(trace_packages())

    monkeypatch.setattr(Database, "write", record_write)
    monkeypatch.setattr(Items, "create", record_create)
    event.listen(Engine, "before_cursor_execute", record_insert)
    try:
        answer = running.admin.post(
            "/api/inspection_item/create",
            json={"item_name": "前缘", "inspection_id": record["inspection_id"]},
        )
    finally:
        event.remove(Engine, "before_cursor_execute", record_insert)
    assert answer.status_code == 200, answer.text
    assert isinstance(handed[0], ItemCreate)
    # The transaction calls back the function that the use case handed to it, which inserts one row.
    assert walks == {
        "write": [["service.web", "service.inspection"]],
        "insert": [["service.db", "service.inspection", "service.db"]],
    }
