"""Requests that a client gets wrong, or writes in another way than the desktop does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.contract.running import Running
from tests.contract.test_records import FILTERS

NOT_JSON = "请求无法解析，请检查请求的格式"
NO_OBJECT = "请求的内容需要是 JSON 对象，并以 Content-Type: application/json 发送"

BODIES = {
    "POST /api/inspection/create": "record",
    "PUT /api/inspection/updateInspection/{record}": "record",
    "POST /api/inspection_item/create": "item",
    "PUT /api/inspection_item/{item}": "item",
    "POST /api/auth/updateInfo": "profile",
    "POST /api/auth/updatePassword": "password",
    "POST /api/auth/updateFaceInfo": "face",
    "POST /api/auth/loginByFaceInfo": "face",
}


@pytest.fixture(scope="module")
def places(running: Running) -> dict[str, str]:
    item = running.item()
    return {"record": item["inspection_id"], "item": item["item_id"]}


def send(running: Running, operation: str, places: dict[str, str], **request: Any) -> Any:
    method, path = operation.split(" ")
    return running.admin.request(method, path.format(**places), **request)


def fault(msg: str, **field: str) -> dict[str, Any]:
    """The envelope of a request with one fault."""
    return {"code": 1, "data": {"error": "invalid_input", "fields": [field]}, "msg": msg}


def sent_json(client: TestClient, method: str, path: str, body: Any) -> Any:
    # As ASCII: half of a surrogate pair can be written with an escape only.
    return client.request(
        method, path, content=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )


# What is no JSON object


@pytest.mark.parametrize("operation", BODIES)
def test_a_body_that_is_no_json_is_422_and_says_so(
    running: Running, places: dict[str, str], operation: str
) -> None:
    answer = send(running, operation, places, content=b'{"a": ', headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json() == fault(NOT_JSON, field="", type="json_invalid", message="JSON decode error")


@pytest.mark.parametrize("content", [b"[]", b'"x"', b"5", b"true"])
@pytest.mark.parametrize("operation", BODIES)
def test_a_body_that_is_no_object_is_422_and_says_what_to_send(
    running: Running, places: dict[str, str], operation: str, content: bytes
) -> None:
    answer = send(running, operation, places, content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["msg"]) == (422, NO_OBJECT)
    assert answer.json()["data"]["error"] == "invalid_input"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
@pytest.mark.parametrize("operation", BODIES)
def test_json_with_another_content_type_is_422_and_names_the_right_one(
    running: Running, places: dict[str, str], operation: str, kind: str | None
) -> None:
    headers = {} if kind is None else {"content-type": kind}
    answer = send(running, operation, places, content=b'{"task_id": "t"}', headers=headers)
    assert (answer.status_code, answer.json()["msg"]) == (422, NO_OBJECT)


@pytest.mark.parametrize("operation", [operation for operation, kind in BODIES.items() if kind != "face"])
def test_no_body_is_422_and_says_what_to_send(
    running: Running, places: dict[str, str], operation: str
) -> None:
    answer = send(running, operation, places)
    assert (answer.status_code, answer.json()["msg"]) == (422, NO_OBJECT)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_may_be_named_with_its_charset_and_in_capitals(running: Running, kind: str) -> None:
    answer = running.admin.post(
        "/api/inspection/create", content='{"task_id": "任务"}'.encode(), headers={"content-type": kind}
    )
    assert answer.json()["data"]["task_id"] == "任务"


@pytest.mark.parametrize(
    "content",
    [
        '{"task_id": "任务"}'.encode("gbk"),
        b'{"task_id": "t", "more": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"task_id": "t", "more": ' + b"9" * 5_000 + b"}",
    ],
    ids=["other encoding", "depth", "digits"],
)
def test_json_that_can_not_be_read_is_400(running: Running, content: bytes) -> None:
    answer = running.admin.post(
        "/api/inspection/create", content=content, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json() == {"code": 1, "data": {"error": "invalid_input"}, "msg": NOT_JSON}


# Faces: what is missing


@pytest.mark.parametrize("prefix", ["/api", ""])
@pytest.mark.parametrize("name", ["updateFaceInfo", "loginByFaceInfo"])
def test_face_info_is_missing_where_nothing_is_sent_at_all(running: Running, prefix: str, name: str) -> None:
    answer = running.admin.post(f"{prefix}/auth/{name}")
    assert answer.status_code == 200
    assert answer.json() == {"code": 1, "data": None, "msg": "人脸信息缺失"}


@pytest.mark.parametrize("value", [5, True, ["x"], {"a": "b"}], ids=repr)
@pytest.mark.parametrize("name", ["updateFaceInfo", "loginByFaceInfo"])
def test_face_info_of_another_type_is_422(running: Running, name: str, value: Any) -> None:
    answer = running.admin.post(f"/api/auth/{name}", json={"faceInfo": value})
    assert (answer.status_code, answer.json()["msg"]) == (422, "请求的内容有误，请检查：faceInfo")
    assert [field["field"] for field in answer.json()["data"]["fields"]] == ["faceInfo"]


# Types: each field as the tables of the contract say

WRONG_IN_A_RECORD: list[tuple[str, Any]] = [
    *[
        (name, value)
        for name in ("task_id", "executor_id")
        for value in ("", "x" * 256, "a\x00", 5, True, [])
    ],
    *[("reference_image_id", value) for value in ("", 5, {})],
    *[("inspection_name", value) for value in ("x" * 256, "a\x00", "\ud800", 5, ["x"])],
    *[("progress", value) for value in ("50", "", 50.5, -1, 101, True, [1], 10**30)],
    *[
        (name, value)
        for name in ("start_time", "end_time")
        for value in ("", "x", "1700000000", 1700000000, "20260301T080000", "2026-13-01T00:00:00", True)
    ],
    *[("inspection_status", value) for value in ("", "PASSED", "done", 1, True)],
]


@pytest.mark.parametrize(("name", "value"), WRONG_IN_A_RECORD, ids=lambda part: ascii(part)[:20])
def test_a_record_field_of_a_wrong_type_is_422_and_named(running: Running, name: str, value: Any) -> None:
    record = running.record()
    for answer in (
        sent_json(running.admin, "POST", "/api/inspection/create", {"task_id": "t", name: value}),
        sent_json(
            running.admin,
            "PUT",
            f"/api/inspection/updateInspection/{record['inspection_id']}",
            {name: value},
        ),
    ):
        assert answer.status_code == 422
        assert answer.json()["msg"] == f"请求的内容有误，请检查：{name}"
        assert [field["field"] for field in answer.json()["data"]["fields"]] == [name]
    assert running.get(record["inspection_id"]) == record


HUGE = 10**309
"""No double holds it: a client that reads it gets infinity."""

BOX = {"label": "裂纹", "confidence": 0.5, "points": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}}
POINT = {"x": 0.25, "y": 0.5, "w": 0.125, "h": 0.25}

WRONG_IN_AN_ITEM: list[tuple[str, dict[str, Any]]] = [
    *[("item_name", {"item_name": value}) for value in ("", "x" * 256, "a\x00", 5)],
    *[("description", {"description": value}) for value in ("x" * 20_001, "a\x00", 5)],
    *[("model_id", {"model_id": value}) for value in ("", 5)],
    *[("item_point", {"item_point": value}) for value in ([], "x", 5, {"note": HUGE}, {"note": "\ud800"})],
    ("item_point.point.h", {"item_point": {"point": {"x": 0, "y": 0, "w": 1}}}),
    *[
        ("item_point.point.x", {"item_point": {"point": {**POINT, "x": value}}})
        for value in ("1", True, None)
    ],
    ("item_point", {"item_point": {"point": {**POINT, "x": -HUGE}}}),
    *[
        (f"item_point.fileInfo.{name}", {"item_point": {"fileInfo": {name: 5}}})
        for name in ("download_url", "filename", "ipfs_cid", "mime_type")
    ],
    ("item_point.fileInfo.size", {"item_point": {"fileInfo": {"size": "12345"}}}),
    *[("result", {"result": value}) for value in ({}, "x", 5, [{"version": HUGE}])],
    *[("result.0", {"result": [value]}) for value in (None, 5, "x")],
    *[("result.0.isPassed", {"result": [{"isPassed": value}]}) for value in ("true", 1)],
    *[("result.0.version", {"result": [{"version": value}]}) for value in ("3", 3.5, True)],
    ("result.0.progress", {"result": [{"progress": 100}]}),
    *[("result.0.inputImage", {"result": [{"inputImage": value}]}) for value in ("x", [])],
    ("result.0.resultImage", {"result": [{"resultImage": []}]}),
    ("result.0.resultImage.resultImage", {"result": [{"resultImage": {"resultImage": "x"}}]}),
    ("result.0.resultImage.boxes", {"result": [{"resultImage": {"boxes": None}}]}),
    *[
        (
            f"result.0.resultImage.boxes.0.{name}",
            {"result": [{"resultImage": {"boxes": [{**BOX, name: value}]}}]},
        )
        for name, value in (("label", 5), ("confidence", "1"), ("confidence", True), ("points", []))
    ],
    (
        "result.0.resultImage.boxes.0.points.x1",
        {"result": [{"resultImage": {"boxes": [{**BOX, "points": {**BOX["points"], "x1": "1"}}]}}]},  # type: ignore[dict-item]
    ),
]


@pytest.mark.parametrize(("named", "body"), WRONG_IN_AN_ITEM, ids=lambda part: ascii(part)[:40])
def test_an_item_field_of_a_wrong_type_is_422_and_named(
    running: Running, places: dict[str, str], named: str, body: dict[str, Any]
) -> None:
    new = {"item_name": "x", "inspection_id": places["record"], **body}
    for answer in (
        sent_json(running.admin, "POST", "/api/inspection_item/create", new),
        sent_json(running.admin, "PUT", f"/api/inspection_item/{places['item']}", body),
    ):
        assert answer.status_code == 422
        assert answer.json()["msg"] == f"请求的内容有误，请检查：{named}"
        assert {field["field"] for field in answer.json()["data"]["fields"]} == {named}


# Filters of a search


def test_an_empty_executor_name_filters_nothing(running: Running) -> None:
    # A form sends the field that nobody filled as well; records without an executor are not to vanish.
    record = running.record()
    assert running.search(task_id=record["task_id"], executor_name="")["data"] == [record]


@pytest.mark.parametrize("name", [name for name in FILTERS if name != "executor_name"])
def test_another_empty_filter_is_422_and_named(running: Running, name: str) -> None:
    query: dict[str, str | int] = {"current_page": 1, "page_size": 10, name: ""}
    answer = running.admin.get("/api/inspection/search", params=query)
    assert (answer.status_code, answer.json()["msg"]) == (422, f"请求的内容有误，请检查：{name}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task_id", "x" * 256),
        ("executor_name", "x" * 256),
        ("inspection_status", "PASSED"),
        ("start_time_from", "1700000000"),
        ("start_time_to", "x"),
        ("end_time_from", "2026-03-01T08:00:00 08:00"),
        ("end_time_to", "9999-12-31T23:59:59-01:00"),
    ],
)
def test_a_filter_that_can_not_be_read_is_422_and_named(running: Running, name: str, value: str) -> None:
    query: dict[str, str | int] = {"current_page": 1, "page_size": 10, name: value}
    answer = running.admin.get("/api/inspection/search", params=query)
    assert (answer.status_code, answer.json()["msg"]) == (422, f"请求的内容有误，请检查：{name}")
    assert {field["field"] for field in answer.json()["data"]["fields"]} == {name}


# Methods and addresses

METHODS = {
    "/api/inspection/create": "POST",
    "/api/inspection/getInspectionById/x": "GET",
    "/api/inspection/updateInspection/x": "PUT",
    "/api/inspection/deleteInspection/x": "DELETE",
    "/api/inspection/search": "GET",
    "/api/inspection_item/x": "DELETE, GET, PUT",
    "/api/auth/updateFaceInfo": "POST",
    "/api/auth/loginByFaceInfo": "POST",
    "/api/auth/updateInfo": "POST",
    "/api/auth/updatePassword": "POST",
}


@pytest.mark.parametrize("path", METHODS)
def test_another_method_is_405_with_the_methods_there_are(running: Running, path: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - set(METHODS[path].split(", ")):
        answer = running.admin.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, METHODS[path])
        assert answer.json() == {
            "code": 1,
            "data": {"error": "method_not_allowed"},
            "msg": "此地址不支持该请求方法",
        }


@pytest.mark.parametrize(
    "path",
    ["/api/inspection/search/", "/Inspection/search", "//inspection/search", "/api/api/inspection/search"],
)
def test_an_address_that_is_almost_right_is_404_and_no_redirect(running: Running, path: str) -> None:
    answer = running.admin.get(path, params={"current_page": 1, "page_size": 1}, follow_redirects=False)
    assert answer.status_code == 404
    assert answer.json() == {"code": 1, "data": {"error": "not_found"}, "msg": "请求的地址不存在"}


@pytest.mark.parametrize("number", ["none", "-1", "0", "9" * 255, "é", "' OR 1=1 --", "%20", "..%2e"])
def test_an_id_of_any_kind_that_nobody_has_is_404(running: Running, number: str) -> None:
    for path, msg in (
        ("/api/inspection/getInspectionById/{}", "检查记录不存在"),
        ("/api/inspection_item/{}", "检查项不存在"),
    ):
        answer = running.admin.get(path.format(number))
        assert answer.status_code == 404
        assert answer.json() == {"code": 1, "data": {"error": "not_found"}, "msg": msg}


@pytest.mark.parametrize("number", ["9" * 256, "%00"])
def test_an_id_that_can_not_be_one_is_422(running: Running, number: str) -> None:
    for path, name in (
        ("/api/inspection/getInspectionById/{}", "inspection_id"),
        ("/api/inspection_item/{}", "item_id"),
    ):
        answer = running.admin.get(path.format(number))
        assert (answer.status_code, answer.json()["msg"]) == (422, f"请求的内容有误，请检查：{name}")
