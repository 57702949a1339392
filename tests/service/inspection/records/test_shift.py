"""Tests of the work of a shift, handovers and comments."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from sqlmodel import Session

from service.account.tables import LoginSession
from service.db.database import now
from service.inspection.tables import COMMENT, POLICY
from tests.service.answers import read_data
from tests.service.inspection.conftest import Stage

PLANNER = "id-of-planner"


def _counts(stage: Stage, role: str = "planner") -> dict[str, Any]:
    return read_data(stage.as_role(role).get("/api/inspection/work"))


def _names(stage: Stage, work: str, role: str = "planner") -> list[str]:
    query = f"work={work}&current_page=1&page_size=50"
    found = read_data(stage.as_role(role).get(f"/api/inspection/search?{query}"))
    return [record["inspection_name"] for record in found["data"]]


def _login(stage: Stage, user_id: str, session_id: str, at: dt.datetime) -> None:
    stage.put("executors", id=user_id, name=None)

    def work(session: Session) -> None:
        session.add(
            LoginSession(
                id=session_id,
                user_id=user_id,
                created_at=at,
                methods="pwd",
                address="",
                refresh_hash=session_id,
                expires_at=at,
            )
        )

    stage.database.write_now(work)


def test_work_of_each_kind_is_counted_and_found(stage: Stage) -> None:
    mine = stage.record(inspection_name="mine", executor_id=PLANNER)
    other = stage.record(inspection_name="undecided", executor_id="x")
    item = stage.item(other["inspection_id"])
    stage.write_entries(item, [{"job_id": "j", "isPassed": True, "progress": "done", "version": 1}])
    done = stage.record(inspection_name="done", executor_id=PLANNER)
    stage.item(done["inspection_id"])
    stage.finish(done["inspection_id"])
    assert mine["inspection_name"] in _names(stage, "open")
    assert _names(stage, "mine") == ["mine"]
    assert _names(stage, "undecided") == ["undecided"]
    assert sorted(_names(stage, "open")) == ["mine", "undecided"]
    counts = _counts(stage)
    assert {name: counts[name] for name in ("mine", "open", "undecided", "review", "failed")} == {
        "mine": 1,
        "open": 2,
        "undecided": 1,
        "review": 0,
        "failed": 0,
    }
    assert _counts(stage, "viewer")["mine"] == 0


def test_record_that_awaits_release_waits_for_review(stage: Stage) -> None:
    record = stage.record(inspection_name="wait")["inspection_id"]
    stage.item(record)
    stage.database.write_now(lambda session: session.execute(POLICY.update().values(four_eyes=True)))
    stage.finish(record)
    assert _names(stage, "review") == ["wait"]
    assert _counts(stage)["review"] == 1


def test_failure_is_repaired_by_a_later_passed_record_of_the_same_reference_image(stage: Stage) -> None:
    for number in range(2):
        record = stage.record(inspection_name=str(number), reference_image_id=f"r{number}")["inspection_id"]
        stage.decide(stage.item(record), "failed", "清楚可见的损伤")
        if number:
            stage.finish(record)
    assert sorted(_names(stage, "failed")) == ["0", "1"]
    later = stage.record(inspection_name="later", reference_image_id="r1")["inspection_id"]
    stage.decide(stage.item(later), "passed")
    assert sorted(_names(stage, "failed")) == ["0", "1"]
    stage.finish(later)
    assert _names(stage, "failed") == ["0"]


def test_news_are_others_changes_since_the_last_login(stage: Stage) -> None:
    stage.record(inspection_name="before")
    _login(stage, PLANNER, "earlier", now())
    assert _counts(stage)["news"] == 0
    theirs = stage.as_role("inspector").post(
        "/api/inspection/create", json={"task_id": "t", "inspection_name": "theirs"}
    )
    assert theirs.status_code == 200
    stage.record(inspection_name="mine")
    assert _names(stage, "news") == ["theirs"]
    counts = _counts(stage)
    assert (counts["news"], counts["since"] is None) == (1, False)


def test_user_who_never_logged_in_before_has_no_news(stage: Stage) -> None:
    _login(stage, PLANNER, "s", now() - dt.timedelta(days=1))
    stage.as_role("inspector").post("/api/inspection/create", json={"task_id": "t"})
    counts = _counts(stage)
    assert (counts["news"], counts["since"]) == (0, None)


def test_work_is_ordered_by_the_time_of_the_flight_then_by_aircraft(stage: Stage) -> None:
    for flight, hour, aircraft in (("f1", 9, "B-2"), ("f2", 8, "B-9"), ("f3", 9, "B-1")):
        stage.put("aircraft", id=aircraft, name=aircraft)
        at: Any = dt.datetime(2026, 3, 1, hour, tzinfo=dt.UTC)
        stage.put("flights", id=flight, aircraft_id=aircraft, scheduled_at=at)
        stage.put("tasks", id=f"of-{flight}", flight_id=flight)
        stage.record(inspection_name=flight, task_id=f"of-{flight}")
    stage.record(inspection_name="none")
    assert _names(stage, "open") == ["f2", "f3", "f1", "none"]


def test_handover_changes_the_executor_and_keeps_the_note(stage: Stage) -> None:
    stage.put("executors", id="li", name="李四")
    record = stage.record(executor_id=PLANNER)["inspection_id"]
    path = f"/api/inspection/{record}/handovers"
    stage.changes.clear()
    answer = stage.client.post(path, json={"given_to": "li", "note": " 还剩左侧 "})
    assert answer.status_code == 200, answer.text
    (handover,) = stage.client.get(path).json()["data"]
    assert handover == answer.json()["data"]
    assert (handover["given_to_name"], handover["note"]) == ("李四 (li)", "还剩左侧")
    assert handover["given_by"] == PLANNER
    assert stage.get(record)["executor_id"] == "li"
    assert [change.action for change in stage.changes] == ["hand_over", "update"]
    assert stage.changes[0].details == {"given_to": "li", "note": "还剩左侧"}


def test_handover_to_an_unknown_user_or_a_viewer_is_404(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    stage.put("executors", id="guest", name="访客", role="viewer")
    for nobody in ("x", "guest"):
        body = {"given_to": nobody, "note": "n"}
        assert stage.client.post(f"/api/inspection/{record}/handovers", json=body).status_code == 404
    assert stage.client.get("/api/inspection/none/handovers").status_code == 404


def test_inspectors_are_the_users_who_can_log_in_and_change_records(stage: Stage) -> None:
    stage.put("executors", id="li", name="李四")
    stage.put("executors", id="guest", name="访客", role="viewer")
    listed = stage.client.get("/api/inspection/inspectors").json()["data"]
    assert {"user_id": "li", "name": "李四 (li)"} in listed
    assert "guest" not in [person["user_id"] for person in listed]
    assert stage.as_role("viewer").get("/api/inspection/inspectors").status_code == 403


def test_comment_at_a_place_is_listed_with_its_author(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)["item_id"]
    path = f"/api/inspection/{record}/comments"
    body = {"item_id": item, "text": "铆钉松动？", "file_id": "p", "x": 0.25, "y": 0.5}
    assert stage.client.post(path, json=body).status_code == 200
    assert stage.client.post(path, json={"item_id": item, "text": "补拍"}).status_code == 200
    first, second = stage.client.get(path).json()["data"]
    assert {name: first[name] for name in body} == body
    assert (first["written_by"], first["written_by_name"]) == (PLANNER, "姓名 planner (planner)")
    assert (second["text"], second["x"]) == ("补拍", None)
    stage.client.delete(f"/api/inspection_item/{item}")
    assert stage.client.get(path).json()["data"] == []
    stage.client.post(f"/api/inspection_item/{item}/restore")
    assert len(stage.client.get(path).json()["data"]) == 2


@pytest.mark.parametrize(
    "wrong",
    [{"text": "  "}, {"file_id": "p"}, {"file_id": "p", "x": 0.5}, {"file_id": "p", "x": 1.5, "y": 0}],
)
def test_comment_without_text_or_with_half_a_place_is_refused(stage: Stage, wrong: dict[str, Any]) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)["item_id"]
    body = {"item_id": item, "text": "t", **wrong}
    assert stage.client.post(f"/api/inspection/{record}/comments", json=body).status_code == 422


def test_comment_on_an_item_of_another_record_is_404(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"])["item_id"]
    other = stage.record()["inspection_id"]
    answer = stage.client.post(f"/api/inspection/{other}/comments", json={"item_id": item, "text": "t"})
    assert answer.status_code == 404


def test_comments_are_sealed(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)["item_id"]
    path = f"/api/inspection/{record}/comments"
    stage.client.post(path, json={"item_id": item, "text": "甲", "file_id": "p", "x": 0.1, "y": 0.2})
    stage.finish(record)
    assert stage.client.post(path, json={"item_id": item, "text": "乙"}).status_code == 409
    check = f"/api/inspection/{record}/seal/verify"
    assert stage.client.get(check).json()["data"]["differences"] == []
    stage.database.write_now(lambda session: session.execute(COMMENT.update().values(text="改")))
    found = stage.client.get(check).json()["data"]["differences"]
    assert [difference["path"] for difference in found] == ["comments[0].text"]


def test_author_changes_and_deletes_a_comment_until_the_record_is_sealed(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)["item_id"]
    path = f"/api/inspection/{record}/comments"
    ids = [
        stage.client.post(path, json={"item_id": item, "text": text}).json()["data"]["comment_id"]
        for text in ("甲", "乙", "丙")
    ]
    stage.changes.clear()
    changed = stage.client.put(f"{path}/{ids[0]}", json={"text": "甲二"}).json()["data"]
    assert changed["text"] == "甲二"
    assert stage.client.delete(f"{path}/{ids[1]}").status_code == 200
    assert [comment["text"] for comment in stage.client.get(path).json()["data"]] == ["甲二", "丙"]
    assert [(change.action, change.details["text"]) for change in stage.changes] == [
        ("comment_changed", {"old": "甲", "new": "甲二"}),
        ("comment_deleted", {"old": "乙", "new": None}),
    ]
    assert stage.client.put(f"{path}/{ids[1]}", json={"text": "x"}).status_code == 404
    stage.finish(record)
    assert stage.client.put(f"{path}/{ids[0]}", json={"text": "x"}).status_code == 409
    assert stage.client.delete(f"{path}/{ids[2]}").status_code == 409


def test_comment_of_another_user_cannot_be_changed(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)["item_id"]
    path = f"/api/inspection/{record}/comments"
    comment = stage.client.post(path, json={"item_id": item, "text": "甲"}).json()["data"]["comment_id"]
    other = stage.as_role("inspector")
    assert other.put(f"{path}/{comment}", json={"text": "x"}).status_code == 403
    assert other.delete(f"{path}/{comment}").status_code == 403
    elsewhere = stage.record()["inspection_id"]
    assert stage.client.delete(f"/api/inspection/{elsewhere}/comments/{comment}").status_code == 404
    assert [comment["text"] for comment in stage.client.get(path).json()["data"]] == ["甲"]
