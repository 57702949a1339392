"""Tests that no operation changes a sealed record, and that changes in its database and files are found."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, select, text, update
from sqlalchemy.exc import DBAPIError
from starlette.testclient import TestClient

from service.audit.service import AuditService
from service.audit.tables import AuditRow
from service.commands import verify_audit
from service.db.database import Database
from service.files.tables import FileRow
from service.inspection.sealing import seal
from service.inspection.sealing.contents import table_content
from service.inspection.sealing.seal_check import SealChecks
from service.inspection.tables import EDITION, ITEM, PHOTO, RECORD, RECORD_PHOTO
from service.seal_checking import seal_checks
from service.settings import Settings
from service.stores.contents import FILES
from shared import samples
from shared.images.cv import cv2
from shared.wire.seal import SealCheck

FILE: Table = FileRow.__table__
AUDIT: Table = AuditRow.__table__


@dataclass
class SealedRecord:
    """A finished record of two items, one with a photo, and the IDs for the paths of the operations."""

    client: TestClient
    database: Database
    checks: SealChecks
    files: Path
    ids: dict[str, str]

    @property
    def record(self) -> str:
        return self.ids["inspection_id"]

    def check(self) -> SealCheck:
        return self.checks.check_now(self.record)

    def paths(self) -> list[str]:
        return [difference.path for difference in self.check().differences]

    def rows(self, *tables: Table) -> dict[str, list[Any]]:
        def work(session: Any) -> dict[str, list[Any]]:
            return {
                table.name: sorted(map(tuple, session.execute(select(table))), key=repr) for table in tables
            }

        return self.database.read_now(work)

    def write(self, statement: Any) -> None:
        self.database.write_now(lambda session: session.execute(statement))


def post(client: TestClient, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    data: dict[str, Any] = body.get("data", body)
    return data


@pytest.fixture
def sealed_record(client: TestClient, database: Database, settings: Settings) -> SealedRecord:
    picture = bytes(cv2.imencode(".png", samples.draw_panel(24, 16).image)[1])
    upload = client.post("/api/files", files={"file": ("左翼.png", picture, "image/png")})
    file = upload.json()["data"]
    image = post(
        client,
        "/api/catalogue/reference-images",
        reference_image_name="左翼",
        file_id=file["file_id"],
        mm_per_pixel=0.125,
    )
    record = post(
        client,
        "/api/inspection/create",
        task_id="任务",
        inspection_name="航后",
        reference_image_id=image["reference_image_id"],
        start_time="2026-01-02T03:04:05.678901",
    )["inspection_id"]
    place = {"point": {"x": 0.1, "y": 0.20, "w": 0.3, "h": 1e-1}, "fileInfo": None}
    ids = {"inspection_id": record, "file_id": file["file_id"]}
    for key, name in (("item_id", "前缘"), ("second", "铆钉"), ("gone", "口盖")):
        item = post(
            client,
            "/api/inspection_item/create",
            inspection_id=record,
            item_name=name,
            description="看裂纹",
            model_id="reference-difference",
            item_point=place,
        )
        ids[key] = item["item_id"]
    photos = f"/api/inspection_item/{ids['item_id']}/photos"
    ids["photo_id"] = post(client, photos, file_id=file["file_id"])["photo_id"]
    of_record = f"/api/inspection/{record}/record-photos"
    ids["record_photo"] = post(client, of_record, file_id=file["file_id"])["photo_id"]
    entry = {
        "inputImage": {"file_id": file["file_id"], "download_url": file["download_url"]},
        "resultImage": {
            "boxes": [
                {"label": "裂纹", "confidence": 0.50, "points": {"x1": 1, "y1": 2, "x2": 3, "y2": 4.0}}
            ],
            "resultImage": None,
        },
        "isPassed": False,
        "progress": "done",
        "version": 1,
        "job_id": "no-such-job",
        "provenance": {"model_id": "m", "model_name": "模型", "model_version": 2, "model_sha256": None},
    }
    condition = ITEM.c.item_id == ids["item_id"]
    values = {"result": json.dumps([entry], ensure_ascii=False), "outcome": "failed", "detected": True}
    database.write_now(lambda session: session.execute(update(ITEM).where(condition).values(**values)))
    for key in ("item_id", "second"):
        post(client, f"/api/inspection_item/{ids[key]}/verdict", verdict="failed", reason="有裂纹")
    assert client.delete(f"/api/inspection_item/{ids['gone']}").status_code == 200
    other = post(client, "/api/inspection/create", task_id="别的")["inspection_id"]
    post(client, "/api/inspection_item/create", inspection_id=other, item_name="别的")
    ids["other_id"] = other
    finished = client.post(f"/api/inspection/{record}/finish")
    assert finished.status_code == 200, finished.text
    new = SealedRecord(client, database, seal_checks(database, settings), settings.files_dir, ids)
    assert new.check().intact
    return new


def stored_value(database: Database, column: Any, value: Any) -> Any:
    """`value` as the database stores it in a column of times."""
    if isinstance(value, dt.datetime) and database.is_sqlite:
        return value.isoformat(sep=" ", timespec="microseconds")
    return value


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
    assert content["finished"]["by_name"] == "主任"
    assert content["finished"]["at"] == content["record"]["end_time"]
    assert content["known"]["reference_image_name"] == "左翼"
    picture = sealed_record.client.get(f"/api/files/{sealed_record.ids['file_id']}").json()["data"]
    assert content["reference_image"]["sha256"] == picture["sha256"]
    assert content["files"][0]["sha256"] == picture["sha256"]
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
    assert set(seal.ITEM_FIELDS) == {column.name for column in ITEM.c}
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
    # Without a photo, which would be another conflict.
    "POST /api/inspection_item/{second}/detect": {},
    "POST /api/detection/batches": {"inspection_ids": ["{inspection_id}"]},
}
ELSEWHERE = {
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
        {"start_time": None},
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
    reason = {"reason": "补一张"}
    assert (
        sealed_record.client.post(f"/api/inspection/{sealed_record.record}/reopen", json=reason).status_code
        == 200
    )
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


# Changes from outside


def changed_texts(value: str) -> Iterator[str]:
    """Variants of `value` with one changed character, at its start, its end and positions in between."""
    step = max(1, len(value) // 40)
    for at in {*range(0, len(value), step), len(value) - 1}:
        if value:
            yield value[:at] + ("1" if value[at] != "1" else "2") + value[at + 1 :]
    yield value + "1"


def changed_values(column: Any, value: Any, sqlite: bool) -> Iterator[Any]:
    if value is None:
        yield from ([dt.datetime(2026, 1, 1)] if _is_time(column) else ["x"])
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, dt.datetime):
        yield value + dt.timedelta(microseconds=1)
        if sqlite:
            stored = value.isoformat(sep=" ", timespec="microseconds")
            yield from changed_texts(stored)
            yield stored.replace(" ", "T")
    else:
        yield from changed_texts(value)


def _is_time(column: Any) -> bool:
    return "DATETIME" in str(column.type).upper() or "TIMESTAMP" in str(column.type).upper()


# Columns that a seal does not cover: the user and the time of an upload.
_BESIDES = {("file", "added_by"), ("file", "created_at"), ("file", "uploaded_at")}


@pytest.mark.slow(120)
def test_each_changed_byte_of_the_database_is_found(sealed_record: SealedRecord) -> None:
    for table in (RECORD, ITEM, PHOTO, RECORD_PHOTO, EDITION, FILE):
        _assert_each_changed_byte_is_found(sealed_record, table)


def _assert_each_changed_byte_is_found(sealed_record: SealedRecord, table: Table) -> None:
    key = next(iter(table.primary_key)) if table is not EDITION else EDITION.c.inspection_id
    wanted = {RECORD: "inspection_id", ITEM: "item_id", PHOTO: "photo_id", FILE: "file_id"}
    wanted[RECORD_PHOTO] = "record_photo"
    condition = key == sealed_record.ids[wanted.get(table, "inspection_id")]
    row = sealed_record.database.read_now(
        lambda session: session.execute(select(table).where(condition)).one()
    )
    tried, refused = 0, 0
    for column in table.c:
        if (table.name, column.name) in _BESIDES:
            continue
        value = row._mapping[column.name]
        for other in changed_values(column, value, sealed_record.database.is_sqlite):
            name = f"{table.name}.{column.name}: {other!r}"
            try:
                set_column(sealed_record.database, table, column, condition, other)
            except DBAPIError:
                # The database refuses a referenced key or a text that is too long.
                refused += 1
                continue
            check = sealed_record.check()
            assert not check.intact, name
            assert check.differences[0].path, name
            assert check.differences[0].message, name
            back = condition if column is not key else key == other
            set_column(sealed_record.database, table, column, back, value)
            tried += 1
    assert sealed_record.check().intact, table.name
    assert tried >= len(table.c) - len(_BESIDES) - 3, table.name
    assert refused < tried, table.name


def set_column(database: Database, table: Table, column: Any, condition: Any, value: Any) -> None:
    if isinstance(value, dt.datetime):
        value = value.isoformat(sep=" ", timespec="microseconds")
    stored = "cast(:value as timestamp)" if not database.is_sqlite and _is_time(column) else ":value"
    where = condition.compile(compile_kwargs={"literal_binds": True})
    statement = text(f'UPDATE "{table.name}" SET "{column.name}" = {stored} WHERE {where}')
    database.write_now(lambda session: session.execute(statement, {"value": value}))


def test_removed_and_added_rows_are_found(sealed_record: SealedRecord) -> None:
    sealed_record.write(delete(PHOTO))
    assert sealed_record.paths() == ["items[0].photos[0]"]
    (difference,) = sealed_record.check().differences
    assert (difference.item_id, difference.item_name) == (sealed_record.ids["item_id"], "前缘")
    assert difference.message == "检查项“前缘”的 photos[0] 已不存在"
    row = sealed_record.rows(ITEM)["item"][0]
    values = dict(zip((column.name for column in ITEM.c), row, strict=True))
    added = {**values, "item_id": "new", "inspection_id": sealed_record.record, "client_key": None}
    sealed_record.write(insert(ITEM).values({**added, "created_at": dt.datetime(2100, 1, 1)}))
    assert sealed_record.paths() == ["items[2]", "items[0].photos[0]"]
    sealed_record.write(delete(ITEM).where(ITEM.c.inspection_id == sealed_record.record))
    assert {"items[0]", "items[1]"} <= set(sealed_record.paths())
    sealed_record.write(delete(RECORD).where(RECORD.c.inspection_id == sealed_record.record))
    assert sealed_record.paths() == ["record"]
    sealed_record.write(delete(EDITION))
    check = sealed_record.check()
    assert [discrepancy.path for discrepancy in check.differences] == ["editions[1]"]
    answer = sealed_record.client.get(f"/api/inspection/{sealed_record.record}/seal/verify").json()
    assert (answer["data"]["intact"], answer["msg"]) == (False, "校验未通过：记录与封存时不一致")


def test_removed_and_added_record_photos_are_found(sealed_record: SealedRecord) -> None:
    (row,) = sealed_record.rows(RECORD_PHOTO)["record_photo"]
    values = dict(zip((column.name for column in RECORD_PHOTO.c), row, strict=True))
    sealed_record.write(insert(RECORD_PHOTO).values({**values, "photo_id": "new", "file_id": "new"}))
    (difference,) = sealed_record.check().differences
    assert (difference.kind, difference.item_id) == ("added", None)
    sealed_record.write(delete(RECORD_PHOTO))
    assert sealed_record.paths() == ["photos[0]"]
    assert sealed_record.check().differences[0].message == "photos[0] 已不存在"


def test_edition_of_an_earlier_form_is_checked_in_that_form(sealed_record: SealedRecord) -> None:
    """As an earlier version sealed it: without the photos of the record and their data in the items'."""
    old = sealed_record.database.read_now(
        lambda session: table_content(session, sealed_record.record, seal.OLD_FORM)
    )
    content = seal.parse_content(sealed_record.rows(EDITION)["record_edition"][0][3])
    del content["photos"]
    old_content = seal.canonical({**content, **(old or {}), "format": seal.OLD_FORM})
    assert "record_photo_id" not in old_content
    condition = EDITION.c.inspection_id == sealed_record.record
    sealed_record.write(
        update(EDITION).where(condition).values(content=old_content, seal=seal.seal_of(old_content))
    )
    # Only the log still has the seal of the other form.
    assert sealed_record.paths() == ["editions[1].seal"]
    sealed_record.write(update(PHOTO).values(file_id="another"))
    assert "items[0].photos[0].file_id" in sealed_record.paths()


def test_rewritten_edition_does_not_match_log(sealed_record: SealedRecord) -> None:
    """A user of the database changes the content and computes its seal, but cannot write to the log."""
    content = sealed_record.rows(EDITION)["record_edition"][0][3].replace("有裂纹", "没裂纹")
    condition = EDITION.c.inspection_id == sealed_record.record
    sealed_record.write(update(EDITION).where(condition).values(content=content, seal=seal.seal_of(content)))
    sealed_record.write(update(ITEM).values(result=text("replace(result, '有裂纹', '没裂纹')")))
    assert "editions[1].seal" in sealed_record.paths()


def test_incomplete_edition_is_unreadable(sealed_record: SealedRecord) -> None:
    whole = sealed_record.rows(EDITION)["record_edition"][0][3]
    condition = EDITION.c.inspection_id == sealed_record.record
    for key in ("sha256", "file_id", "items", "record", "model_sha256", "model_name"):
        content = whole.replace(f'"{key}":', '"other":')
        assert content != whole, key
        sealed_record.write(update(EDITION).where(condition).values(content=content))
        check = sealed_record.check()
        assert not check.intact, key
        assert "editions[1].content" in [difference.path for difference in check.differences], key


def test_forged_release_or_reopening_is_found(sealed_record: SealedRecord) -> None:
    at = dt.datetime(2026, 1, 1)
    condition = EDITION.c.inspection_id == sealed_record.record
    for who in ("released", "reopened"):
        values = {f"{who}_by": "x", f"{who}_at": at}
        sealed_record.write(update(EDITION).where(condition).values(values))
        assert "editions[1].release" in sealed_record.paths() or "editions[1].reopen" in sealed_record.paths()
        sealed_record.write(update(EDITION).where(condition).values(dict.fromkeys(values)))
    assert sealed_record.check().intact


# The rows are the same for every byte, because the compared bytes are in the folder of files.
@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_each_changed_byte_of_a_file_is_found(sealed_record: SealedRecord) -> None:
    (sha256,) = sealed_record.database.read_now(lambda session: session.execute(select(FILE.c.sha256)).one())
    path = sealed_record.files / FILES.name(sha256)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        (difference,) = sealed_record.check().differences
        assert (difference.kind, difference.path, difference.file_id) == (
            "file_changed",
            "files[0]",
            sealed_record.ids["file_id"],
        )
    assert difference.message == "检查项“前缘”的文件“左翼.png”的内容与封存时不同"
    for other in (whole[:-1], whole + b"\x00", b""):
        path.write_bytes(other)
        assert sealed_record.check().differences[0].kind == "file_changed"
    path.unlink()
    assert [lost.kind for lost in sealed_record.check().differences] == ["file_missing"]
    path.write_bytes(whole)
    assert sealed_record.check().intact


def test_catalogue_may_change_after_the_seal(sealed_record: SealedRecord) -> None:
    image = sealed_record.client.get("/api/catalogue/reference-images").json()["data"]["data"][0]
    path = f"/api/catalogue/reference-images/{image['reference_image_id']}"
    renamed = sealed_record.client.put(path, json={**image, "reference_image_name": "右翼"})
    assert renamed.status_code == 200, renamed.text
    assert sealed_record.check().intact


def test_reopened_record_may_change_but_not_its_edition(sealed_record: SealedRecord) -> None:
    path = f"/api/inspection/{sealed_record.record}"
    assert sealed_record.client.post(f"{path}/reopen", json={"reason": "改"}).status_code == 200
    verdict = {"verdict": "passed"}
    sealed_record.client.post(f"/api/inspection_item/{sealed_record.ids['item_id']}/verdict", json=verdict)
    check = sealed_record.check()
    assert (check.intact, check.current, check.edition) == (True, False, 1)
    sealed_record.write(update(EDITION).values(content=EDITION.c.content + " "))
    assert sealed_record.paths() == ["editions[1].content"]


# On the command line


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_command_reports_the_differences(
    sealed_record: SealedRecord, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["audit", "verify", "--record", sealed_record.record]
    assert verify_audit.main(arguments, settings) == 0
    assert "the record and its 1 file(s) are as they were sealed" in capsys.readouterr().out
    sealed_record.write(update(ITEM).values(description="改"))
    assert verify_audit.main(arguments, settings) == 1
    output = capsys.readouterr().out
    assert "items[0].description (item '前缘'): differs from the sealed value" in output
    assert "FAILED: edition 1 of record" in output
    assert verify_audit.main(["audit", "verify", "--record", "none"], settings) == 1
    assert "no finished record none" in capsys.readouterr().out
    assert verify_audit.main(["audit", "verify"], settings) == 0


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_log_without_the_seal_is_found(sealed_record: SealedRecord, settings: Settings) -> None:
    with sealed_record.database.writer.begin() as connection:
        names = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars()
        for name in names.all():
            connection.execute(text(f'DROP TRIGGER "{name}"'))
        connection.execute(delete(AUDIT).where(AUDIT.c.action == "seal"))
    assert sealed_record.paths() == ["editions[1].seal"]
    assert AuditService(sealed_record.database, settings).verify().problems


def test_verification_of_an_unknown_record_is_404_and_of_an_open_one_409(client: TestClient) -> None:
    assert client.get("/api/inspection/unknown/seal/verify").status_code == 404
    record = client.post("/api/inspection/create", json={"task_id": "t"}).json()["data"]
    assert client.get(f"/api/inspection/{record['inspection_id']}/seal/verify").status_code == 409
