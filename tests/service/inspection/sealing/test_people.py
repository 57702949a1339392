"""Tests who counts as a user of a record: for its release, and for the changes of full names."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any

import pytest
from sqlmodel import Session

from service.inspection.sealing import editions
from service.inspection.sealing.editions import relevant_changes
from shared.wire.seal import NameChange
from tests.service.inspection.conftest import Stage
from tests.service.inspection.sealing.test_finishing import (
    DONE,
    finish,
    read_seal,
    reopen,
    set_two_person_release,
    set_verdict,
)


def change(hour: int, old: str = "张三", new: str = "主任", username: str = "planner") -> NameChange:
    at = dt.datetime(2026, 3, 1, hour, tzinfo=dt.UTC)
    return NameChange(at=at, username=username, old_name=old, new_name=new)


def release(stage: Stage, record: str, role: str, edition: int = 1) -> Any:
    return stage.as_role(role).post(f"/api/inspection/{record}/release", json={"edition": edition})


def correct(stage: Stage, item: dict[str, Any], role: str) -> None:
    path = f"/api/inspection_item/{item['item_id']}/boxes"
    answer = stage.as_role(role).post(path, json={"of_version": 1, "boxes": []})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("signs", ["verdict", "replaced verdict", "correction"])
def test_user_who_signed_a_result_does_not_release_it(stage: Stage, signs: str) -> None:
    stage.database.write_now(set_two_person_release(True))
    record = stage.record()["inspection_id"]
    item = stage.item(record, result=[DONE])
    if signs == "correction":
        correct(stage, item, "admin")
    else:
        set_verdict(stage, item, "failed", "admin")
    if signs != "verdict":
        set_verdict(stage, item, "passed", "inspector")
    assert finish(stage, record, "inspector").status_code == 200
    assert "id-of-admin" in read_seal(stage, record)["signed_by"]
    refused = release(stage, record, "admin")
    assert (refused.status_code, refused.json()["data"]["error"]) == (403, "same_person")
    assert refused.json()["msg"] == "不能复核本人完成、判定或修正过的检查记录，请由未参与此记录的用户复核"
    assert release(stage, record, "planner").status_code == 200
    assert read_seal(stage, record)["signed_by"] == []


def test_user_of_an_earlier_edition_does_not_release_a_later_one(stage: Stage) -> None:
    stage.database.write_now(set_two_person_release(True))
    record = stage.record()["inspection_id"]
    item = stage.item(record)
    set_verdict(stage, item, "failed", "admin")
    finish(stage, record, "inspector")
    reopen(stage, record)
    set_verdict(stage, item, "passed", "inspector")
    assert finish(stage, record, "inspector").status_code == 200
    assert release(stage, record, "admin", 2).status_code == 403


def test_executor_is_named_with_the_username(stage: Stage) -> None:
    stage.put("executors", id="u1", name="张三", username="zhang3")
    record = stage.record(executor_id="u1")["inspection_id"]
    set_verdict(stage, stage.item(record), "passed")
    assert stage.get(record)["executor_name"] == "张三"
    assert read_seal(stage, record)["executor"] == "张三 (zhang3)"
    finish(stage, record)
    edition = stage.client.get(f"/api/inspection/{record}/editions/1").json()["data"]
    assert edition["content"]["known"]["executor"] == "张三 (zhang3)"
    assert edition["finished_by_name"] == "姓名 planner (planner)"


def test_changes_of_the_names_of_the_record_are_listed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    record = stage.record(executor_id="id-of-viewer")["inspection_id"]
    item = stage.item(record)
    set_verdict(stage, item, "failed", "admin")
    set_verdict(stage, item, "passed", "inspector")
    finish(stage, record)
    changes = {
        username: NameChange(at=dt.datetime.now(dt.UTC), username=username, old_name=None, new_name="主任")
        for username in ("admin", "inspector", "planner", "viewer", "other")
    }
    before = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    for username in changes:
        stage.put("executors", id=f"id-of-{username}", name=None, username=username)

    def name_changes(_session: Session, user_ids: Collection[str]) -> list[NameChange]:
        named = [change for name, change in changes.items() if f"id-of-{name}" in user_ids]
        return [change.model_copy(update={"at": before}) for change in named] + named

    monkeypatch.setattr(editions, "name_changes", name_changes)
    path = f"/api/inspection/{record}/users"
    listed = stage.client.get(path).json()["data"]["name_changes"]
    assert {named["username"] for named in listed} == {"admin", "inspector", "planner", "viewer"}
    usernames = stage.client.get(path).json()["data"]["usernames"]
    assert usernames == {f"id-of-{name}": name for name in ("admin", "inspector", "planner", "viewer")}
    reopen(stage, record)
    stage.client.delete(f"/api/inspection/deleteInspection/{record}")
    of_deleted = stage.client.get(path).json()["data"]["name_changes"]
    assert {named["username"] for named in of_deleted} == {"admin", "inspector", "planner", "viewer"}
    assert stage.client.get("/api/inspection/none/users").status_code == 404


def test_changes_around_the_record_are_relevant() -> None:
    start, end = (dt.datetime(2026, 3, 1, hour, tzinfo=dt.UTC) for hour in (8, 10))
    renamed, during, back = change(7), change(9), change(11, "主任", "张三")
    assert relevant_changes([change(6), renamed, back, change(12)], start, end) == [renamed, back]
    assert relevant_changes([during], start, end) == [during]
    assert relevant_changes([renamed, during, back], start, end) == [renamed, during, back]
    assert relevant_changes([during, back], start, None) == [during, back]
    # One that is before or after the record leaves no doubt about its names.
    assert relevant_changes([renamed], start, end) == []
    assert relevant_changes([back], start, end) == []
    assert relevant_changes([renamed, change(11, username="li4")], start, end) == []
