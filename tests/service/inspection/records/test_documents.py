"""Tests which bodies of records and items are stored unchanged, which parts are ignored, and long pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from shared.record import results
from tests.service.inspection.conftest import Stage

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
KNOWN = {"point", "fileInfo", "inputImage", "resultImage", "isPassed", "progress", "version"} | set(
    results.SERVICE_KEYS
)
EXTRA = st.dictionaries(TEXT.filter(lambda key: key not in KNOWN), JSON, max_size=3)
POINTS = st.fixed_dictionaries({"x": NUMBERS, "y": NUMBERS, "w": NUMBERS, "h": NUMBERS})


@pytest.mark.parametrize("database_kind", ["sqlite"])
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(point=POINTS, extra=EXTRA, image=EXTRA)
def test_item_point_and_result_are_stored_unchanged(
    stage: Stage, point: dict[str, Any], extra: dict[str, Any], image: dict[str, Any]
) -> None:
    inspection_id = stage.record()["inspection_id"]
    place = {"point": point, **extra}
    result = [{"inputImage": image, "isPassed": True, **extra}, {"resultImage": {"boxes": []}}, {}]
    item = stage.item(inspection_id, item_point=place, result=result)
    answer = stage.client.get(f"/api/inspection_item/{item['item_id']}")
    for text in (answer.text, json.dumps(item)):
        body = json.loads(text)
        assert exact_json(body["item_point"]) == exact_json(place)
        assert exact_json(body["result"]) == exact_json(result)


def exact_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def test_complete_document_is_stored_unchanged(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    place = {
        "point": {"x": 0.1, "y": 2, "w": 1e22, "h": 2**80, "rotation": 0.30000000000000004},
        "fileInfo": {"download_url": "/f", "size": 12.0, "自有": [1, None, {"a": True}]},
        "备注": "😀 \\ \" ' \u2028",
    }
    box = {"label": "裂纹", "confidence": 1, "points": {"x1": 1, "y1": 2.5, "x2": 3, "y2": 4}, "id": "b"}
    result = [
        {
            "inputImage": {"anything": [1, 2]},
            "resultImage": {"boxes": [box], "resultImage": {"download_url": "/r"}, "more": 1},
            "isPassed": None,
            "progress": "任意标签",
            "version": 1_000_000_000,
        }
    ]
    item = stage.item(inspection_id, item_point=place, result=result)
    for stored in (item, stage.items(inspection_id)[0]):
        assert exact_json(stored["item_point"]) == exact_json(place)
        assert exact_json(stored["result"]) == exact_json(result)


def test_longest_values_are_stored(stage: Stage) -> None:
    body = {
        "task_id": "任" * 255,
        "inspection_name": "😀" * 255,
        "executor_id": "'\"\\%_",
        "reference_image_id": "\n\t",
        "start_time": "0001-01-01T00:00:00",
        "end_time": "9999-12-31T23:59:59.999999",
        "progress": 100,
    }
    record = stage.record(**body)
    assert {name: record[name] for name in body} == body
    assert stage.get(record["inspection_id"]) == record
    item = stage.item(record["inspection_id"], item_name="项" * 255, description="述" * 20_000)
    assert len(item["description"]) == 20_000


def test_columns_of_the_service_in_a_body_are_ignored(stage: Stage) -> None:
    forged = {
        "inspection_id": "forged",
        "created_at": "2000-01-01T00:00:00",
        "updated_at": "2000-01-01T00:00:00",
        "revision": 99,
        "executor_name": "假名",
        "status_name": "假",
        "flight_id": "f",
        "aircraft_name": "假机",
        "outcome": "passed",
        "__class__": "x",
    }
    record = stage.record(**forged)
    again = stage.client.put(f"/api/inspection/updateInspection/{record['inspection_id']}", json=forged)
    assert again.json()["data"] == record
    assert again.headers["etag"] == '"1"'
    assert record["inspection_id"] != "forged"
    assert record["created_at"] > "2020"
    assert record["executor_name"] is None

    item = stage.item(
        record["inspection_id"], item_id="forged", model_name="假", created_at="2000", outcome="passed"
    )
    path = f"/api/inspection_item/{item['item_id']}"
    other = stage.record()["inspection_id"]
    forged_item = {
        "item_id": "x",
        "inspection_id": other,
        "revision": 7,
        "outcome": "passed",
        "model_name": "假",
    }
    after = stage.client.put(path, json=forged_item)
    assert after.json() == item
    assert after.headers["etag"] == '"1"'
    assert item["item_id"] != "forged"
    assert stage.get(record["inspection_id"])["progress"] == 0


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize(
    "number", ["%00", "a%00b", "x" * 256, "%F0%9F%98%80", "..%2f..", "%27%20OR%201=1--", "%ff"]
)
def test_invalid_id_is_422(stage: Stage, number: str) -> None:
    stage.item(stage.record()["inspection_id"])
    calls = [
        ("GET", f"/api/inspection/getInspectionById/{number}"),
        ("PUT", f"/api/inspection/updateInspection/{number}"),
        ("DELETE", f"/api/inspection/deleteInspection/{number}"),
        ("POST", f"/api/inspection/{number}/finish"),
        ("GET", f"/api/inspection_item/{number}"),
        ("PUT", f"/api/inspection_item/{number}"),
        ("DELETE", f"/api/inspection_item/{number}"),
        ("GET", f"/api/inspection_item/{number}/photos"),
    ]
    for method, path in calls:
        answer = stage.client.request(method, path, json={} if method == "PUT" else None)
        assert answer.status_code in (404, 422), (method, path, answer.text)
        assert "application/json" in answer.headers["content-type"]
    assert stage.search()["pagination"]["total"] == 1


def test_nul_inside_a_document_is_stored(stage: Stage) -> None:
    # The column has JSON, in which U+0000 is an escape, not a text with U+0000.
    record = stage.client.post("/api/inspection/create", json={"task_id": "t"}).json()["data"]
    document = {"note": ["\u0000"]}
    body = {"item_name": "前缘", "inspection_id": record["inspection_id"], "item_point": document}
    item = stage.client.post("/api/inspection_item/create", json=body).json()
    assert item["item_point"] == document
    assert stage.client.get(f"/api/inspection_item/{item['item_id']}").json()["item_point"] == document


def _long_item(stage: Stage, inspection_id: str) -> dict[str, Any]:
    document = {"kept": ["翼" * 10_000] * 7}
    return stage.item(inspection_id, item_point=document, result=[{"progress": "done"}])


def test_a_page_of_long_items_is_sent_one_by_one(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    inspection_id = stage.record()["inspection_id"]
    items = [_long_item(stage, inspection_id), stage.item(inspection_id), _long_item(stage, inspection_id)]
    sizes: list[int] = []

    async def count_sizes(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_counted(message: Message) -> None:
            sizes.append(len(message.get("body", b"")))
            await send(message)

        await stage.app(scope, receive, send_counted)

    monkeypatch.setattr(stage.client._transport, "app", count_sizes)
    path = "/api/inspection_item/list"
    for page_size in (3, 200):
        answer = stage.client.get(path, params={"inspection_id": inspection_id, "page_size": page_size})
        assert answer.json() == {
            "code": 0,
            "data": {
                "data": items,
                "pagination": {"current_page": 1, "page_size": page_size, "total": 3, "total_pages": 1},
            },
            "msg": "检查项列表获取成功",
        }
    assert max(sizes) <= len(stage.client.get(f"/api/inspection_item/{items[0]['item_id']}").content) + 1
    short = stage.client.get(path, params={"inspection_id": stage.record()["inspection_id"]})
    assert int(short.headers["content-length"]) == len(short.content)


def test_long_item_that_is_deleted_while_its_page_is_sent_is_left_out(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    deleted, kept = (_long_item(stage, inspection_id) for _ in range(2))
    items, portal = stage.service.items, stage.client.portal
    assert portal is not None
    page, _ = portal.call(items.page, inspection_id, 1, 10)
    assert stage.client.delete(f"/api/inspection_item/{deleted['item_id']}").status_code == 200

    async def read() -> list[str]:
        return [json.loads(text)["item_id"] async for text in items.texts(page)]

    assert portal.call(read) == [kept["item_id"]]
