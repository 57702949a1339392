"""Tests the rows of the contract, and of the decisions on it, about inspection records: one test for each."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.application import (
    ContractApp,
    assert_forbidden,
    assert_invalid,
    assert_not_logged_in,
    assert_refused,
    new_id,
)
from tests.contract.records import NO_SUFFIX, update_record
from tests.service.answers import read_body

FIELDS = [
    "inspection_id",
    "inspection_name",
    "task_id",
    "executor_id",
    "executor_name",
    "reference_image_id",
    "reference_image_name",
    "progress",
    "start_time",
    "end_time",
    "inspection_status",
    "status_name",
    "flight_id",
    "aircraft_id",
    "aircraft_name",
    "created_at",
    "updated_at",
]
FILTERS = [
    "task_id",
    "executor_id",
    "inspection_status",
    "reference_image_id",
    "flight_id",
    "aircraft_id",
    "executor_name",
    "start_time_from",
    "start_time_to",
    "end_time_from",
    "end_time_to",
]


# Resources and their fields: inspection record


def test_the_record_has_exactly_the_fields_of_the_table(service: ContractApp) -> None:
    assert list(service.get_record(service.create_record()["inspection_id"])) == FIELDS


def test_field_inspection_id_is_returned_on_create(service: ContractApp) -> None:
    record = service.create_record()
    assert isinstance(record["inspection_id"], str)
    assert service.get_record(record["inspection_id"]) == record


def test_field_inspection_name(service: ContractApp) -> None:
    assert service.create_record(inspection_name="左翼航前检查")["inspection_name"] == "左翼航前检查"
    assert service.create_record()["inspection_name"] is None


def test_field_task_id_is_required_on_create(service: ContractApp) -> None:
    task = new_id("task")
    assert service.create_record(task_id=task)["task_id"] == task
    assert_invalid(service.admin.post("/api/inspection/create", json={"inspection_name": "x"}), "task_id")


def test_field_executor_id(service: ContractApp) -> None:
    assert service.create_record(executor_id="u-7")["executor_id"] == "u-7"


def test_field_executor_name_is_in_detail_and_search(
    service: ContractApp, record_with_references: dict[str, Any]
) -> None:
    record = record_with_references["record"]
    assert service.get_record(record["inspection_id"])["executor_name"] == "主任"
    assert service.search(task_id=record["task_id"])["data"][0]["executor_name"] == "主任"


def test_field_reference_image_id(service: ContractApp) -> None:
    assert service.create_record(reference_image_id="r-7")["reference_image_id"] == "r-7"


def test_field_reference_image_name_is_in_detail(
    service: ContractApp, record_with_references: dict[str, Any]
) -> None:
    record = service.get_record(record_with_references["record"]["inspection_id"])
    assert record["reference_image_name"] == "左翼前缘"


def test_field_progress_is_an_int(service: ContractApp) -> None:
    assert service.create_record()["progress"] == 0
    assert service.create_record(progress=40)["progress"] == 40


@pytest.mark.parametrize("field", ["start_time", "end_time", "created_at", "updated_at"])
def test_record_times_are_iso_8601_without_a_suffix(service: ContractApp, field: str) -> None:
    record = service.create_record(start_time="2026-03-01T08:00:00", end_time="2026-03-01T09:30:00.25")
    assert NO_SUFFIX.fullmatch(record[field])


def test_field_start_time(service: ContractApp) -> None:
    assert service.create_record(start_time="2026-03-01T08:00:00")["start_time"] == "2026-03-01T08:00:00"


def test_field_end_time_is_null_when_unset(service: ContractApp) -> None:
    assert service.create_record()["end_time"] is None


def test_field_inspection_status_is_a_status_code(service: ContractApp) -> None:
    assert service.create_record()["inspection_status"] == "not_started"


STATUSES = {
    "not_started": "未开始",
    "in_progress": "进行中",
    "passed": "通过",
    "failed": "未通过",
    "cancelled": "已作废",
}


@pytest.mark.parametrize("status", STATUSES)
def test_field_status_name_displays_the_status(service: ContractApp, status: str) -> None:
    record = service.create_record(inspection_status=status)
    assert (record["inspection_status"], record["status_name"]) == (status, STATUSES[status])


def test_field_flight_id_is_in_detail(service: ContractApp, record_with_references: dict[str, Any]) -> None:
    record = service.get_record(record_with_references["record"]["inspection_id"])
    assert record["flight_id"] == record_with_references["flight"]["flight_id"]


def test_field_aircraft_id_is_in_detail(service: ContractApp, record_with_references: dict[str, Any]) -> None:
    record = service.get_record(record_with_references["record"]["inspection_id"])
    assert record["aircraft_id"] == record_with_references["aircraft"]["aircraft_id"]


def test_field_aircraft_name_is_in_detail(
    service: ContractApp, record_with_references: dict[str, Any]
) -> None:
    record = service.get_record(record_with_references["record"]["inspection_id"])
    assert record["aircraft_name"] == "国产一号"


def test_field_created_at_stays_and_updated_at_moves(service: ContractApp) -> None:
    record = service.create_record()
    after = update_record(service, record["inspection_id"], inspection_name="新名")
    assert after["created_at"] == record["created_at"]
    assert after["updated_at"] > record["updated_at"]


# Pagination object


def test_pagination_object(service: ContractApp) -> None:
    task = new_id("task")
    for _ in range(3):
        service.create_record(task_id=task)
    page = service.search(task_id=task, page_size=2, current_page=2)
    assert page["pagination"] == {"current_page": 2, "page_size": 2, "total": 3, "total_pages": 2}
    assert len(page["data"]) == 1


# States and transitions


@pytest.mark.parametrize("status", STATUSES)
def test_not_started_goes_to_the_status_given_in_an_update(service: ContractApp, status: str) -> None:
    record = service.create_record()
    after = update_record(service, record["inspection_id"], inspection_status=status)
    assert after["inspection_status"] == status


# Endpoints: inspection records, with and without the prefix


def complete_body() -> dict[str, Any]:
    """A body with every field of a new record."""
    return {
        "task_id": new_id("task"),
        "inspection_name": "左翼",
        "executor_id": "u",
        "reference_image_id": "r",
        "progress": 10,
        "start_time": "2026-03-01T08:00:00",
        "end_time": "2026-03-01T09:00:00",
        "inspection_status": "in_progress",
    }


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_create_record(service: ContractApp, prefix: str) -> None:
    body = complete_body()
    answer = service.admin.post(f"{prefix}/inspection/create", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    record = answer.json()["data"]
    assert answer.json() == {"code": 0, "data": record, "msg": "检查记录创建成功"}
    assert list(record) == FIELDS
    assert {name: record[name] for name in body} == body
    assert service.get_record(record["inspection_id"]) == record


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_get_record(service: ContractApp, prefix: str) -> None:
    record = service.create_record()
    answer = service.admin.get(f"{prefix}/inspection/getInspectionById/{record['inspection_id']}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == {"code": 0, "data": record, "msg": "检查记录获取成功"}


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_update_record_changes_only_the_fields_sent(service: ContractApp, prefix: str) -> None:
    record = service.create_record(inspection_name="甲", executor_id="u", start_time="2026-03-01T08:00:00")
    path = f"{prefix}/inspection/updateInspection/{record['inspection_id']}"
    answer = service.admin.put(path, json={"inspection_name": "乙", "progress": 55})
    assert answer.status_code == 200
    after = answer.json()["data"]
    assert answer.json() == {"code": 0, "data": after, "msg": "检查记录更新成功"}
    expected = {**record, "inspection_name": "乙", "progress": 55}
    assert {**after, "updated_at": record["updated_at"]} == expected
    assert service.get_record(record["inspection_id"]) == after


def test_update_record_takes_the_same_fields_as_create(service: ContractApp) -> None:
    record = service.create_record()
    body = complete_body()
    after = update_record(service, record["inspection_id"], **body)
    assert {name: after[name] for name in body} == body
    assert service.get_record(record["inspection_id"]) == after


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_delete_record_answers_code_and_msg_only(service: ContractApp, prefix: str) -> None:
    record = service.create_record()
    answer = service.admin.delete(f"{prefix}/inspection/deleteInspection/{record['inspection_id']}")
    assert read_body(answer) == {"code": 0, "msg": "检查记录删除成功"}
    answer_after = service.admin.get(f"/api/inspection/getInspectionById/{record['inspection_id']}")
    assert_refused(answer_after, 404, "not_found", "检查记录不存在")
    again = service.admin.delete(f"{prefix}/inspection/deleteInspection/{record['inspection_id']}")
    assert_refused(again, 404, "not_found", "检查记录不存在")


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_search_records(service: ContractApp, prefix: str) -> None:
    record = service.create_record()
    query = {"task_id": record["task_id"], "current_page": 1, "page_size": 10}
    answer = service.admin.get(f"{prefix}/inspection/search", params=query)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    pagination = {"current_page": 1, "page_size": 10, "total": 1, "total_pages": 1}
    assert answer.json() == {
        "code": 0,
        "data": {"data": [record], "pagination": pagination},
        "msg": "检查记录获取成功",
    }


def test_search_without_a_match_has_an_empty_page(service: ContractApp) -> None:
    assert service.search(task_id=new_id("task")) == {
        "data": [],
        "pagination": {"current_page": 1, "page_size": 50, "total": 0, "total_pages": 0},
    }


def test_page_after_the_last_one_is_empty(service: ContractApp) -> None:
    record = service.create_record()
    assert service.search(task_id=record["task_id"], current_page=2, page_size=10) == {
        "data": [],
        "pagination": {"current_page": 2, "page_size": 10, "total": 1, "total_pages": 1},
    }


@pytest.mark.parametrize("name", FILTERS)
def test_search_filter(service: ContractApp, record_with_references: dict[str, Any], name: str) -> None:
    record = update_record(
        service,
        record_with_references["record"]["inspection_id"],
        start_time="2001-02-03T04:05:06",
        end_time="2001-02-03T05:06:07",
        inspection_status="failed",
    )
    other = service.create_record(
        task_id=record["task_id"] if name == "inspection_status" else new_id("task"),
        # Without one it would begin now.
        start_time="2000-01-01T00:00:00" if name == "start_time_from" else "2002-01-01T00:00:00",
    )
    values = {
        **record,
        "executor_name": "主",
        "start_time_from": "2001-02-03T04:05:06",
        "start_time_to": "2001-02-03T04:05:06",
        "end_time_from": "2001-02-03T05:06:07",
        "end_time_to": "2001-02-03T05:06:07",
    }
    record_ids = [
        entry["inspection_id"] for entry in service.search(**{name: values[name]}, page_size=200)["data"]
    ]
    assert record["inspection_id"] in record_ids
    assert other["inspection_id"] not in record_ids


def test_search_filters_combine_with_and(service: ContractApp) -> None:
    task = new_id("task")
    record = service.create_record(task_id=task, executor_id="a")
    service.create_record(task_id=task, executor_id="b")
    service.create_record(executor_id="a")
    entries = service.search(task_id=task, executor_id="a")["data"]
    assert [entry["inspection_id"] for entry in entries] == [record["inspection_id"]]


# Authentication

OPERATIONS = {
    "INSPECTION_ADD": ("POST", "/api/inspection/create", {"task_id": "t"}, "viewer"),
    "INSPECTION_UPDATE": ("PUT", "/api/inspection/updateInspection/{id}", {"progress": 1}, "viewer"),
    "INSPECTION_DELETE": ("DELETE", "/api/inspection/deleteInspection/{id}", None, "inspector"),
}


@pytest.mark.parametrize("permission", OPERATIONS)
def test_a_record_operation_without_its_permission_is_403(service: ContractApp, permission: str) -> None:
    method, path, body, role = OPERATIONS[permission]
    record = service.create_record()
    answer = service.as_role(role).request(method, path.format(id=record["inspection_id"]), json=body)
    assert_forbidden(answer, permission)
    assert service.get_record(record["inspection_id"]) == record


def test_inspection_read_allows_get_and_search(service: ContractApp) -> None:
    record = service.create_record()
    viewer = service.as_role("viewer")
    read = viewer.get(f"/api/inspection/getInspectionById/{record['inspection_id']}")
    assert read.json()["data"] == record
    query = {"task_id": record["task_id"], "current_page": 1, "page_size": 1}
    assert viewer.get("/api/inspection/search", params=query).json()["data"]["data"] == [record]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/inspection/create"),
        ("GET", "/api/inspection/getInspectionById/x"),
        ("PUT", "/api/inspection/updateInspection/x"),
        ("DELETE", "/api/inspection/deleteInspection/x"),
        ("GET", "/api/inspection/search"),
    ],
)
def test_every_record_operation_needs_a_token(service: ContractApp, method: str, path: str) -> None:
    answer = service.anonymous.request(method, path)
    assert_not_logged_in(answer)


# Limits


@pytest.mark.parametrize("missing", ["current_page", "page_size"])
def test_current_page_and_page_size_of_a_search_have_no_default(service: ContractApp, missing: str) -> None:
    query = {"current_page": 1, "page_size": 10}
    del query[missing]
    assert_invalid(service.admin.get("/api/inspection/search", params=query), missing)
