"""Tests finishing, releasing and reopening a record."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from sqlalchemy import event, update

from service.inspection.tables import POLICY
from shared.record import results
from tests.service.answers import read_data
from tests.service.inspection.conftest import Stage, stored_file

DONE = {"isPassed": True, "progress": "done", "version": 1, "job_id": "j", "provenance": {"model_id": "m"}}
FAILED = {**DONE, "isPassed": False}
RUNNING = {**DONE, "isPassed": False, "progress": "detecting"}


def finish(stage: Stage, record: str, role: str = "planner", **body: Any) -> Any:
    return stage.as_role(role).post(f"/api/inspection/{record}/finish", json=body)


def read_seal(stage: Stage, record: str) -> dict[str, Any]:
    return read_data(stage.client.get(f"/api/inspection/{record}/seal"))


def set_verdict(stage: Stage, item: dict[str, Any], value: str, role: str = "planner") -> Any:
    path = f"/api/inspection_item/{item['item_id']}/verdict"
    return stage.as_role(role).post(path, json={"verdict": value, "reason": "照片已看"})


def reopen(stage: Stage, record: str, role: str = "planner", reason: str = "补拍") -> Any:
    return stage.as_role(role).post(f"/api/inspection/{record}/reopen", json={"reason": reason})


def test_opinion_is_not_a_verdict(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    stage.item(record, item_name="左翼", result=[DONE])
    stage.item(record, item_name="右翼", result=[{"isPassed": True}])
    assert stage.get(record)["inspection_status"] == "passed"
    answer = stage.client.post(f"/api/inspection/{record}/finish")
    assert (answer.status_code, answer.json()["data"]["error"]) == (409, "undecided_items")
    assert answer.json()["msg"] == "2 个检查项待判定：左翼、右翼"
    assert read_seal(stage, record)["state"] == "open"
    assert stage.get(record)["end_time"] is None


def test_counters_and_outcome_count_verdicts(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    items = [stage.item(record, result=[DONE]) for _ in range(3)] + [stage.item(record)]
    assert read_seal(stage, record)["counters"] == {
        "items": 4,
        "detected": 3,
        "judged": 0,
        "undecided": 4,
        "passed": 0,
        "failed": 0,
    }
    set_verdict(stage, items[0], "passed")
    set_verdict(stage, items[1], "failed")
    set_verdict(stage, items[2], "undecided")
    seal = read_seal(stage, record)
    assert seal["counters"] == {
        "items": 4,
        "detected": 3,
        "judged": 2,
        "undecided": 2,
        "passed": 1,
        "failed": 1,
    }
    assert (seal["state"], seal["outcome"], seal["newest"]) == ("open", None, None)
    set_verdict(stage, items[2], "passed")
    set_verdict(stage, items[3], "passed")
    assert read_seal(stage, record)["outcome"] == "failed"
    # A detection after the verdict needs another verdict.
    boxes = {"of_version": 1, "boxes": []}
    stage.client.post(f"/api/inspection_item/{items[1]['item_id']}/boxes", json=boxes)
    seal = read_seal(stage, record)
    assert (seal["outcome"], seal["counters"]["undecided"]) == (None, 1)
    empty = read_seal(stage, stage.record()["inspection_id"])
    assert (empty["outcome"], set(empty["counters"].values())) == (None, {0})


def test_accepted_opinions_are_signed_verdicts(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    good, bad = stage.item(record, result=[DONE]), stage.item(record, result=[{**FAILED, "version": 3}])
    decided = stage.item(record, result=[FAILED])
    set_verdict(stage, decided, "passed")
    stage.changes.clear()
    answer = finish(stage, record, "inspector", accept_model_opinion=True, reason="照片已看")
    assert read_data(answer)["inspection_status"] == "failed"
    for item, version, value in ((good, 1, "passed"), (bad, 3, "failed")):
        entry = stage.client.get(f"/api/inspection_item/{item['item_id']}").json()["result"][-1]
        accepted = entry["verdict"]
        assert accepted.pop("at") <= answer.json()["data"]["end_time"] + "Z"
        assert accepted == {
            "value": value,
            "reason": "照片已看",
            "by": "id-of-inspector",
            "by_name": "姓名 inspector (inspector)",
            "accepted_opinion_of_version": version,
        }
        assert (entry["version"], results.accepted_version(entry)) == (version + 1, version)
    entry_of_person = stage.client.get(f"/api/inspection_item/{decided['item_id']}").json()["result"][-1]
    assert (entry_of_person["verdict"]["by"], results.accepted_version(entry_of_person)) == (
        "id-of-planner",
        None,
    )
    newest = read_seal(stage, record)["newest"]
    assert (newest["accepted_opinions"], newest["outcome"]) == (2, "failed")
    announced = [(change.action, change.kind) for change in stage.changes]
    assert announced == [("update", "item")] * 2 + [("update", "record"), ("seal", "record")]


def test_only_the_named_items_are_accepted(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    accepted, open_item = (stage.item(record, item_name=name, result=[DONE]) for name in ("左翼", "右翼"))
    answer = finish(stage, record, accept_model_opinion=True, item_ids=[accepted["item_id"]])
    assert answer.json()["data"]["items"] == [
        {"item_id": open_item["item_id"], "item_name": "右翼", "acceptable": True}
    ]
    # Either all of it happens or nothing.
    assert stage.client.get(f"/api/inspection_item/{accepted['item_id']}").json()["result"] == [DONE]
    both = [accepted["item_id"], open_item["item_id"]]
    assert finish(stage, record, accept_model_opinion=True, item_ids=both).status_code == 200


def test_item_without_an_opinion_is_not_accepted(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    error = {**DONE, "isPassed": False, "progress": "error"}
    stage.item(record, item_name="未检测")
    stage.item(record, item_name="检测失败", result=[error])
    corrected = stage.item(record, item_name="已修正", result=[FAILED])
    boxes = {"of_version": 1, "boxes": []}
    stage.client.post(f"/api/inspection_item/{corrected['item_id']}/boxes", json=boxes)
    data = finish(stage, record, accept_model_opinion=True).json()["data"]
    assert (data["count"], data["acceptable"]) == (3, 0)
    assert [item["acceptable"] for item in data["items"]] == [False] * 3


def test_opinion_of_an_older_photo_is_not_accepted(stage: Stage) -> None:
    stage.files |= {name: stored_file(name) for name in ("old", "new")}
    record = stage.record()["inspection_id"]
    item = stage.item(record, result=[{**DONE, "inputImage": {"file_id": "old"}}])
    photos = f"/api/inspection_item/{item['item_id']}/photos"
    photo = [stage.client.post(photos, json={"file_id": name}).json()["data"] for name in ("old", "new")][1]
    assert finish(stage, record, accept_model_opinion=True).json()["data"]["acceptable"] == 0
    stage.client.delete(f"{photos}/{photo['photo_id']}")
    assert finish(stage, record, accept_model_opinion=True).status_code == 200


def test_running_detection_prevents_finishing(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record, item_name="左翼", result=[RUNNING])
    waiting = stage.item(record, item_name="右翼")
    stage.let_wait(record, [waiting["item_id"]])
    answer = finish(stage, record)
    assert (answer.status_code, answer.json()["data"]["error"]) == (409, "detections_running")
    named = [
        {"item_id": open_item["item_id"], "item_name": open_item["item_name"]}
        for open_item in (item, waiting)
    ]
    assert answer.json()["data"]["items"] == named
    assert "左翼、右翼" in answer.json()["msg"]


def test_start_after_end_is_refused(stage: Stage) -> None:
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    late = stage.record(start_time=(now + dt.timedelta(hours=1)).isoformat())["inspection_id"]
    set_verdict(stage, stage.item(late), "passed")
    answer = finish(stage, late)
    assert (answer.status_code, answer.json()["data"]["error"]) == (409, "times_implausible")
    start = (now + dt.timedelta(minutes=2)).isoformat()
    doubt = stage.record(start_time=start)["inspection_id"]
    set_verdict(stage, stage.item(doubt), "passed")
    assert finish(stage, doubt).json()["data"]["end_time"] == start


def test_times_of_a_wrong_clock_are_not_sealed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    record = stage.record()["inspection_id"]
    ahead = dt.datetime.now(dt.UTC).replace(tzinfo=None) + dt.timedelta(hours=2)
    for module in ("records", "item_rows"):
        monkeypatch.setattr(f"service.inspection.records.{module}.naive_now", lambda: ahead)
    set_verdict(stage, stage.item(record), "passed")
    monkeypatch.undo()
    answer = finish(stage, record)
    assert (answer.status_code, answer.json()["data"]["error"]) == (409, "times_implausible")


def test_second_finish_needs_a_reopening_with_a_reason(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)
    set_verdict(stage, item, "passed")
    assert reopen(stage, record).json()["data"]["error"] == "record_not_sealed"
    assert finish(stage, record).status_code == 200
    again = finish(stage, record)
    assert (again.status_code, again.json()["data"]) == (409, {"error": "record_sealed", "edition": 1})
    for reason in ("", "   ", None):
        reopening = {} if reason is None else {"reason": reason}
        assert stage.client.post(f"/api/inspection/{record}/reopen", json=reopening).status_code == 422
    assert set_verdict(stage, item, "failed").json()["data"]["error"] == "record_sealed"
    opened = reopen(stage, record, reason=" 右翼照片拍错 ").json()["data"]
    assert (opened["state"], opened["newest"]["reopen_reason"]) == ("reopened", "右翼照片拍错")
    assert opened["newest"]["reopened_by"] == "id-of-planner"
    body = stage.get(record)
    assert (body["inspection_status"], body["end_time"]) == ("in_progress", None)
    assert reopen(stage, record).json()["data"]["error"] == "record_not_sealed"
    assert set_verdict(stage, item, "failed").status_code == 200
    assert finish(stage, record).json()["data"]["inspection_status"] == "failed"
    listed = stage.client.get(f"/api/inspection/{record}/editions").json()["data"]
    assert [(edition["edition"], edition["outcome"]) for edition in listed] == [(1, "passed"), (2, "failed")]
    assert listed[0]["seal"] != listed[1]["seal"]
    assert listed[0]["finished_at"] <= listed[0]["reopened_at"] <= listed[1]["finished_at"]
    first = stage.client.get(f"/api/inspection/{record}/editions/1").json()["data"]["content"]
    assert first["items"][0]["result"][-1]["verdict"]["value"] == "passed"
    assert stage.client.get(f"/api/inspection/{record}/editions/3").status_code == 404
    # An edition stays readable after its record was deleted.
    reopen(stage, record)
    assert stage.client.delete(f"/api/inspection/deleteInspection/{record}").status_code == 200
    assert len(stage.client.get(f"/api/inspection/{record}/editions").json()["data"]) == 2
    assert stage.client.get(f"/api/inspection/{record}/seal").status_code == 404
    assert stage.client.get("/api/inspection/none/editions").status_code == 404


def test_inspector_cannot_reopen(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    set_verdict(stage, stage.item(record), "passed", "inspector")
    assert finish(stage, record, "inspector").status_code == 200
    answer = reopen(stage, record, "inspector")
    assert (answer.status_code, answer.json()["data"]["permissions"]) == (403, ["INSPECTION_REOPEN"])
    assert reopen(stage, record, "admin").status_code == 200


def test_second_person_releases(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    set_verdict(stage, stage.item(record), "passed")
    path = f"/api/inspection/{record}/release"
    assert stage.client.post(path, json={"edition": 1}).json()["data"]["error"] == "record_not_sealed"
    stage.database.write_now(set_two_person_release(True))
    assert finish(stage, record).status_code == 200
    seal = read_seal(stage, record)
    assert (seal["state"], seal["newest"]["needs_release"]) == ("awaiting_release", True)
    own_release = stage.client.post(path, json={"edition": 1})
    assert (own_release.status_code, own_release.json()["data"]["error"]) == (403, "same_person")
    admin = stage.as_role("admin")
    other = admin.post(path, json={"edition": 2}).json()["data"]
    assert other == {"error": "other_edition", "edition": 1}
    assert stage.as_role("inspector").post(path, json={"edition": 1}).status_code == 403
    released = admin.post(path, json={"edition": 1}).json()["data"]
    assert (released["state"], released["newest"]["released_by"]) == ("finished", "id-of-admin")
    assert released["newest"]["released_at"] >= released["newest"]["finished_at"]
    twice = admin.post(path, json={"edition": 1})
    assert twice.json()["data"]["error"] == "not_awaiting_release"
    assert stage.client.get(f"/api/inspection/{record}/seal/verify").json()["data"]["intact"] is True
    # The rule at the time of the finish applies. A record that awaits its release can be reopened too.
    reopen(stage, record)
    finish(stage, record)
    stage.database.write_now(set_two_person_release(False))
    assert read_seal(stage, record)["state"] == "awaiting_release"
    assert reopen(stage, record).json()["data"]["state"] == "reopened"
    assert admin.post(path, json={"edition": 2}).json()["data"]["error"] == "not_awaiting_release"
    finish(stage, record)
    assert read_seal(stage, record)["state"] == "finished"


def set_two_person_release(wanted: bool) -> Any:
    return lambda session: session.execute(update(POLICY).values(four_eyes=wanted))


def test_summaries_of_several_records_are_one_query(stage: Stage) -> None:
    ids = []
    for number in range(4):
        record = stage.record()["inspection_id"]
        ids.append(record)
        for _ in range(number):
            set_verdict(stage, stage.item(record), "passed")
    finish(stage, ids[3])
    statements: list[str] = []

    def record_statement(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            statements.append(statement)

    event.listen(stage.database.reader, "before_cursor_execute", record_statement)
    wanted = [ids[3], "none", *ids[:3], ids[0]]
    answer = stage.client.get("/api/inspection/summaries", params={"ids": wanted})
    event.remove(stage.database.reader, "before_cursor_execute", record_statement)
    summaries = answer.json()["data"]
    assert [summary["inspection_id"] for summary in summaries] == [ids[3], *ids[:3]]
    assert [
        (summary["state"], summary["counters"]["passed"], summary["outcome"]) for summary in summaries
    ] == [
        ("finished", 3, "passed"),
        ("open", 0, None),
        ("open", 1, "passed"),
        ("open", 2, "passed"),
    ]
    # One query for the counters and one for the editions, for any number of records.
    assert len(statements) == 2
    many = {"ids": [str(number) for number in range(201)]}
    assert stage.client.get("/api/inspection/summaries", params=many).status_code == 422
    assert stage.client.get("/api/inspection/summaries").status_code == 422


def test_finish_after_concurrent_change_is_stale(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)
    tag = stage.client.get(f"/api/inspection/getInspectionById/{record}").headers["etag"]
    set_verdict(stage, item, "failed")
    answer = stage.client.post(f"/api/inspection/{record}/finish", headers={"If-Match": tag})
    assert answer.status_code == 412


def test_rule_forbids_finishing_with_passed_items_that_were_not_inspected(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    stage.files["photo"] = stored_file("photo")
    coverage = {"inspected": 0.75, "ignored": 0.0, "required": 0.95}
    partly = {
        **DONE,
        "isPassed": False,
        "progress": "incomplete",
        "inputImage": {"file_id": "photo"},
        "provenance": {"coverage": coverage},
    }
    names = {"前缘": None, "铆钉": [], "口盖": [partly], "轮胎": None}
    items = {
        name: stage.item(record, item_name=name, result=entries or []) for name, entries in names.items()
    }
    for name, entries in names.items():
        if entries is not None:
            path = f"/api/inspection_item/{items[name]['item_id']}/photos"
            assert stage.client.post(path, json={"file_id": "photo"}).status_code == 200
        set_verdict(stage, items[name], "failed" if name == "轮胎" else "passed")
    stage.database.write_now(lambda session: session.execute(update(POLICY).values(requires_inspection=True)))
    refused = finish(stage, record)
    assert (refused.status_code, refused.json()["data"]["error"]) == (409, "not_inspected")
    assert [(item["item_name"], item["gap"]) for item in refused.json()["data"]["items"]] == [
        ("前缘", "no_photo"),
        ("铆钉", "not_detected"),
        ("口盖", "incomplete_coverage"),
    ]
    stage.database.write_now(
        lambda session: session.execute(update(POLICY).values(requires_inspection=False))
    )
    assert finish(stage, record).status_code == 200


def test_accepting_opinions_leaves_out_an_incomplete_inspection(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    stage.item(record, item_name="前缘", result=[{**DONE, "isPassed": False, "progress": "incomplete"}])
    refused = finish(stage, record, accept_model_opinion=True)
    assert refused.json()["data"]["error"] == "undecided_items"
    # It is no finished result.
    assert stage.get(record)["inspection_status"] == "not_started"
