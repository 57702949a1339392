"""Tests the rows of the contract, and of the decisions on it, about inspection items: one test for each."""

from __future__ import annotations

import re
from typing import Any

import pytest

from shared.wire.detection import REFERENCE_DIFFERENCE
from tests.contract.application import (
    ContractApp,
    assert_forbidden,
    assert_invalid,
    assert_not_logged_in,
    assert_refused,
)
from tests.service.answers import read_body, read_data

FIELDS = [
    "item_id",
    "item_name",
    "inspection_id",
    "description",
    "model_id",
    "model_name",
    "model_description",
    "item_point",
    "result",
    "created_at",
    "updated_at",
]
WITH_Z = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")
POINT = {"x": 0.25, "y": 0.5, "w": 0.125, "h": 0.25}
FILE_INFO = {
    "download_url": "http://example.invalid/f",
    "filename": "左翼.jpg",
    "ipfs_cid": "bafy",
    "mime_type": "image/jpeg",
    "size": 12345,
}
BOX = {"label": "裂纹", "confidence": 0.875, "points": {"x1": 1, "y1": 2, "x2": 30.5, "y2": 40}}
ENTRY = {
    "inputImage": {"download_url": "/a", "any": {"thing": [1]}},
    "resultImage": {"boxes": [BOX], "resultImage": {"download_url": "/b"}},
    "isPassed": False,
    "progress": "done",
    "version": 1,
}


def get_item(service: ContractApp, item_id: str) -> dict[str, Any]:
    return read_body(service.admin.get(f"/api/inspection_item/{item_id}"))


def update_item(service: ContractApp, item_id: str, **body: Any) -> dict[str, Any]:
    return read_body(service.admin.put(f"/api/inspection_item/{item_id}", json=body))


def list_items(service: ContractApp, inspection_id: str, **query: int) -> dict[str, Any]:
    params: dict[str, str | int] = {"inspection_id": inspection_id, **query}
    return read_data(service.admin.get("/api/inspection_item/list", params=params))


# Resources and their fields: inspection item


def test_the_item_has_exactly_the_fields_of_the_table(service: ContractApp) -> None:
    item = service.create_item()
    assert list(item) == FIELDS
    assert list(get_item(service, item["item_id"])) == FIELDS


def test_field_item_id_is_returned_by_the_service(service: ContractApp) -> None:
    item = service.create_item()
    assert isinstance(item["item_id"], str)
    assert get_item(service, item["item_id"]) == item


def test_field_item_name(service: ContractApp) -> None:
    assert service.create_item(item_name="铆钉 7")["item_name"] == "铆钉 7"


def test_field_inspection_id_is_the_record_it_belongs_to(service: ContractApp) -> None:
    number = service.create_record()["inspection_id"]
    assert service.create_item(number)["inspection_id"] == number


def test_field_description(service: ContractApp) -> None:
    assert service.create_item(description="看裂纹")["description"] == "看裂纹"
    assert service.create_item()["description"] is None


def test_field_model_id(service: ContractApp) -> None:
    assert service.create_item(model_id="m-7")["model_id"] == "m-7"


def test_field_model_name_is_returned_only(service: ContractApp) -> None:
    item = service.create_item(model_id=REFERENCE_DIFFERENCE, model_name="假")
    assert item["model_name"] not in (None, "假")


def test_field_model_description_is_returned_only(service: ContractApp) -> None:
    item = service.create_item(model_id=REFERENCE_DIFFERENCE, model_description="假")
    assert item["model_description"] not in (None, "假")


def test_field_item_point(service: ContractApp) -> None:
    place = {"point": POINT, "fileInfo": FILE_INFO}
    assert service.create_item(item_point=place)["item_point"] == place


def test_field_item_point_point(service: ContractApp) -> None:
    assert service.create_item(item_point={"point": POINT})["item_point"] == {"point": POINT}


def test_field_item_point_file_info(service: ContractApp) -> None:
    assert service.create_item(item_point={"fileInfo": FILE_INFO})["item_point"] == {"fileInfo": FILE_INFO}


def test_field_result_is_an_empty_array_on_create(service: ContractApp) -> None:
    assert service.create_item()["result"] == []


@pytest.mark.parametrize("field", ["created_at", "updated_at"])
def test_item_times_are_iso_8601_with_z(service: ContractApp, field: str) -> None:
    assert WITH_Z.fullmatch(service.create_item()[field])


def test_field_created_at_stays_and_updated_at_moves(service: ContractApp) -> None:
    item = service.create_item()
    after = update_item(service, item["item_id"], description="新")
    assert after["created_at"] == item["created_at"]
    assert after["updated_at"] > item["updated_at"]


# Resources and their fields: result entry


@pytest.mark.parametrize("name", ENTRY)
def test_result_entry_field_is_kept_by_an_update(service: ContractApp, name: str) -> None:
    item = service.create_item()
    result = [{name: ENTRY[name]}]
    assert update_item(service, item["item_id"], result=result)["result"] == result
    assert get_item(service, item["item_id"])["result"] == result


def test_result_entry_boxes_have_label_confidence_and_points(service: ContractApp) -> None:
    item = service.create_item()
    (entry,) = update_item(service, item["item_id"], result=[ENTRY])["result"]
    assert entry["resultImage"]["boxes"] == [BOX]
    for missing in BOX:
        box = {name: value for name, value in BOX.items() if name != missing}
        body = {"result": [{"resultImage": {"boxes": [box]}}]}
        answer = service.admin.put(f"/api/inspection_item/{item['item_id']}", json=body)
        assert_invalid(answer, f"result.0.resultImage.boxes.0.{missing}")


# Pagination object


def test_pagination_object(service: ContractApp) -> None:
    number = service.create_record()["inspection_id"]
    for _ in range(3):
        service.create_item(number)
    page = list_items(service, number, current_page=2, page_size=2)
    assert page["pagination"] == {"current_page": 2, "page_size": 2, "total": 3, "total_pages": 2}
    assert len(page["data"]) == 1


# Endpoints: inspection items, with and without the prefix


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_create_item_answers_the_bare_item(service: ContractApp, prefix: str) -> None:
    body = {
        "item_name": "前缘",
        "inspection_id": service.create_record()["inspection_id"],
        "description": "看",
        "model_id": "m",
        "item_point": {"point": POINT},
        "result": [],
    }
    answer = service.admin.post(f"{prefix}/inspection_item/create", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert list(answer.json()) == FIELDS
    assert {name: answer.json()[name] for name in body} == body
    assert get_item(service, answer.json()["item_id"]) == answer.json()


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_get_item_answers_the_bare_item(service: ContractApp, prefix: str) -> None:
    item = service.create_item()
    answer = service.admin.get(f"{prefix}/inspection_item/{item['item_id']}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == item


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_update_item_answers_the_bare_item(service: ContractApp, prefix: str) -> None:
    item = service.create_item()
    body = {
        "item_name": "新名",
        "description": "新",
        "model_id": "m2",
        "item_point": {"point": POINT, "fileInfo": FILE_INFO},
        "result": [ENTRY],
    }
    answer = service.admin.put(f"{prefix}/inspection_item/{item['item_id']}", json=body)
    assert answer.status_code == 200
    assert {**answer.json(), "updated_at": item["updated_at"]} == {**item, **body}


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_delete_item(service: ContractApp, prefix: str) -> None:
    item = service.create_item()
    answer = service.admin.delete(f"{prefix}/inspection_item/{item['item_id']}")
    assert read_body(answer) == {"code": 0, "data": True, "msg": "删除成功"}
    for method in ("GET", "DELETE"):
        answer_after = service.admin.request(method, f"{prefix}/inspection_item/{item['item_id']}")
        assert_refused(answer_after, 404, "not_found", "检查项不存在")
    assert list_items(service, item["inspection_id"])["data"] == []


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_list_items(service: ContractApp, prefix: str) -> None:
    item = service.create_item()
    answer = service.admin.get(
        f"{prefix}/inspection_item/list", params={"inspection_id": item["inspection_id"]}
    )
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    pagination = {"current_page": 1, "page_size": 10, "total": 1, "total_pages": 1}
    assert answer.json() == {
        "code": 0,
        "data": {"data": [item], "pagination": pagination},
        "msg": "检查项列表获取成功",
    }


def test_list_items_needs_inspection_id(service: ContractApp) -> None:
    assert_invalid(service.admin.get("/api/inspection_item/list"), "inspection_id")


# Authentication

OPERATIONS: dict[str, tuple[str, str, Any]] = {
    "INSPECTION_ITEM_ADD": ("POST", "/api/inspection_item/create", {"item_name": "x", "inspection_id": "x"}),
    "INSPECTION_ITEM_UPDATE": ("PUT", "/api/inspection_item/{id}", {"description": "x"}),
    "INSPECTION_ITEM_DELETE": ("DELETE", "/api/inspection_item/{id}", None),
}


@pytest.mark.parametrize("permission", OPERATIONS)
def test_an_item_operation_without_its_permission_is_403(service: ContractApp, permission: str) -> None:
    method, path, body = OPERATIONS[permission]
    item = service.create_item()
    answer = service.as_role("viewer").request(method, path.format(id=item["item_id"]), json=body)
    assert_forbidden(answer, permission)
    assert get_item(service, item["item_id"]) == item


def test_inspection_item_read_allows_get_and_list(service: ContractApp) -> None:
    item = service.create_item()
    viewer = service.as_role("viewer")
    assert viewer.get(f"/api/inspection_item/{item['item_id']}").json() == item
    query = {"inspection_id": item["inspection_id"]}
    assert viewer.get("/api/inspection_item/list", params=query).json()["data"]["data"] == [item]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/inspection_item/create"),
        ("GET", "/api/inspection_item/x"),
        ("PUT", "/api/inspection_item/x"),
        ("DELETE", "/api/inspection_item/x"),
        ("GET", "/api/inspection_item/list"),
    ],
)
def test_every_item_operation_needs_a_token(service: ContractApp, method: str, path: str) -> None:
    answer = service.anonymous.request(method, path)
    assert_not_logged_in(answer)


# Errors


def test_delete_item_that_does_not_exist_is_404(service: ContractApp) -> None:
    assert service.admin.delete("/api/inspection_item/none").status_code == 404


# Limits


def test_item_list_defaults_current_page_1_and_page_size_10(service: ContractApp) -> None:
    number = service.create_record()["inspection_id"]
    for _ in range(11):
        service.create_item(number)
    page = list_items(service, number)
    assert page["pagination"] == {"current_page": 1, "page_size": 10, "total": 11, "total_pages": 2}
    assert len(page["data"]) == 10


# Decisions where the contract is silent


def test_decision_no_such_item(service: ContractApp) -> None:
    for method in ("GET", "PUT", "DELETE"):
        answer = service.admin.request(
            method, "/api/inspection_item/none", json={} if method == "PUT" else None
        )
        assert_refused(answer, 404, "not_found", "检查项不存在")


def test_decision_the_record_of_an_item_must_exist(service: ContractApp) -> None:
    body = {"item_name": "x", "inspection_id": "none"}
    answer = service.admin.post("/api/inspection_item/create", json=body)
    assert_refused(answer, 404, "not_found", "检查记录不存在")


@pytest.mark.parametrize("missing", ["item_name", "inspection_id"])
def test_decision_required_in_item_create(service: ContractApp, missing: str) -> None:
    body = {"item_name": "x", "inspection_id": service.create_record()["inspection_id"]}
    assert service.admin.post("/api/inspection_item/create", json=body).status_code == 200
    del body[missing]
    assert_invalid(service.admin.post("/api/inspection_item/create", json=body), missing)


def test_decision_item_point_is_kept_number_for_number(service: ContractApp) -> None:
    point = {"x": 0.1, "y": 1, "w": 2.0, "h": 12345678901234567890}
    item = service.create_item(item_point={"point": point})
    text = service.admin.get(f"/api/inspection_item/{item['item_id']}").text
    assert '{"x":0.1,"y":1,"w":2.0,"h":12345678901234567890}' in text


def test_decision_unknown_keys_inside_the_documents_are_kept(service: ContractApp) -> None:
    place = {
        "point": {**POINT, "angle": 3},
        "fileInfo": {"sha256": "ab", "nested": [None, {"a": []}]},
        "备注": None,
    }
    entry = {
        "inputImage": {"camera": {"iso": 100}},
        "resultImage": {"boxes": [{**BOX, "colour": "red"}], "resultImage": {"k": [1]}, "extra": True},
        "extra": {"deep": {"er": 1.5}},
    }
    item = service.create_item(item_point=place)
    assert item["item_point"] == place
    assert update_item(service, item["item_id"], result=[entry])["result"] == [entry]


def test_decision_unknown_model_is_kept_and_its_name_null(service: ContractApp) -> None:
    item = service.create_item(model_id="别处的模型")
    assert (item["model_id"], item["model_name"], item["model_description"]) == ("别处的模型", None, None)


def test_decision_items_are_oldest_first(service: ContractApp) -> None:
    number = service.create_record()["inspection_id"]
    item_ids = [service.create_item(number)["item_id"] for _ in range(5)]
    assert [item["item_id"] for item in list_items(service, number)["data"]] == item_ids


@pytest.mark.parametrize(
    "query", [{"page_size": 0}, {"page_size": 201}, {"current_page": 0}, {"current_page": 2**63}], ids=repr
)
def test_decision_paging_out_of_its_range_is_422(service: ContractApp, query: dict[str, int]) -> None:
    params: dict[str, str | int] = {"inspection_id": "x", **query}
    assert_invalid(service.admin.get("/api/inspection_item/list", params=params), *query)


def test_decision_update_changes_only_the_fields_sent_and_null_clears(service: ContractApp) -> None:
    item = service.create_item(description="甲", model_id="m", item_point={"point": POINT}, result=[ENTRY])
    after = update_item(service, item["item_id"], description="乙")
    assert {**after, "updated_at": item["updated_at"]} == {**item, "description": "乙"}
    after = update_item(service, item["item_id"], description=None, model_id=None, item_point=None)
    assert (after["description"], after["model_id"], after["item_point"]) == (None, None, None)
    assert after["result"] == [ENTRY]


@pytest.mark.parametrize("name", ["item_name", "result"])
def test_decision_null_for_another_field_is_422(service: ContractApp, name: str) -> None:
    item = service.create_item()
    assert_invalid(service.admin.put(f"/api/inspection_item/{item['item_id']}", json={name: None}), name)
    assert get_item(service, item["item_id"]) == item


def test_decision_unknown_body_fields_are_ignored(service: ContractApp) -> None:
    item = service.create_item(colour="red", item_id="mine", created_at="2000-01-01T00:00:00Z")
    assert list(item) == FIELDS
    assert item["item_id"] != "mine"
    other = service.create_record()["inspection_id"]
    assert update_item(service, item["item_id"], inspection_id=other, colour="red") == item


def test_decision_list_and_create_are_not_read_as_ids(service: ContractApp) -> None:
    query = {"inspection_id": "none"}
    assert service.admin.get("/api/inspection_item/list", params=query).json()["data"]["data"] == []
    answer = service.admin.get("/api/inspection_item/create")
    assert_refused(answer, 404, "not_found", "检查项不存在")
