"""Tests concurrent changes of the same object."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from service.inspection.records import records
from service.inspection.records.records import Records
from service.inspection.tables import ITEM, RECORD
from tests.service.inspection.conftest import Stage, stored_file


def _paths(stage: Stage) -> dict[str, tuple[str, str, dict[str, Any]]]:
    record = stage.record()
    item = stage.item(record["inspection_id"])
    number = record["inspection_id"]
    return {
        "record": (
            f"/api/inspection/getInspectionById/{number}",
            f"/api/inspection/updateInspection/{number}",
            {"inspection_name": "甲"},
        ),
        "item": (
            f"/api/inspection_item/{item['item_id']}",
            f"/api/inspection_item/{item['item_id']}",
            {"description": "甲"},
        ),
    }


@pytest.mark.parametrize("kind", ["record", "item"])
def test_if_match_refuses_an_older_version_and_shows_the_current_one(stage: Stage, kind: str) -> None:
    read, write, change = _paths(stage)[kind]
    first = stage.client.get(read).headers["etag"]
    (field,) = change
    done = stage.client.put(write, json=change, headers={"If-Match": first})
    assert done.status_code == 200
    newest = done.headers["etag"]
    assert newest != first
    late = stage.client.put(write, json={field: "乙"}, headers={"If-Match": first})
    assert late.status_code == 412
    assert late.headers["etag"] == newest
    data = late.json()["data"]
    assert (data["error"], data["etag"], data["current"][field]) == ("stale", newest, "甲")
    again = stage.client.put(write, json={field: "乙"}, headers={"If-Match": newest})
    assert again.status_code == 200
    assert stage.client.put(write, json={field: "丙"}).status_code == 200, "no If-Match: as the contract says"


@pytest.mark.parametrize("kind", ["record", "item"])
def test_version_that_a_restore_lost_never_matches_a_later_one(stage: Stage, kind: str) -> None:
    read, write, change = _paths(stage)[kind]
    (field,) = change
    table, key = (RECORD, RECORD.c.inspection_id) if kind == "record" else (ITEM, ITEM.c.item_id)
    this_one = key == read.rsplit("/", 1)[1]
    backup = stage.database.read_now(lambda session: session.execute(select(table).where(this_one)).one())
    lost = stage.client.put(write, json=change).headers["etag"]
    restore = update(table).where(this_one).values(**backup._mapping)
    stage.database.write_now(lambda session: session.execute(restore))
    theirs = stage.client.put(write, json={field: "乙"})
    late = stage.client.put(write, json={field: "丙"}, headers={"If-Match": lost})
    assert late.status_code == 412
    assert late.headers["etag"] == theirs.headers["etag"]


@pytest.mark.parametrize("kind", ["record", "item"])
def test_change_without_effect_keeps_revision(stage: Stage, kind: str) -> None:
    read, write, change = _paths(stage)[kind]
    before = stage.client.put(write, json=change)
    announced = len(stage.changes)
    for body in ({}, change):
        after = stage.client.put(write, json=body)
        assert after.headers["etag"] == before.headers["etag"]
        assert after.json() == before.json()
    assert stage.client.get(read).headers["etag"] == before.headers["etag"]
    assert len(stage.changes) == announced


@pytest.mark.parametrize("kind", ["record", "item"])
def test_last_editor_is_named_in_header_and_refusal(stage: Stage, kind: str) -> None:
    other, me = "id-of-inspector", "id-of-planner"
    stage.put("executors", id=other, name="王 芳")
    read, write, change = _paths(stage)[kind]
    first = stage.client.get(read)
    assert unquote(first.headers["x-updated-by"]) == me
    assert "updated_by" not in first.text
    done = stage.as_role("inspector").put(write, json=change)
    assert unquote(done.headers["x-updated-by"]) == f"王 芳 ({other})"
    assert "updated_by" not in done.text
    late = stage.client.put(write, json=change, headers={"If-Match": first.headers["etag"]})
    data = late.json()["data"]
    assert data["updated_by"] == {"user_id": other, "name": f"王 芳 ({other})"}
    assert "updated_by" not in data["current"]
    assert "updated_by" not in str(stage.search()["data"])


def test_results_do_not_count_as_manual_changes(stage: Stage) -> None:
    paths = _paths(stage)
    item = paths["item"][1]
    decided = stage.as_role("inspector").post(f"{item}/verdict", json={"verdict": "failed"})
    assert unquote(decided.headers["x-updated-by"]) == "id-of-planner"
    for kind, progress in (("item", None), ("record", 100)):
        answer = stage.client.get(paths[kind][0])
        assert unquote(answer.headers["x-updated-by"]) == "id-of-planner"
        assert progress is None or answer.json()["data"]["progress"] == progress
    # Also after a deletion is undone.
    stage.client.delete(item)
    assert unquote(stage.client.post(f"{item}/restore").headers["x-updated-by"]) == "id-of-planner"


def test_deletion_of_an_older_version_is_refused(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    item_id = stage.item(inspection_id)["item_id"]
    stage.client.put(f"/api/inspection_item/{item_id}", json={"item_name": "新"})
    for path in (f"/api/inspection_item/{item_id}", f"/api/inspection/deleteInspection/{inspection_id}"):
        assert stage.client.delete(path, headers={"If-Match": '"0"'}).status_code == 412
        assert stage.client.delete(path, headers={"If-Match": "*"}).status_code == 200
        assert stage.client.delete(path).status_code == 404


def test_one_of_two_writers_with_the_same_version_succeeds(stage: Stage) -> None:
    for read, write, change in _paths(stage).values():
        tag = stage.client.get(read).headers["etag"]
        (field,) = change
        with ThreadPoolExecutor(6) as pool:
            answers = list(
                pool.map(
                    lambda name, write=write, field=field, tag=tag: (
                        stage.client.put(write, json={field: name}, headers={"If-Match": tag}).status_code
                    ),
                    "abcdef",
                )
            )
        assert sorted(answers) == [200, 412, 412, 412, 412, 412]


def test_parallel_verdicts_are_all_stored(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    items = [stage.item(inspection_id)["item_id"] for _ in range(4)]
    verdicts = ["failed", "passed", "passed"]

    def decide(item_id: str) -> None:
        for verdict in verdicts:
            path = f"/api/inspection_item/{item_id}/verdict"
            assert stage.client.post(path, json={"verdict": verdict}).status_code == 200

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(decide, items * 2))
    for item_id in items:
        result = stage.client.get(f"/api/inspection_item/{item_id}").json()["result"]
        assert [entry["version"] for entry in result] == [1, 2, 3, 4, 5, 6]
    record = stage.get(inspection_id)
    assert record["progress"] == 100
    assert record["inspection_status"] == "passed"


def test_item_cannot_be_added_to_record_being_deleted(stage: Stage) -> None:
    for _ in range(5):
        inspection_id = stage.record()["inspection_id"]
        body = {"item_name": "x", "inspection_id": inspection_id}
        with ThreadPoolExecutor(4) as pool:
            adding = [
                pool.submit(stage.client.post, "/api/inspection_item/create", json=body) for _ in range(3)
            ]
            deletion = pool.submit(stage.client.delete, f"/api/inspection/deleteInspection/{inspection_id}")
        assert deletion.result().status_code == 200
        for addition in adding:
            assert addition.result().status_code in (200, 404)
        assert stage.items(inspection_id) == []


class Deadlock(Exception):
    """The failure of a statement that PostgreSQL ends because of a deadlock."""

    sqlstate = "40P01"


def test_start_that_another_user_gave_stays_if_a_change_is_made_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end moves a start that nobody gave, and the change is made again after the start was given."""
    record = stage.record()["inspection_id"]
    lock, change = Records.lock_matching, records.change_record
    given_start, attempts = dt.datetime(2020, 1, 1), 0

    def lock_after_another_change(self: Records, session: Session, *arguments: Any) -> Any:
        nonlocal attempts
        attempts += 1
        if attempts == 2:
            session.execute(update(RECORD).values(start_time=given_start))
        return lock(self, session, *arguments)

    def change_with_a_deadlock(*arguments: Any) -> None:
        change(*arguments)
        if attempts == 1:
            raise OperationalError("update", None, Deadlock())

    monkeypatch.setattr(Records, "lock_matching", lock_after_another_change)
    monkeypatch.setattr(records, "change_record", change_with_a_deadlock)
    path = f"/api/inspection/updateInspection/{record}"
    answer = stage.client.put(path, json={"end_time": "2020-01-02T00:00:00"})
    assert (answer.status_code, attempts) == (200, 2)
    start = stage.database.read_now(lambda session: session.execute(select(RECORD.c.start_time)).scalar_one())
    assert start == given_start


def test_record_cannot_change_while_it_is_sealed(stage: Stage) -> None:
    stage.files["p"] = stored_file("p")
    record = stage.record()["inspection_id"]
    items = [stage.item(record)["item_id"] for _ in range(4)]
    for item_id in items:
        stage.client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "passed"})

    def work(number: int) -> list[int]:
        path, answers = f"/api/inspection_item/{items[number % 4]}", []
        for turn in range(6):
            verdict = {"verdict": ("failed", "passed")[turn % 2]}
            answers.append(stage.client.post(f"{path}/verdict", json=verdict).status_code)
            answers.append(stage.client.post(f"{path}/photos", json={"file_id": "p"}).status_code)
            if number == turn == 3:
                answers.append(stage.client.post(f"/api/inspection/{record}/finish").status_code)
        return answers

    with ThreadPoolExecutor(8) as pool:
        statuses = [status for answers in pool.map(work, range(8)) for status in answers]
    assert set(statuses) == {200, 409}
    check = stage.service.seal_checks.check_now(record)
    assert (check.intact, check.current) == (True, True)
