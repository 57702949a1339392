"""The memory of a region in the real service: learned from verdicts, used by detections, set by people."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, update
from starlette.testclient import TestClient

from service.app import create_app
from service.db.database import Database, now
from service.detection.dispatch.variations import VERSION
from service.memory.tables import LEFT_OUT, REGION, VARIATION, WAITING
from service.settings import Settings
from tests.service.files.test_images import make_png_header
from tests.service.memory.conftest import ON_ONE_DATABASE, Site, file_ids, picture
from tests.service.waiting import wait_until
from tests.service_app import ADMIN, LOCAL_URL, with_token

pytestmark = pytest.mark.slow


def count_waiting(database: Database) -> int:
    count = select(func.count()).select_from(WAITING)
    return database.read_now(lambda session: int(session.execute(count).scalar_one()))


def wait_for_memory(site: Site, database: Database, item: dict[str, Any]) -> dict[str, Any]:
    """The memory of the item's region once nothing waits to be compared."""
    wait_until(lambda: count_waiting(database) == 0)
    return site.memory(item)


def rows(database: Database) -> list[Any]:
    query = select(VARIATION).order_by(VARIATION.c.item_id, VARIATION.c.kind)
    return list(database.read_now(lambda session: session.execute(query).all()))


@pytest.fixture
def passed_items(site: Site, database: Database) -> list[dict[str, Any]]:
    """Three passed items whose photos are compared: the lamp is lit on them."""
    items = [site.passed_item() for _ in range(3)]
    wait_for_memory(site, database, items[0])
    return items


def test_detection_uses_the_photos_that_people_passed(client: TestClient, database: Database) -> None:
    site = Site(client)
    before = site.item()
    alone = site.detect(before)
    assert [box["label"] for box in alone["resultImage"]["boxes"]] == ["added"]
    assert "memory" not in alone
    assert "suppressed" not in alone
    items = [site.passed_item() for _ in range(3)]
    memory = wait_for_memory(site, database, items[0])
    assert memory["state"] == "counts"
    assert [photo["differences"] for photo in memory["photos"]] == [1, 1, 1]
    assert {photo["decided_by"] for photo in memory["photos"]} == {"主任 (chief)"}
    assert memory["reference_file_id"] == site.reference["file_id"]
    entry = site.detect(site.item())
    assert entry["isPassed"] is True
    assert entry["resultImage"]["boxes"] == []
    assert entry["memory"]["photos"] == 3
    assert len(entry["memory"]["sha256"]) == 64
    (suppressed,) = entry["suppressed"]
    assert suppressed["score"] < 0.5 <= suppressed["score_alone"] == suppressed["box"]["confidence"]
    assert suppressed["box"]["label"] == "added"
    assert set(suppressed["photos"]) <= {item["file_id"] for item in items}
    # Agreement counts what was reported, and nothing that a memory suppressed.
    (model,) = site.client.get("/api/statistics/agreement").json()["data"] or [{"shown": 0}]
    assert model["shown"] == 0


@ON_ONE_DATABASE
def test_memory_with_too_few_photos_has_no_effect(site: Site, database: Database) -> None:
    first, second = (site.passed_item() for _ in range(2))
    assert wait_for_memory(site, database, first)["state"] == "too_few"
    entry = site.detect(site.item())
    assert not {"memory", "suppressed"} & entry.keys()
    assert entry["isPassed"] is False
    assert site.change(second, required=2)["state"] == "counts"
    assert site.detect(site.item())["isPassed"] is True


@ON_ONE_DATABASE
def test_photos_of_the_item_itself_are_not_in_its_memory(
    site: Site, passed_items: list[dict[str, Any]]
) -> None:
    again = site.detect(passed_items[0])
    assert not {"memory", "suppressed"} & again.keys()
    # Nor does another item with the same photo.
    same = site.item(photo=picture(1))
    assert "memory" not in site.detect(same)


def test_a_changed_verdict_a_deleted_item_and_a_photo_taken_off_take_effect(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    first, second, third = passed_items
    site.decide(first, "failed")
    assert file_ids(site.memory(third)) == [third["file_id"], second["file_id"]]
    assert "memory" not in site.detect(site.item())
    site.decide(first)
    assert wait_for_memory(site, database, third)["state"] == "counts"
    site.client.delete(f"/api/inspection_item/{second['item_id']}")
    assert file_ids(site.memory(third)) == [first["file_id"], third["file_id"]]
    assert second["item_id"] not in {row.item_id for row in rows(database)}
    site.client.post(f"/api/inspection_item/{second['item_id']}/restore")
    assert wait_for_memory(site, database, third)["state"] == "counts"
    answer = site.client.delete(f"/api/inspection_item/{third['item_id']}/photos/{third['photo_id']}")
    assert answer.status_code == 200
    assert site.memory(third)["state"] == "too_few"
    wait_for_memory(site, database, third)
    assert third["item_id"] not in {row.item_id for row in rows(database)}
    site.client.delete(f"/api/inspection/deleteInspection/{first['inspection_id']}")
    assert file_ids(site.memory(third)) == [second["file_id"]]
    assert {row.item_id for row in rows(database)} == {second["item_id"]}


def test_people_leave_photos_out_freeze_and_restart(
    site: Site, passed_items: list[dict[str, Any]], database: Database, client: TestClient
) -> None:
    item, file_id = passed_items[0], passed_items[1]["file_id"]
    changed = site.change(item, left_out={file_id: True})
    assert changed["state"] == "too_few"
    (out,) = (photo for photo in changed["photos"] if photo["left_out"])
    assert (out["file_id"], out["left_out_by"]) == (file_id, "主任 (chief)")
    assert out["left_out_at"] is not None
    assert "memory" not in site.detect(site.item())
    assert site.change(item, left_out={file_id: False})["state"] == "counts"
    frozen = site.change(item, frozen=True)
    assert (frozen["state"], frozen["frozen_by"]) == ("frozen", "主任 (chief)")
    later = site.passed_item()
    assert later["file_id"] not in file_ids(site.memory(item))
    assert site.detect(site.item())["memory"]["photos"] == 3
    assert later["file_id"] in file_ids(site.change(item, frozen=False))
    started_over = site.change(item, start_over=True)
    assert (started_over["state"], started_over["photos"]) == ("empty", [])
    assert started_over["begins_at"] is not None
    assert "memory" not in site.detect(site.item())
    assert file_ids(site.memory(site.passed_item())) != []
    log = client.get("/api/audit?kind=region_memory&current_page=1&page_size=20").json()["data"]["data"]
    assert [(event["action"], event["object_id"]) for event in log] == [
        ("update", site.reference["file_id"])
    ] * 5
    assert [sorted(event["details"].keys() - {"item_id"}) for event in log] == [
        ["begins_at"],
        ["frozen_at"],
        ["frozen_at"],
        ["left_out"],
        ["left_out"],
    ]
    stored = select(REGION)
    (row,) = database.read_now(lambda session: session.execute(stored).all())
    assert row.required is None


@ON_ONE_DATABASE
def test_rejected_findings_count_at_their_place(site: Site, database: Database) -> None:
    item = site.item()
    entry = site.detect(item)
    body = {"of_version": entry["version"], "boxes": []}
    answer = site.client.post(f"/api/inspection_item/{item['item_id']}/boxes", json=body)
    assert answer.status_code == 200, answer.text
    site.decide(item)
    memory = wait_for_memory(site, database, item)
    assert [photo["kind"] for photo in memory["photos"]] == ["passed"]
    assert [(row.kind, row.differences) for row in rows(database)] == [("passed", 1), ("rejected", 1)]
    # One photo is enough once a person rejected the very finding, when one is required.
    site.change(item, required=1)
    assert site.detect(site.item())["isPassed"] is True


@ON_ONE_DATABASE
def test_each_role_may_change_its_part_of_a_memory(
    site: Site, passed_items: list[dict[str, Any]], as_role: Callable[..., TestClient]
) -> None:
    path = f"/api/inspection_item/{passed_items[0]['item_id']}/memory"
    file_id = passed_items[0]["file_id"]
    inspector, viewer, planner = (as_role(role) for role in ("inspector", "viewer", "planner"))
    assert viewer.get(path).json()["data"]["can_change"] is False
    assert viewer.put(path, json={"left_out": {file_id: True}}).status_code == 403
    state = inspector.get(path).json()["data"]
    assert (state["can_change"], state["can_require"]) == (True, False)
    planners: list[dict[str, Any]] = [
        {"frozen": True},
        {"required": 2},
        {"start_over": True},
        {"frozen": False},
    ]
    for body in planners:
        assert inspector.put(path, json=body).status_code == 403
    assert inspector.put(path, json={"left_out": {file_id: True}}).status_code == 200
    assert planner.put(path, json={"frozen": True, "required": 2}).json()["data"]["required"] == 2
    assert planner.put(path, json={"left_out": {"no-such-file": True}}).status_code == 404
    wrong: list[dict[str, Any]] = [
        {"required": 0},
        {"required": 21},
        {"required": True},
        {"frozen": None},
        {"left_out": {"": True}},
    ]
    for body in wrong:
        assert planner.put(path, json=body).status_code == 422
    assert planner.put("/api/inspection_item/none/memory", json={"left_out": {}}).status_code == 404


@ON_ONE_DATABASE
def test_an_item_without_a_region_has_no_memory(site: Site) -> None:
    item = site.item(item_point=None)
    memory = site.memory(item)
    assert (memory["state"], memory["reference_file_id"], memory["photos"]) == ("empty", None, [])
    path = f"/api/inspection_item/{item['item_id']}/memory"
    answer = site.client.put(path, json={"required": 2})
    assert (answer.status_code, answer.json()["data"]["error"]) == (409, "conflict")


@ON_ONE_DATABASE
def test_another_region_of_the_reference_image_has_a_memory_of_its_own(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    corner = {"point": {"x": 0.6, "y": 0.1, "w": 0.25, "h": 0.4}}
    other = site.item(item_point=corner)
    assert site.memory(other)["photos"] == []
    assert "memory" not in site.detect(other)
    site.decide(other)
    assert file_ids(wait_for_memory(site, database, other)) == [other["file_id"]]
    assert len(file_ids(site.memory(passed_items[0]))) == 3


@ON_ONE_DATABASE
def test_a_photo_that_does_not_show_the_region_adds_nothing_and_is_not_tried_again(
    site: Site, database: Database
) -> None:
    item = site.passed_item(photo=make_png_header(320, 320))
    memory = wait_for_memory(site, database, item)
    assert (memory["state"], memory["photos"][0]["differences"]) == ("too_few", None)
    (row,) = rows(database)
    assert (row.error, row.content) == ("image_unreadable", None)


@ON_ONE_DATABASE
def test_disagreements_with_the_reference_image_are_listed(site: Site, database: Database) -> None:
    items = [site.passed_item() for _ in range(4)]
    ((x, y, w, h),) = wait_for_memory(site, database, items[0])["disagreements"]
    assert x < 230 / 320 < x + w
    assert y < 90 / 320 < y + h
    site.change(items[0], left_out={items[0]["file_id"]: True})
    assert site.memory(items[0])["disagreements"] == []


@ON_ONE_DATABASE
def test_a_place_is_proposed_once_enough_photos_passed(site: Site, database: Database) -> None:
    first, second = site.passed_item(), site.passed_item()
    assert wait_for_memory(site, database, first)["proposed_place"] is None
    site.passed_item()
    assert wait_for_memory(site, database, second)["proposed_place"] == "align"


@ON_ONE_DATABASE
def test_an_alignment_that_a_person_corrects_has_the_photo_compared_again(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    item = passed_items[0]
    (before,) = (row.basis for row in rows(database) if row.item_id == item["item_id"])
    alignment = {"photo_file_id": item["file_id"], "homography": [[1, 0, 0.5], [0, 1, 0], [0, 0, 1]]}
    point = {**item["item_point"], "detection": {"alignment": alignment}}
    answer = site.client.put(f"/api/inspection_item/{item['item_id']}", json={"item_point": point})
    assert answer.status_code == 200, answer.text
    wait_for_memory(site, database, item)
    (after,) = (row for row in rows(database) if row.item_id == item["item_id"])
    assert after.basis != before
    assert after.differences is not None


def test_starting_service_continues_and_repeats_comparisons_of_another_version(
    settings: Settings, database: Database
) -> None:
    with TestClient(create_app(settings), LOCAL_URL, client=("127.0.0.1", 50000)) as first:
        body = {"username": ADMIN[0], "password": ADMIN[1], "name": "主任"}
        token = first.post("/api/auth/first-run", json=body).json()["data"]["access_token"]
        site = Site(with_token(first, token))
        items = [site.passed_item() for _ in range(3)]
        wait_for_memory(site, database, items[0])
    lost, *_ = rows(database)

    def lose(session: Any) -> None:
        # As after a kill in the middle of a comparison, and an update of the program.
        session.execute(delete(VARIATION).where(VARIATION.c.item_id == lost.item_id))
        taken = {
            "item_id": lost.item_id,
            "stamp": "s",
            "since": now(),
            "taken_until": now() + dt.timedelta(1),
        }
        session.execute(
            insert(WAITING).values(taken if database.is_sqlite else {**taken, "taken_until": now()})
        )
        session.execute(update(VARIATION).values(version=0, basis="of another version", content=b"old"))

    database.write_now(lose)
    with TestClient(create_app(settings), LOCAL_URL, client=("127.0.0.1", 50000)) as second:
        site.client = with_token(second, token)
        wait_until(lambda: bool(site.memory(items[0])["state"] == "counts"))
    assert {row.version for row in rows(database)} == {VERSION}


def test_memory_of_a_deleted_reference_image_is_deleted(
    site: Site, passed_items: list[dict[str, Any]], database: Database
) -> None:
    site.change(passed_items[0], left_out={passed_items[0]["file_id"]: True})
    path = f"/api/catalogue/reference-images/{site.image_id}"
    assert site.client.delete(path).status_code == 409
    for item in passed_items:
        site.client.delete(f"/api/inspection/deleteInspection/{item['inspection_id']}")
    answer = site.client.delete(path)
    assert answer.status_code == 200, answer.text
    assert rows(database) == []
    for table in (REGION, LEFT_OUT):
        count = select(func.count()).select_from(table)
        assert database.read_now(lambda session: session.execute(count).scalar_one()) == 0  # noqa: B023
