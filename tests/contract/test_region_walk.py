"""Tests the path of a region through the service, as docs/architecture.md draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, event

from service.db.database import Database
from service.inspection.records.items import Items
from shared.wire.inspection import ItemCreate
from tests.call_stack import packages_on_stack
from tests.contract.application import ContractApp


def test_created_item_passes_each_package_once(service: ContractApp, monkeypatch: pytest.MonkeyPatch) -> None:
    record = service.create_record()
    paths: dict[str, list[list[str]]] = {"write": [], "insert": []}
    bodies: list[object] = []
    write, create = Database.write, Items.create

    async def record_write(self: Database, work: Callable[..., Any]) -> Any:
        if work.__qualname__.startswith("Items.create"):
            paths["write"].append(packages_on_stack())
        return await write(self, work)

    async def record_create(self: Items, body: ItemCreate, *rest: Any) -> Any:
        bodies.append(body)
        return await create(self, body, *rest)

    def record_insert(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT INTO item "):
            paths["insert"].append(packages_on_stack())

    monkeypatch.setattr(Database, "write", record_write)
    monkeypatch.setattr(Items, "create", record_create)
    event.listen(Engine, "before_cursor_execute", record_insert)
    try:
        answer = service.admin.post(
            "/api/inspection_item/create",
            json={"item_name": "前缘", "inspection_id": record["inspection_id"]},
        )
    finally:
        event.remove(Engine, "before_cursor_execute", record_insert)
    assert answer.status_code == 200, answer.text
    assert isinstance(bodies[0], ItemCreate)
    # The transaction calls the function that the use case passed to it, which inserts a row.
    assert paths == {
        "write": [["service.web", "service.inspection"]],
        "insert": [["service.db", "service.inspection", "service.db"]],
    }
