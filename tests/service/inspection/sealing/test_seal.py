"""Tests the content of a seal, and that no operation of the API changes a sealed record."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.inspection.sealing import seal
from service.inspection.tables import COMMENT, EDITION, FILM, ITEM, PHOTO, RECORD, RECORD_PHOTO
from tests.service.inspection.sealing.conftest import SealedRecord

pytestmark = pytest.mark.slow

# The content and its seal


def test_content_contains_the_finished_record(sealed_record: SealedRecord) -> None:
    answer = sealed_record.client.get(f"/api/inspection/{sealed_record.record}/editions/1")
    data = json.loads(answer.text)["data"]
    content = data["content"]
    assert hashlib.sha256(data["canonical"].encode()).hexdigest() == data["seal"]
    assert json.loads(data["canonical"]) == content
    assert content["format"] == "walkaround-seal-2"
    assert (content["edition"], content["outcome"]) == (1, "failed")
    assert content["counters"] == {
        "items": 2,
        "detected": 1,
        "judged": 2,
        "undecided": 0,
        "passed": 0,
        "failed": 2,
    }
    assert content["finished"]["by_name"] == "主任 (chief)"
    assert content["finished"]["at"] == content["record"]["end_time"]
    assert content["known"]["reference_image_name"] == "左翼"
    picture = sealed_record.client.get(f"/api/files/{sealed_record.ids['file_id']}").json()["data"]
    reference = sealed_record.client.get(f"/api/files/{sealed_record.ids['reference_file']}").json()["data"]
    assert content["reference_image"]["sha256"] == reference["sha256"]
    assert {file["sha256"] for file in content["files"]} == {picture["sha256"], reference["sha256"]}
    assert content["models"] == [
        {"model_id": "m", "model_name": "模型", "model_version": 2, "model_sha256": None}
    ]
    item = content["items"][0]
    assert item["photos"][0]["file_id"] == sealed_record.ids["file_id"]
    assert item["result"][1]["verdict"]["value"] == "failed"
    # Numbers are stored as they are written.
    assert '"w":0.3' in data["canonical"]
    assert '"y2":4.0' in data["canonical"]
    assert '"mm_per_pixel":0.125' in data["canonical"]


def test_every_column_is_sealed() -> None:
    """A new column of these tables must be added to the content, or to the exceptions here."""
    # The state results from the edition. The check compares it with the sealed outcome.
    assert {*seal.RECORD_FIELDS, "record_state"} == {column.name for column in RECORD.c}
    # The items of the content are in their order, and the check compares it.
    assert {*seal.ITEM_FIELDS, "place"} == {column.name for column in ITEM.c}
    assert set(seal.COMMENT_FIELDS) == {column.name for column in COMMENT.c}
    assert set(seal.FILM_FIELDS) == {column.name for column in FILM.c}
    assert {*seal.PHOTO_FIELDS, seal.BY_PHONE} == {column.name for column in PHOTO.c}
    assert {*seal.RECORD_PHOTO_FIELDS, seal.BY_PHONE} == {column.name for column in RECORD_PHOTO.c}


def test_audit_log_contains_the_seal(sealed_record: SealedRecord) -> None:
    query = {"object_id": sealed_record.record, "action": "seal"}
    (entry,) = sealed_record.client.get("/api/audit", params=query).json()["data"]["data"]
    newest = sealed_record.client.get(f"/api/inspection/{sealed_record.record}/seal").json()["data"]["newest"]
    assert entry["details"] == {
        "edition": 1,
        "seal": newest["seal"],
        "outcome": "failed",
        "accepted_opinions": 0,
    }


def test_canonical_text_of_content() -> None:
    text = (
        '{"b": [1.50, -0, 1E5, 12345678901234567890], "a": {"ü": null, "\\u00e4": true, "!": "\\n\\u001f"}}'
    )
    written = seal.canonical(seal.parse_content(text))
    assert written == '{"a":{"!":"\\n\\u001f","ä":true,"ü":null},"b":[1.50,-0,1E5,12345678901234567890]}'
    assert seal.canonical(seal.parse_content(written)) == written
    assert seal.canonical({"at": dt.datetime(2026, 1, 2, 3)}) == '{"at":"2026-01-02T03:00:00"}'
    with pytest.raises(TypeError):
        seal.canonical({"a": 0.5})
    for bad in ('{"a": 1, "a": 2}', "NaN", "{", "[" * 100_000):
        with pytest.raises(seal.UnreadableError):
            seal.parse_content(bad)


# Every operation

BOX = {"label": "a", "confidence": 1, "points": {"x1": 1, "y1": 1, "x2": 2, "y2": 2}, "origin": "person"}
REFUSED: dict[str, dict[str, Any]] = {
    "PUT /api/inspection/updateInspection/{inspection_id}": {"inspection_status": "passed"},
    "DELETE /api/inspection/deleteInspection/{inspection_id}": {},
    "POST /api/inspection/{inspection_id}/finish": {"accept_model_opinion": True},
    "POST /api/inspection/{inspection_id}/items-from-template": {},
    "POST /api/inspection/{inspection_id}/items-from/{other_id}": {},
    "PUT /api/inspection/{inspection_id}/item-order": {"item_ids": ["{second}", "{item_id}"]},
    "POST /api/inspection/{inspection_id}/handovers": {"given_to": "x", "note": "继续"},
    "POST /api/inspection/{inspection_id}/comments": {"item_id": "{item_id}", "text": "看"},
    "PUT /api/inspection/{inspection_id}/comments/{comment_id}": {"text": "再看"},
    "DELETE /api/inspection/{inspection_id}/comments/{comment_id}": {},
    "POST /api/inspection/{inspection_id}/detect": {},
    "POST /api/inspection_item/create": {"item_name": "新", "inspection_id": "{inspection_id}"},
    "PUT /api/inspection_item/{item_id}": {"result": []},
    "DELETE /api/inspection_item/{item_id}": {},
    "POST /api/inspection_item/{gone}/restore": {},
    "POST /api/inspection_item/{item_id}/verdict": {"verdict": "passed"},
    "POST /api/inspection_item/{item_id}/boxes": {"of_version": 1, "boxes": [BOX]},
    "POST /api/inspection_item/{item_id}/photos": {"file_id": "{file_id}"},
    "DELETE /api/inspection_item/{item_id}/photos/{photo_id}": {},
    "POST /api/inspection/{inspection_id}/record-photos": {"file_id": "another"},
    "POST /api/inspection/{inspection_id}/record-photos/{record_photo}/match": {},
    "PUT /api/inspection/{inspection_id}/record-photos/{record_photo}/items": {"items": []},
    "DELETE /api/inspection/{inspection_id}/record-photos/{record_photo}": {},
    "POST /api/inspection/{inspection_id}/films": {"file_id": "{file_id}"},
    "DELETE /api/inspection/{inspection_id}/films/{film_id}": {},
    # Without a photo, which would be another conflict.
    "POST /api/inspection_item/{second}/detect": {},
    "POST /api/detection/batches": {"inspection_ids": ["{inspection_id}"]},
}
ELSEWHERE = {
    "PUT /api/backups": "holds for later backups",
    "POST /api/backups": "reads everything, and changes no record",
    "POST /api/inspection/create": "makes another record",
    "POST /api/inspection/{inspection_id}/reopen": "opens it, with a right and a reason",
    "POST /api/inspection/{inspection_id}/release": "is part of the edition",
    "PUT /api/inspection/policy": "holds for later finishes",
    "PUT /api/inspection_item/{item_id}/memory": "changes what later detections use, and no record",
    "POST /api/detection/batches/{batch_id}/retry": "has a test of its own",
    "POST /api/detection/batches/{batch_id}/cancel": "finish waits for detections",
    "POST /api/detection/jobs/{job_id}/cancel": "finish waits for detections",
    "POST /api/phone/codes": "has a test of its own, in service/phone",
    "DELETE /api/phone/codes/{code_id}": "ends a code, and changes no record",
    "POST /api/phone/claim": "the seal ends every code: tests in service/phone",
    "POST /api/phone/uploads": "the same",
    "PUT /api/phone/uploads/{upload_id}": "the same",
}
NO_RECORDS = (
    "/api/auth/",
    "/api/users",
    "/api/face/",
    "/api/catalogue/",
    "/api/files",
    "/api/detection/models",
    "/api/detection/labels",
    "/api/webhooks",
)
"""Paths whose operations do not write to records. The seal contains the hashes of files and models."""


def operations(client: TestClient) -> set[str]:
    paths = client.get("/api/openapi.json").json()["paths"]
    return {
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        for method in methods
        if method != "get" and not path.startswith(NO_RECORDS)
    }


def fill_ids(value: Any, ids: dict[str, str]) -> Any:
    return json.loads(
        json.dumps(value), object_hook=lambda o: {k: _filled_value(v, ids) for k, v in o.items()}
    )


def _filled_value(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_filled_value(element, ids) for element in value]
    return ids.get(value[1:-1], value) if isinstance(value, str) and value.startswith("{") else value


def test_every_operation_of_the_api_is_listed(client: TestClient) -> None:
    places = {"{gone}": "{item_id}", "{second}": "{item_id}", "{record_photo}": "{photo_id}"}
    listed = set(REFUSED)
    for specific, general in places.items():
        listed = {name.replace(specific, general) for name in listed}
    assert operations(client) == listed | set(ELSEWHERE)


def test_no_operation_changes_a_sealed_record(sealed_record: SealedRecord) -> None:
    before = sealed_record.rows(RECORD, ITEM, PHOTO, RECORD_PHOTO, EDITION)
    for name, body in REFUSED.items():
        method, path = name.split(" ", 1)
        arguments = {"json": fill_ids(body, sealed_record.ids)} if method != "DELETE" else {}
        answer = sealed_record.client.request(method, path.format_map(sealed_record.ids), **arguments)
        assert answer.status_code == 409, (name, answer.text)
        assert answer.json()["data"] == {"error": "record_sealed", "edition": 1}, name
        assert answer.json()["msg"].startswith("检查记录已封存"), name
    assert sealed_record.rows(RECORD, ITEM, PHOTO, RECORD_PHOTO, EDITION) == before
    assert sealed_record.check().intact


def test_no_field_of_a_sealed_record_changes(sealed_record: SealedRecord) -> None:
    bodies: list[dict[str, Any]] = [
        {"inspection_name": "改"},
        {"task_id": "改"},
        {"executor_id": None},
        {"reference_image_id": None},
        {"progress": 3},
        {"start_time": "2020-01-01T00:00:00"},
        {"end_time": "2020-01-01T00:00:00"},
        {"inspection_status": "passed"},
        {},
    ]
    before = sealed_record.rows(RECORD)
    for body in bodies:
        answer = sealed_record.client.put(
            f"/api/inspection/updateInspection/{sealed_record.record}", json=body
        )
        assert answer.json()["data"]["error"] == "record_sealed", body
        assert sealed_record.rows(RECORD) == before, body


def test_batch_leaves_sealed_records_out(sealed_record: SealedRecord) -> None:
    both = {"inspection_ids": [sealed_record.record, sealed_record.ids["other_id"]]}
    assert sealed_record.client.post("/api/detection/batches", json=both).status_code == 200
    assert sealed_record.client.post("/api/detection/batches", json={}).status_code in (200, 422)
    assert sealed_record.check().intact


def test_repeated_addition_returns_the_existing_photo(sealed_record: SealedRecord) -> None:
    path = f"/api/inspection_item/{sealed_record.ids['second']}/photos"
    assert sealed_record.client.post(path, json={"file_id": sealed_record.ids["file_id"]}).status_code == 409
    reopening = f"/api/inspection/{sealed_record.record}/reopen"
    assert sealed_record.client.post(reopening, json={"reason": "补一张"}).status_code == 200
    arguments: dict[str, Any] = {
        "json": {"file_id": sealed_record.ids["file_id"]},
        "headers": {"Idempotency-Key": "k"},
    }
    photo = sealed_record.client.post(path, **arguments).json()["data"]
    assert sealed_record.client.post(f"/api/inspection/{sealed_record.record}/finish").status_code == 200
    assert sealed_record.client.post(path, **arguments).json()["data"] == photo
    assert sealed_record.check().intact


def test_withdrawn_permission_prevents_reopening(
    sealed_record: SealedRecord, as_role: Callable[..., TestClient]
) -> None:
    planner = as_role("planner", username="leaver")
    users = sealed_record.client.get("/api/users", params={"page_size": 200}).json()["data"]["data"]
    (user,) = [user_entry for user_entry in users if user_entry["username"] == "leaver"]
    answer = sealed_record.client.put(f"/api/users/{user['user_id']}", json={"roles": ["inspector"]})
    assert answer.status_code == 200, answer.text
    refused = planner.post(f"/api/inspection/{sealed_record.record}/reopen", json={"reason": "改"})
    assert refused.status_code == 403
    assert sealed_record.check().current


def test_verification_of_an_unknown_record_is_404_and_of_an_open_one_409(client: TestClient) -> None:
    assert client.get("/api/inspection/unknown/seal/verify").status_code == 404
    record = client.post("/api/inspection/create", json={"task_id": "t"}).json()["data"]
    assert client.get(f"/api/inspection/{record['inspection_id']}/seal/verify").status_code == 409
