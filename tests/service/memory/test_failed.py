"""What people failed is never explained, by a memory in the real service; sealed records, events, backups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from service.commands.backup import main as backups
from service.db.database import Database
from service.inspection.tables import ITEM
from service.memory.tables import LEFT_OUT, REGION, VARIATION, WAITING
from service.settings import Settings
from tests.service.memory.conftest import ON_ONE_DATABASE, Site
from tests.service.memory.test_memory import passed_items, rows, wait_for_memory

pytestmark = pytest.mark.slow

__all__ = ["passed_items"]

LAMP = {"x1": 205, "y1": 65, "x2": 255, "y2": 115}


def fail_at_the_lamp(site: Site) -> dict[str, Any]:
    """An item that a person failed for the lamp, which the memory explains."""
    item = site.item()
    entry = site.detect(item)
    drawn = {"label": "crack", "confidence": 1, "points": LAMP, "origin": "person"}
    body = {"of_version": entry["version"], "boxes": [drawn]}
    answer = site.client.post(f"/api/inspection_item/{item['item_id']}/boxes", json=body)
    assert answer.status_code == 200, answer.text
    site.decide(item, "failed")
    return item


def test_failed_findings_are_reported_from_then_on(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    assert site.detect(site.item())["isPassed"] is True
    failed = fail_at_the_lamp(site)
    photo, *others = wait_for_memory(site, database, failed)["photos"]
    assert (photo["kind"], photo["file_id"], photo["differences"]) == ("failed", failed["file_id"], 1)
    assert {one["kind"] for one in others} == {"passed"}
    entry = site.detect(site.item())
    assert entry["isPassed"] is False
    assert [found["memory_reason"] for found in entry["resultImage"]["boxes"]] == ["failed"]
    assert entry["suppressed"] == []
    assert entry["memory"]["photos"] == 4
    # Who leaves the photo out of the memory, or passes the item after all, says otherwise.
    site.change(failed, left_out={failed["file_id"]: True})
    assert site.detect(site.item())["isPassed"] is True
    site.change(failed, left_out={failed["file_id"]: False})
    assert site.detect(site.item())["isPassed"] is False
    site.decide(failed)
    wait_for_memory(site, database, failed)
    assert site.detect(site.item())["isPassed"] is True


@ON_ONE_DATABASE
def test_failed_items_enter_a_frozen_memory(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    site.change(passed_items[0], frozen=True)
    failed = fail_at_the_lamp(site)
    memory = wait_for_memory(site, database, failed)
    assert (memory["state"], memory["photos"][0]["kind"]) == ("frozen", "failed")
    assert site.detect(site.item())["isPassed"] is False


@ON_ONE_DATABASE
def test_sealed_record_keeps_the_suppressed_findings(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    item = site.item()
    entry = site.detect(item)
    assert entry["suppressed"]
    site.decide(item)
    record = f"/api/inspection/{item['inspection_id']}"
    assert site.client.post(f"{record}/finish").status_code == 200
    before = site.client.get(f"/api/inspection_item/{item['item_id']}").json()["result"]
    site.change(passed_items[0], left_out={passed_items[0]["file_id"]: True}, required=2)
    failed = fail_at_the_lamp(site)
    wait_for_memory(site, database, failed)
    site.change(failed, start_over=True)
    assert site.client.get(f"/api/inspection_item/{item['item_id']}").json()["result"] == before
    assert site.client.get(f"{record}/seal/verify").json()["data"]["intact"] is True


@ON_ONE_DATABASE
@pytest.mark.parametrize("lost", ["memory", "suppressed"])
def test_seal_covers_suppressed_findings(
    site: Site, passed_items: list[dict[str, Any]], database: Database, lost: str
) -> None:
    item = site.item()
    site.detect(item)
    site.decide(item)
    record = f"/api/inspection/{item['inspection_id']}"
    assert site.client.post(f"{record}/finish").status_code == 200
    take_out_of_entries(database, item["item_id"], lost)
    assert site.client.get(f"{record}/seal/verify").json()["data"]["intact"] is False


def take_out_of_entries(database: Database, item_id: str, key: str) -> None:
    """Change the stored entries of an item past the service."""
    of_item = ITEM.c.item_id == item_id
    stored = database.read_now(
        lambda session: session.execute(select(ITEM.c.result).where(of_item)).scalar_one()
    )
    entries = json.loads(stored)
    assert any(entry.pop(key, None) for entry in entries)
    changed = json.dumps(entries, ensure_ascii=False)
    database.write_now(lambda session: session.execute(update(ITEM).where(of_item).values(result=changed)))


def test_changes_and_comparisons_of_a_memory_are_announced_to_clients(
    site: Site, passed_items: list[dict[str, Any]], database: Database, app: FastAPI
) -> None:
    feed = app.state.end_streams.__self__
    place = feed.events_after(0).position
    item = site.passed_item()
    wait_for_memory(site, database, item)
    site.change(item, left_out={item["file_id"]: True})
    events = [event for event in feed.events_after(place).events if event.kind == "region_memory"]
    assert {event.object_id for event in events} == {site.reference["file_id"]}
    by_whom = [event.actor for event in events]
    # No user compares photos; the last is the change that a person made.
    assert by_whom[:-1] == [None] * (len(events) - 1)
    assert len(events) >= 2
    assert by_whom[-1] is not None


@ON_ONE_DATABASE
def test_memories_are_in_backups_and_come_back(
    site: Site,
    passed_items: list[dict[str, Any]],
    database: Database,
    settings: Settings,
    tmp_path: Path,
) -> None:
    item = passed_items[0]
    site.change(item, required=2, left_out={passed_items[1]["file_id"]: True})
    failed = fail_at_the_lamp(site)
    wait_for_memory(site, database, failed)
    archive, new = tmp_path / "backup.zip", Settings(data_dir=tmp_path / "new", bcrypt_cost=4)
    assert backups(["backup", str(archive)], settings) == 0
    assert backups(["restore", str(archive)], new) == 0
    restored = Database(new.url)
    try:
        for table in (REGION, LEFT_OUT, VARIATION, WAITING):
            assert content(restored, table) == content(database, table)
        assert len(rows(restored)) == 4
    finally:
        restored.close()


def content(database: Database, table: Any) -> list[tuple[Any, ...]]:
    rows = database.read_now(lambda session: session.execute(select(table)).all())
    return sorted(tuple(row) for row in rows)
