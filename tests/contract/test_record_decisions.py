"""Tests the decisions where the contract about inspection records is silent: one test for each."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.contract import test_records
from tests.contract.application import ContractApp, assert_invalid, assert_refused, new_id
from tests.contract.records import update_record


def test_decision_no_such_record(service: ContractApp) -> None:
    for method, path in (
        ("GET", "/api/inspection/getInspectionById/none"),
        ("PUT", "/api/inspection/updateInspection/none"),
        ("DELETE", "/api/inspection/deleteInspection/none"),
    ):
        answer = service.admin.request(method, path, json={} if method == "PUT" else None)
        assert_refused(answer, 404, "not_found", "检查记录不存在")


def test_decision_references_to_unknown_objects_are_stored_unchanged(service: ContractApp) -> None:
    record = service.create_record(task_id="其他系统/42", executor_id="?", reference_image_id="#")
    assert (record["task_id"], record["executor_id"], record["reference_image_id"]) == (
        "其他系统/42",
        "?",
        "#",
    )
    for name in ("executor_name", "reference_image_name", "flight_id", "aircraft_id", "aircraft_name"):
        assert record[name] is None


def test_decision_another_status_is_422(service: ContractApp) -> None:
    record = service.create_record()
    body = {"task_id": "t", "inspection_status": "done"}
    assert_invalid(service.admin.post("/api/inspection/create", json=body), "inspection_status")
    path = f"/api/inspection/updateInspection/{record['inspection_id']}"
    assert_invalid(service.admin.put(path, json=body), "inspection_status")
    assert service.get_record(record["inspection_id"]) == record


def test_decision_progress_and_status_follow_the_items(service: ContractApp) -> None:
    record = service.create_record()["inspection_id"]

    def state() -> tuple[int, str]:
        current = service.get_record(record)
        return current["progress"], current["inspection_status"]

    first, second = service.create_item(record), service.create_item(record)
    assert state() == (0, "not_started")
    path = "/api/inspection_item/{}"
    service.admin.put(path.format(first["item_id"]), json={"result": [{"isPassed": True}]})
    assert state() == (50, "in_progress")
    service.admin.put(path.format(second["item_id"]), json={"result": [{"isPassed": False}]})
    assert state() == (100, "failed")
    service.admin.put(
        path.format(second["item_id"]), json={"result": [{"isPassed": False}, {"isPassed": True}]}
    )
    assert state() == (100, "passed")
    update_record(service, record, progress=3, inspection_status="not_started")
    assert state() == (3, "not_started")
    service.admin.delete(path.format(second["item_id"]))
    assert state() == (100, "passed")


def test_decision_a_status_set_by_hand_stays_without_a_finished_result(service: ContractApp) -> None:
    def state(record: str) -> tuple[int, str]:
        current = service.get_record(record)
        return current["progress"], current["inspection_status"]

    record = service.create_record(inspection_status="in_progress", progress=40)["inspection_id"]
    item = service.create_item(record)["item_id"]
    assert state(record) == (0, "in_progress")
    service.create_item(record, result=[{"progress": "pending"}])
    assert state(record) == (0, "in_progress")
    update_record(service, record, inspection_status="not_started")
    service.create_item(record)
    assert state(record) == (0, "not_started")
    service.admin.put(f"/api/inspection_item/{item}", json={"result": [{"isPassed": True}]})
    assert state(record) == (33, "in_progress")
    service.admin.put(f"/api/inspection_item/{item}", json={"result": []})
    assert state(record) == (0, "in_progress")


@pytest.mark.parametrize("status", ["passed", "failed"])
def test_decision_passed_and_failed_fall_back_without_a_finished_result(
    service: ContractApp, status: str
) -> None:
    record = service.create_record(inspection_status=status, progress=100)["inspection_id"]
    service.create_item(record)
    current = service.get_record(record)
    assert (current["progress"], current["inspection_status"]) == (0, "in_progress")


def test_decision_cancelled_is_never_left_by_recomputing(service: ContractApp) -> None:
    record = service.create_record(inspection_status="cancelled")["inspection_id"]
    service.create_item(record, result=[{"isPassed": True}])
    assert service.get_record(record)["inspection_status"] == "cancelled"


def test_decision_times_with_an_offset_are_converted_to_utc(service: ContractApp) -> None:
    record = service.create_record(start_time="2026-03-01T08:00:00+08:00", end_time="2026-03-01T08:00:00Z")
    assert (record["start_time"], record["end_time"]) == ("2026-03-01T00:00:00", "2026-03-01T08:00:00")
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    assert abs(dt.datetime.fromisoformat(record["created_at"]) - now) < dt.timedelta(minutes=5)


@pytest.mark.parametrize(
    "query",
    [
        {"page_size": 0},
        {"page_size": 201},
        {"page_size": 2**63},
        {"page_size": "x"},
        {"current_page": 0},
        {"current_page": -1},
        {"current_page": 2**63},
        {"current_page": "1.5"},
    ],
    ids=repr,
)
def test_decision_paging_out_of_its_range_is_422(service: ContractApp, query: dict[str, int | str]) -> None:
    params: dict[str, int | str] = {"current_page": 1, "page_size": 10, **query}
    assert_invalid(service.admin.get("/api/inspection/search", params=params), *query)


def test_decision_page_size_200_and_newest_first(service: ContractApp) -> None:
    task = new_id("task")
    record_ids = [service.create_record(task_id=task)["inspection_id"] for _ in range(5)]
    page = service.search(task_id=task, page_size=200)
    assert [record["inspection_id"] for record in page["data"]] == record_ids[::-1]


def test_decision_executor_name_is_a_substring_taken_literally(
    service: ContractApp, record_with_references: dict[str, Any]
) -> None:
    task = record_with_references["task"]["task_id"]
    assert service.search(task_id=task, executor_name="任")["pagination"]["total"] == 1
    assert service.search(task_id=task, executor_name="%")["pagination"]["total"] == 0
    assert service.search(task_id=task, executor_name="主_")["pagination"]["total"] == 0


def test_decision_time_ranges_are_inclusive(service: ContractApp) -> None:
    task = new_id("task")
    service.create_record(task_id=task, start_time="2026-03-01T08:00:00")
    for start_from, start_to, total in (
        ("2026-03-01T08:00:00", "2026-03-01T08:00:00", 1),
        ("2026-03-01T08:00:01", "2026-03-01T09:00:00", 0),
        ("2026-03-01T07:00:00", "2026-03-01T07:59:59", 0),
    ):
        page = service.search(task_id=task, start_time_from=start_from, start_time_to=start_to)
        assert page["pagination"]["total"] == total


def test_decision_an_end_before_the_start_is_422(service: ContractApp) -> None:
    early, late = "2026-03-01T08:00:00", "2026-03-01T08:00:01"
    body = {"task_id": "t", "start_time": late, "end_time": early}
    answer = service.admin.post("/api/inspection/create", json=body)
    assert_invalid(answer, "end_time")
    assert answer.json()["msg"] == "end_time：不能早于开始时间"
    # Equal times, and times with an offset: the moments are compared.
    service.create_record(start_time=late, end_time=late)
    service.create_record(start_time="2026-03-01T08:00:00+08:00", end_time="2026-03-01T00:00:01Z")
    record = service.create_record(start_time=late)
    path = f"/api/inspection/updateInspection/{record['inspection_id']}"
    assert_invalid(service.admin.put(path, json={"end_time": early}), "end_time")
    assert_invalid(service.admin.put(path, json={"start_time": late, "end_time": early}), "end_time")
    assert service.get_record(record["inspection_id"]) == record
    update_record(service, record["inspection_id"], end_time=late)
    answer = service.admin.put(path, json={"start_time": "2026-03-01T08:00:02"})
    assert_invalid(answer, "start_time")
    assert answer.json()["msg"] == "start_time：不能晚于结束时间"
    after = update_record(service, record["inspection_id"], start_time="2026-03-01T08:00:02", end_time=None)
    assert (after["start_time"], after["end_time"]) == ("2026-03-01T08:00:02", None)


def test_decision_null_clears_a_nullable_field(service: ContractApp) -> None:
    record = service.create_record(
        inspection_name="x", executor_id="u", reference_image_id="r", start_time="2026-03-01T08:00:00"
    )
    names = ("inspection_name", "executor_id", "reference_image_id", "end_time")
    after = update_record(service, record["inspection_id"], **dict.fromkeys(names))
    assert [after[name] for name in names] == [None] * 4


@pytest.mark.parametrize("name", ["task_id", "progress", "start_time", "inspection_status"])
def test_decision_null_for_another_field_is_422(service: ContractApp, name: str) -> None:
    record = service.create_record()
    path = f"/api/inspection/updateInspection/{record['inspection_id']}"
    assert_invalid(service.admin.put(path, json={name: None}), name)
    assert service.get_record(record["inspection_id"]) == record


@pytest.mark.parametrize("body", [{}, {"start_time": None}])
def test_decision_a_record_without_start_begins_at_its_creation(
    service: ContractApp, body: dict[str, Any]
) -> None:
    record = service.create_record(**body)
    assert record["start_time"] == record["created_at"]


def test_decision_a_start_that_nobody_gave_is_not_after_the_end(service: ContractApp) -> None:
    end = "2026-03-01T08:00:00"
    ended = service.create_record(end_time=end)
    assert (ended["start_time"], ended["end_time"]) == (end, end)
    later = service.create_record()
    after = update_record(service, later["inspection_id"], end_time=end)
    assert (after["start_time"], after["end_time"]) == (end, end)


def test_decision_progress_as_digits_is_a_number(service: ContractApp) -> None:
    record = service.create_record(progress="7")
    assert record["progress"] == 7
    assert update_record(service, record["inspection_id"], progress="08")["progress"] == 8


@pytest.mark.parametrize("status", ["unknown", "PASSED", "未知"])
def test_decision_unknown_status_in_a_search_finds_nothing(service: ContractApp, status: str) -> None:
    record = service.create_record()
    page = service.search(task_id=record["task_id"], inspection_status=status)
    assert (page["data"], page["pagination"]["total"]) == ([], 0)


def test_decision_an_empty_update_changes_nothing(service: ContractApp) -> None:
    record = service.create_record()
    assert update_record(service, record["inspection_id"]) == record


def test_decision_deleting_a_record_deletes_its_items(service: ContractApp) -> None:
    item = service.create_item()
    service.admin.delete(f"/api/inspection/deleteInspection/{item['inspection_id']}")
    answer_after = service.admin.get(f"/api/inspection_item/{item['item_id']}")
    assert_refused(answer_after, 404, "not_found", "检查项不存在")
    body = {"item_name": "x", "inspection_id": item["inspection_id"]}
    late = service.admin.post("/api/inspection_item/create", json=body)
    assert_refused(late, 404, "not_found", "检查记录不存在")


def test_decision_unknown_body_fields_are_ignored(service: ContractApp) -> None:
    record = service.create_record(colour="red", inspection_id="mine", created_at="2000-01-01T00:00:00")
    assert list(record) == test_records.FIELDS
    assert record["inspection_id"] != "mine"
    assert update_record(service, record["inspection_id"], colour="red", flight_id="f") == record


def test_decision_openapi_lists_the_api_form_once(service: ContractApp) -> None:
    paths = service.anonymous.get("/api/openapi.json").json()["paths"]
    assert [path for path in paths if path.endswith("/inspection/search")] == ["/api/inspection/search"]
