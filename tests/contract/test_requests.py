"""Tests requests with mistakes, and requests in another form than the desktop sends."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from shared.wire.common import MAX_JSON_VALUES
from tests.contract.application import ContractApp, assert_invalid, assert_refused
from tests.contract.test_records import FILTERS
from tests.service.answers import read_body

NOT_JSON = "请求无法解析，请检查请求的格式"
NO_OBJECT = "请求内容应为 JSON 对象，并以 Content-Type: application/json 发送"
NO_JSON_TYPE = "不支持的内容类型，请以 Content-Type: application/json 发送 JSON"

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
def ids(service: ContractApp) -> dict[str, str]:
    item = service.create_item()
    return {"record": item["inspection_id"], "item": item["item_id"]}


def send(service: ContractApp, operation: str, ids: dict[str, str], **request: Any) -> Any:
    method, path = operation.split(" ")
    return service.admin.request(method, path.format(**ids), **request)


def failure_with_field(msg: str, **field: str) -> dict[str, Any]:
    """The envelope of a request with one invalid field."""
    return {"code": 1, "data": {"error": "invalid_input", "fields": [field]}, "msg": msg}


def send_json(client: TestClient, method: str, path: str, body: Any) -> Any:
    # As ASCII, because a lone surrogate can be written only as an escape.
    return client.request(
        method, path, content=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )


# Bodies that are not a JSON object


@pytest.mark.parametrize("operation", BODIES)
def test_body_that_is_not_json_is_422_with_reason(
    service: ContractApp, ids: dict[str, str], operation: str
) -> None:
    answer = send(service, operation, ids, content=b'{"a": ', headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json() == failure_with_field(NOT_JSON, field="", type="json_invalid", message=NOT_JSON)


@pytest.mark.parametrize("content", [b"[]", b'"x"', b"5", b"true", b"null"])
@pytest.mark.parametrize("operation", BODIES)
def test_body_that_is_not_an_object_is_422_with_expected_type(
    service: ContractApp, ids: dict[str, str], operation: str, content: bytes
) -> None:
    answer = send(service, operation, ids, content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["msg"]) == (422, NO_OBJECT)
    assert answer.json()["data"]["error"] == "invalid_input"


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", None]
)
@pytest.mark.parametrize("operation", BODIES)
def test_content_type_other_than_json_is_415_with_the_expected_type(
    service: ContractApp, ids: dict[str, str], operation: str, kind: str | None
) -> None:
    headers = {} if kind is None else {"content-type": kind}
    answer = send(service, operation, ids, content=b'{"task_id": "t"}', headers=headers)
    assert_refused(answer, 415, "unsupported_media", NO_JSON_TYPE)


def test_missing_right_is_reported_before_body_is_read(service: ContractApp) -> None:
    for client, status in ((service.anonymous, 401), (service.as_role("viewer"), 403)):
        for kind in ("text/plain", "application/json"):
            answer = client.post("/api/inspection/create", content=b"{", headers={"content-type": kind})
            assert answer.status_code == status


@pytest.mark.parametrize("operation", [operation for operation, kind in BODIES.items() if kind != "face"])
def test_missing_body_is_422_with_the_expected_body(
    service: ContractApp, ids: dict[str, str], operation: str
) -> None:
    answer = send(service, operation, ids)
    assert (answer.status_code, answer.json()["msg"]) == (422, NO_OBJECT)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"]
)
def test_other_forms_of_the_json_content_type_are_accepted(service: ContractApp, kind: str) -> None:
    answer = service.admin.post(
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
@pytest.mark.parametrize("operation", BODIES)
def test_unreadable_json_is_422_like_invalid_json(
    service: ContractApp, ids: dict[str, str], operation: str, content: bytes
) -> None:
    answer = send(service, operation, ids, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json() == failure_with_field(NOT_JSON, field="", type="json_invalid", message=NOT_JSON)


# Missing faces


@pytest.mark.parametrize("prefix", ["/api", ""])
@pytest.mark.parametrize("name", ["updateFaceInfo", "loginByFaceInfo"])
def test_face_info_is_missing_without_a_body(service: ContractApp, prefix: str, name: str) -> None:
    answer = service.admin.post(f"{prefix}/auth/{name}")
    assert read_body(answer) == {"code": 1, "data": None, "msg": "人脸信息缺失"}


@pytest.mark.parametrize("value", [5, True, ["x"], {"a": "b"}], ids=repr)
def test_face_info_of_another_type_is_422(service: ContractApp, value: Any) -> None:
    answer = service.admin.post("/api/auth/updateFaceInfo", json={"faceInfo": value})
    assert_invalid(answer, "faceInfo")
    assert answer.json()["msg"] == "faceInfo：应为文本"


# Types of the fields, as in the tables of the contract


def any_values(*values: Any) -> tuple[Any, ...]:
    """`values` of several types, as a tuple of any type."""
    return values


WRONG_IN_A_RECORD: list[tuple[str, Any]] = [
    *[
        (name, value)
        for name in ("task_id", "executor_id")
        for value in any_values("x" * 256, "a\x00", 5, True, [])
    ],
    ("task_id", ""),
    *[("reference_image_id", value) for value in any_values(5, {})],
    *[("inspection_name", value) for value in ("x" * 256, "a\x00", "\ud800", 5, ["x"], " ", "\t\u3000\n")],
    *[("progress", value) for value in ("50%", "", "101", 50.5, -1, 101, True, [1], 2**63, 10**30)],
    *[
        (name, value)
        for name in ("start_time", "end_time")
        for value in (
            "",
            "x",
            "1700000000",
            1700000000,
            "20260301T080000",
            "2026-13-01T00:00:00",
            "10000-01-01T00:00:00",
            "9999-12-31T23:59:59-01:00",
            True,
        )
    ],
    *[("inspection_status", value) for value in ("", "PASSED", "done", 1, True)],
]


@pytest.mark.parametrize(("name", "value"), WRONG_IN_A_RECORD, ids=lambda part: ascii(part)[:20])
def test_record_field_of_a_wrong_type_is_422_with_its_name(
    service: ContractApp, name: str, value: Any
) -> None:
    record = service.create_record()
    for answer in (
        send_json(service.admin, "POST", "/api/inspection/create", {"task_id": "t", name: value}),
        send_json(
            service.admin,
            "PUT",
            f"/api/inspection/updateInspection/{record['inspection_id']}",
            {name: value},
        ),
    ):
        assert_invalid(answer, name)
    assert service.get_record(record["inspection_id"]) == record


HUGE = 10**309
"""Larger than any double: a client would read infinity."""

TOO_DEEP = {"a": json.loads("[" * 40 + "]" * 40)}
TOO_MANY = {"a": [0] * (MAX_JSON_VALUES + 1)}

BOX: dict[str, Any] = {"label": "裂纹", "confidence": 0.5, "points": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}}
POINT = {"x": 0.25, "y": 0.5, "w": 0.125, "h": 0.25}

WRONG_IN_AN_ITEM: list[tuple[str, dict[str, Any]]] = [
    *[
        ("item_name", {"item_name": value})
        for value in ("", " ", "\u3000\t", "x" * 256, "a\x00", "\ud800", 5)
    ],
    *[("description", {"description": value}) for value in ("x" * 20_001, "a\x00", 5)],
    *[("model_id", {"model_id": value}) for value in ("x" * 256, 5)],
    *[
        ("item_point", {"item_point": value})
        for value in any_values(
            [], "x", 5, {"note": HUGE}, {"note": "\ud800"}, {"\ud800": 1}, TOO_DEEP, TOO_MANY
        )
    ],
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
    *[("result", {"result": value}) for value in any_values({}, "x", 5, [{"version": HUGE}])],
    *[("result.0", {"result": [value]}) for value in (None, 5, "x")],
    *[("result.0.isPassed", {"result": [{"isPassed": value}]}) for value in ("true", 1)],
    *[("result.0.version", {"result": [{"version": value}]}) for value in ("3", 3.5, True)],
    ("result.0.progress", {"result": [{"progress": 100}]}),
    *[("result.0.inputImage", {"result": [{"inputImage": value}]}) for value in any_values("x", [])],
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
        "result.0.resultImage.boxes.0.points",
        {"result": [{"resultImage": {"boxes": [{"label": "裂纹", "confidence": 0.5}]}}]},
    ),
    (
        "result.0.resultImage.boxes.0.points.x1",
        {"result": [{"resultImage": {"boxes": [{**BOX, "points": {**BOX["points"], "x1": "1"}}]}}]},
    ),
]


@pytest.mark.parametrize(("field", "body"), WRONG_IN_AN_ITEM, ids=lambda part: ascii(part)[:40])
def test_item_field_of_a_wrong_type_is_422_with_its_name(
    service: ContractApp, ids: dict[str, str], field: str, body: dict[str, Any]
) -> None:
    path = f"/api/inspection_item/{ids['item']}"
    before = read_body(service.admin.get(path))
    new = {"item_name": "x", "inspection_id": ids["record"], **body}
    for answer in (
        send_json(service.admin, "POST", "/api/inspection_item/create", new),
        send_json(service.admin, "PUT", path, body),
    ):
        assert_invalid(answer, field)
    assert read_body(service.admin.get(path)) == before


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
@pytest.mark.parametrize("item_point", ['{"point": {"x": %s, "y": 0, "w": 1, "h": 1}}', '{"note": %s}'])
def test_number_that_is_not_finite_is_422(
    service: ContractApp, ids: dict[str, str], item_point: str, number: str
) -> None:
    path = f"/api/inspection_item/{ids['item']}"
    before = read_body(service.admin.get(path))
    content = f'{{"item_point": {item_point % number}}}'
    answer = service.admin.put(path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert answer.json()["data"]["error"] == "invalid_input"
    assert read_body(service.admin.get(path)) == before


RULES: list[tuple[dict[str, Any], str]] = [
    ({}, "task_id：必须填写"),
    ({"task_id": ""}, "task_id：不能为空"),
    ({"task_id": 5}, "task_id：应为文本"),
    ({"task_id": "x" * 256}, "task_id：最多 255 个字符"),
    ({"task_id": "a\x00"}, "task_id：不能包含空字符（U+0000）"),
    ({"task_id": "\ud800"}, "task_id：不是有效的 Unicode 文本"),
    ({"inspection_name": " \t"}, "inspection_name：不能为空白，也不能包含空字符（U+0000）"),
    ({"progress": "50%"}, "progress：应为整数"),
    ({"progress": 50.5}, "progress：应为整数"),
    ({"progress": -1}, "progress：不能小于 0"),
    ({"progress": 101}, "progress：不能大于 100"),
    ({"start_time": "soon"}, "start_time：应为 ISO 8601 格式的时间字符串"),
    ({"start_time": "2026-13-01T00:00:00"}, "start_time：应为 ISO 8601 格式的时间字符串"),
    ({"start_time": "9999-12-31T23:59:59-01:00"}, "start_time：时间超出范围"),
    (
        {"inspection_status": "done"},
        "inspection_status：只能是 not_started、in_progress、passed、failed、cancelled 之一",
    ),
    (
        {"task_id": "", "progress": 101, "executor_id": 5, "start_time": 5, "end_time": 5},
        "task_id：不能为空；executor_id：应为文本；progress：不能大于 100；另有 2 个字段有误",
    ),
]


@pytest.mark.parametrize(("body", "msg"), RULES, ids=lambda part: ascii(part)[:40])
def test_refused_record_names_field_and_rule(service: ContractApp, body: dict[str, Any], msg: str) -> None:
    complete = body if body.keys() <= {"task_id"} else {"task_id": "t", **body}
    answer = send_json(service.admin, "POST", "/api/inspection/create", complete)
    assert (answer.status_code, answer.json()["msg"]) == (422, msg)


ITEM_RULES: list[tuple[dict[str, Any], str]] = [
    ({"item_name": ""}, "item_name：不能为空"),
    ({"item_point": 5}, "item_point：应为 JSON 对象"),
    ({"item_point": {"point": {**POINT, "x": "1"}}}, "item_point.point.x：应为数字"),
    ({"item_point": {"note": HUGE}}, "item_point：数字必须是有限值"),
    ({"result": {}}, "result：应为 JSON 数组"),
    ({"result": [{"isPassed": "true"}]}, "result.0.isPassed：应为 true 或 false"),
    ({"result": [{"inputImage": []}]}, "result.0.inputImage：应为 JSON 对象"),
    ({"description": "x" * 20_001}, "description：最多 20000 个字符"),
]


@pytest.mark.parametrize(("body", "msg"), ITEM_RULES, ids=lambda part: ascii(part)[:40])
def test_refused_item_names_field_and_rule(
    service: ContractApp, ids: dict[str, str], body: dict[str, Any], msg: str
) -> None:
    answer = send_json(service.admin, "PUT", f"/api/inspection_item/{ids['item']}", body)
    assert (answer.status_code, answer.json()["msg"]) == (422, msg)


# Empty fields, as web forms send them


def test_empty_optional_field_of_a_record_is_null(service: ContractApp) -> None:
    names = ("inspection_name", "executor_id", "reference_image_id")
    record = service.create_record(**dict.fromkeys(names, ""))
    assert [record[name] for name in names] == [None] * 3
    filled = service.create_record(**dict.fromkeys(names, "x"))
    path = f"/api/inspection/updateInspection/{filled['inspection_id']}"
    after = service.admin.put(path, json=dict.fromkeys(names, "")).json()["data"]
    assert [after[name] for name in names] == [None] * 3


def test_empty_optional_field_of_an_item_is_null(service: ContractApp) -> None:
    item = service.create_item(description="", model_id="")
    assert (item["description"], item["model_id"]) == (None, None)
    filled = service.create_item(description="x", model_id="m")
    path = f"/api/inspection_item/{filled['item_id']}"
    after = service.admin.put(path, json={"description": "", "model_id": ""}).json()
    assert (after["description"], after["model_id"]) == (None, None)


# Filters of a search


@pytest.mark.parametrize("name", [*FILTERS, "q"])
def test_empty_filter_is_ignored(service: ContractApp, name: str) -> None:
    # A form also sends empty fields. Records without a value must stay in the result.
    record = service.create_record(task_id=f"only-{name}")
    filters = {"task_id": record["task_id"], "q": record["inspection_name"] or ""}
    if name == "task_id":
        record = service.create_record(task_id="any", inspection_name="空的任务条件")
        filters = {"q": "空的任务条件"}
    assert service.search(**{**filters, name: ""})["data"] == [record]


def test_search_with_only_empty_filters_finds_all_records(service: ContractApp) -> None:
    service.create_record()
    everything = service.search(page_size=1)["pagination"]["total"]
    assert service.search(page_size=1, **dict.fromkeys(FILTERS, ""))["pagination"]["total"] == everything


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task_id", "x" * 256),
        ("task_id", "a\x00b"),
        ("executor_name", "x" * 256),
        ("executor_name", "\x00"),
        ("inspection_status", "x" * 256),
        ("record_state", "unknown"),
        ("start_time_from", "1700000000"),
        ("start_time_to", "x"),
        ("end_time_from", "2026-03-01T08:00:00 08:00"),
        ("end_time_to", "9999-12-31T23:59:59-01:00"),
        ("end_time_to", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_unreadable_filter_is_422_with_its_name(service: ContractApp, name: str, value: str) -> None:
    query: dict[str, str | int] = {"current_page": 1, "page_size": 10, name: value}
    assert_invalid(service.admin.get("/api/inspection/search", params=query), name)


# Methods and addresses

METHODS = {
    "/api/inspection/create": "OPTIONS, POST",
    "/api/inspection/getInspectionById/x": "GET, HEAD, OPTIONS",
    "/api/inspection/updateInspection/x": "OPTIONS, PUT",
    "/api/inspection/deleteInspection/x": "DELETE, OPTIONS",
    "/api/inspection/search": "GET, HEAD, OPTIONS",
    "/api/inspection_item/x": "DELETE, GET, HEAD, OPTIONS, PUT",
    "/api/inspection_item/list": "GET, HEAD, OPTIONS",
    "/api/auth/updateFaceInfo": "OPTIONS, POST",
    "/api/auth/loginByFaceInfo": "OPTIONS, POST",
    "/api/auth/updateInfo": "OPTIONS, POST",
    "/api/auth/updatePassword": "OPTIONS, POST",
}


@pytest.mark.parametrize("prefix", ["/api", ""])
@pytest.mark.parametrize("path", [path for path in METHODS if path != "/api/inspection_item/list"])
def test_unsupported_method_is_405_with_the_supported_methods(
    service: ContractApp, path: str, prefix: str
) -> None:
    methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} - set(METHODS[path].split(", "))
    for client, method in itertools.product((service.admin, service.anonymous), methods):
        answer = client.request(method, prefix + path.removeprefix("/api"))
        assert (answer.status_code, answer.headers["allow"]) == (405, METHODS[path])
        if method == "HEAD":
            assert answer.content == b""
            continue
        assert answer.json() == {
            "code": 1,
            "data": {"error": "method_not_allowed"},
            "msg": "此地址不支持该请求方法",
        }


@pytest.mark.parametrize("prefix", ["/api", ""])
@pytest.mark.parametrize("path", METHODS)
def test_options_lists_the_methods_without_a_login(service: ContractApp, path: str, prefix: str) -> None:
    answer = service.anonymous.options(prefix + path.removeprefix("/api"))
    assert (answer.status_code, answer.headers["allow"], answer.content) == (204, METHODS[path], b"")


def test_options_of_an_unknown_path_is_404(service: ContractApp) -> None:
    assert service.anonymous.options("/api/nothing-here").status_code == 404


@pytest.mark.parametrize("prefix", ["/api", ""])
def test_head_is_a_get_without_the_body(service: ContractApp, ids: dict[str, str], prefix: str) -> None:
    for path in (
        f"/inspection/getInspectionById/{ids['record']}",
        "/inspection/search?current_page=1&page_size=1",
        f"/inspection_item/{ids['item']}",
        f"/inspection_item/list?inspection_id={ids['record']}",
    ):
        for client, status in ((service.admin, 200), (service.anonymous, 401)):
            answer, head = client.get(prefix + path), client.head(prefix + path)
            assert (head.status_code, head.content) == (status, b"")
            head_headers = {name: value for name, value in head.headers.items() if name != "x-request-id"}
            assert head_headers == {
                name: value for name, value in answer.headers.items() if name != "x-request-id"
            }
            assert int(head_headers["content-length"]) == len(answer.content) > 0
    missing = service.admin.head(f"{prefix}/inspection_item/none")
    assert (missing.status_code, missing.content) == (404, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/api/inspection/search/",
        "/Inspection/search",
        "//inspection/search",
        "/api/api/inspection/search",
        "/api/nothing-here",
    ],
)
def test_path_with_a_mistake_is_404_without_redirect(service: ContractApp, path: str) -> None:
    for client in (service.admin, service.anonymous):
        answer = client.get(path, params={"current_page": 1, "page_size": 1}, follow_redirects=False)
        assert_refused(answer, 404, "not_found", "请求的地址不存在")


@pytest.mark.parametrize("number", ["none", "-1", "0", "9" * 255, "é", "' OR 1=1 --", "%20", "..%2e"])
def test_unknown_id_is_404_whatever_its_form(service: ContractApp, number: str) -> None:
    for path, msg in (
        ("/api/inspection/getInspectionById/{}", "检查记录不存在"),
        ("/api/inspection_item/{}", "检查项不存在"),
    ):
        answer = service.admin.get(path.format(number))
        assert answer.status_code == 404
        assert answer.json() == {"code": 1, "data": {"error": "not_found"}, "msg": msg}


@pytest.mark.parametrize("number", ["9" * 256, "%00"])
def test_impossible_id_is_422(service: ContractApp, number: str) -> None:
    for path, name in (
        ("/api/inspection/getInspectionById/{}", "inspection_id"),
        ("/api/inspection_item/{}", "item_id"),
    ):
        answer = service.admin.get(path.format(number))
        assert_invalid(answer, name)
