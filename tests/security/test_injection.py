"""SQL in every parameter, addresses that the service must not fetch, and names that are paths."""

from __future__ import annotations

import datetime as dt
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import cv2
import pytest

from service.detection.compute.compute_process import ComputeProcess, check_model
from service.detection.failure import BadModel
from service.phone import codes
from shared import samples
from tests.security.application import PopulatedApp, check_frame
from tests.security.operations import empty_body, fill_path, parts

pytestmark = pytest.mark.slow

PAYLOADS = (
    "'",
    "' OR '1'='1",
    "x'; DROP TABLE record; --",
    "x' UNION SELECT password_hash, 1, 1 FROM user --",
    '") OR 1=1 --',
    "\\",
)
# Words that only an error of the database, or what an attack asks for, would bring.
TELLING = ("sqlite", "syntax", "select ", "password_hash", "$2b$", "traceback", "no such", "psycopg")


def _leaked_words(text: str) -> list[str]:
    return [word for word in TELLING if word in text.lower()]


@pytest.fixture
def phone(populated: PopulatedApp) -> dict[str, str]:
    """The header of a phone that is connected to the record."""
    code = populated.admin.post("/api/phone/codes", json={"inspection_id": populated.ids["inspection_id"]})
    phone_code, key = code.json()["data"], "k" * 32
    claimed = populated.admin.post("/api/phone/claim", json={"token": phone_code["token"], "key": key})
    assert claimed.status_code == 200, claimed.text
    return {"Authorization": f"Phone {phone_code['code_id']}.{key}"}


def caller(operation: dict[str, Any], phone: dict[str, str]) -> dict[str, str]:
    """The header of a caller that is not a person."""
    return dict(phone) if {"phone": []} in operation.get("security", []) else {}


def test_sql_in_every_parameter_of_every_reading_operation(
    populated: PopulatedApp, phone: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine this takes long enough for the phone's last contact to be written again.
    monkeypatch.setattr(codes, "_SEEN_INTERVAL", dt.timedelta(days=1))
    before, tried = populated.rows(), 0
    for name, operation in populated.operations().items():
        method, path = parts(name)
        if method != "GET":
            continue
        # Nobody sorts by a parameter; one that is sent is not looked at.
        places = [(p["in"], p["name"]) for p in operation.get("parameters", [])]
        places += [("query", "sort"), ("query", "order_by")]
        for place, parameter in places:
            for payload in PAYLOADS:
                query: dict[str, Any] = {}
                if "/search" in path:
                    query = {"current_page": 1, "page_size": 5}
                elif path.endswith(("/list", "/jobs")):
                    query = {"inspection_id": populated.ids["inspection_id"]}
                ids, headers = dict(populated.ids), caller(operation, phone)
                if place == "path":
                    ids[parameter] = quote(payload, safe="")
                elif place == "query":
                    query[parameter] = payload
                else:
                    headers[parameter] = payload
                answer = populated.admin.get(fill_path(path, ids), params=query, headers=headers)
                at = (name, parameter, payload)
                tried += 1
                # 503: the event stream, which these tests have closed. 409: a record that is not sealed.
                expected = {"/api/events": 503, "/api/inspection/{inspection_id}/seal/verify": 409}.get(path)
                assert answer.status_code in {200, 404, 422, expected}, (at, answer.status_code)
                assert not _leaked_words(answer.text) or path == "/api/audit", at
                data = answer.json().get("data") if "json" in answer.headers["content-type"] else None
                text = place == "query" and parameter not in {"sort", "order_by", "size"}
                if answer.status_code == 200 and text and isinstance(data, dict) and "pagination" in data:
                    assert data["pagination"]["total"] == 0, at
    assert tried > 300
    assert populated.rows() == before


def test_sql_in_the_id_of_every_changing_operation(populated: PopulatedApp, phone: dict[str, str]) -> None:
    before = populated.rows()
    for name, operation in populated.operations().items():
        method, path = parts(name)
        if method == "GET" or "{" not in path:
            continue
        for payload in PAYLOADS:
            ids = dict.fromkeys(populated.ids, quote(payload, safe=""))
            headers = caller(operation, phone)
            answer = populated.admin.request(
                method, fill_path(path, ids), headers=headers, **empty_body(operation)
            )
            nothing = name == "DELETE /api/face/enrolments/{user_id}" and answer.json()["data"] is False
            assert answer.status_code in {404, 405, 422} or nothing, (name, payload, answer.text)
            assert not _leaked_words(answer.text), (name, payload)
            check_frame(answer, path)
    assert populated.rows() == before


@pytest.mark.parametrize(
    "path",
    [
        "/api/files/..%2f..%2fsecret.key/content",
        "/api/files/%2e%2e%2fwalkaround.db/content",
        "/api/files/%2fetc%2fpasswd/thumbnail",
        "/api/files/../../etc/passwd",
        "/api/docs/assets/..%2f..%2fsecret.key",
        "/api/docs/assets/%2e%2e/%2e%2e/secret.key",
        "/api/docs/assets/index.html",
        "/api/docs/assets/oauth2-redirect.html",
        "/api/detection/models/..%2f..%2fsecret.key",
        "//localhost.evil.example/%2e%2e",
    ],
)
def test_a_path_leads_to_no_file(populated: PopulatedApp, path: str) -> None:
    answer = populated.admin.get(path, follow_redirects=False)
    assert answer.status_code in {404, 422}
    check_frame(answer, path)
    assert "location" not in answer.headers


_connections: list[tuple[str, object]] = []
_watching = False


def _record_connection(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event in {"socket.connect", "socket.getaddrinfo", "urllib.Request"}:
        _connections.append((event, arguments[-1]))


sys.addaudithook(_record_connection)


def test_no_address_that_a_client_names_is_ever_fetched(populated: PopulatedApp) -> None:
    """Neither by the service nor by a process of its own: a listener would hear of either."""
    global _watching
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/internal.png"
        # The CID names a file of ours, so the detection below has a reference image and really runs.
        info = {
            "download_url": url,
            "filename": url,
            "ipfs_cid": populated.file["ipfs_cid"],
            "mime_type": url,
        }
        record = populated.create_record(reference_image_id=url, task_id=url, executor_id=url)[
            "inspection_id"
        ]
        point = {"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "fileInfo": info}
        entry = {"inputImage": info, "resultImage": {"boxes": [], "resultImage": info}, "isPassed": True}
        _connections.clear()
        _watching = True
        try:
            item = populated.create_item(
                record, model_id="reference-difference", item_point=point, result=[entry]
            )
            path = f"/api/inspection_item/{item['item_id']}"
            form = {
                "file": (
                    "photo.png",
                    bytes(cv2.imencode(".png", samples.draw_panel(64, 48, 5).image)[1]),
                    "image/png",
                )
            }
            file_id = populated.admin.post("/api/files", files=form).json()["data"]["file_id"]
            photo = populated.admin.post(f"{path}/photos", json={"file_id": file_id})
            assert photo.status_code == 200
            assert populated.admin.post(f"{path}/photos", json={"file_id": url}).status_code in {404, 422}
            detected = populated.admin.post(f"{path}/detect", params={"wait": 30}).json()["data"]
            assert detected["state"] in {"done", "failed"}
            assert detected["error"] != "no_region"
            for field in ("updateFaceInfo", "updateInfo", "loginByFaceInfo"):
                answer = populated.admin.post(f"/api/auth/{field}", json={"faceInfo": url})
                assert (answer.status_code, answer.json()["code"]) == (200, 1)
            body = {"reference_image_name": "r", "file_id": url}
            assert populated.admin.post("/api/catalogue/reference-images", json=body).status_code in {
                409,
                422,
            }
            assert populated.admin.get(path).json()["item_point"]["fileInfo"] == info
        finally:
            _watching = False
        assert _connections == []
        with pytest.raises(TimeoutError):
            listener.accept()


def test_no_program_of_the_working_directory_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Someone starts `walkaround serve` in a folder that others may write.
    planted = tmp_path / "shared"
    planted.mkdir()
    run = tmp_path / "run"
    for name in ("__init__", "__main__"):
        (planted / f"{name}.py").write_text(f"open({str(run)!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "model.onnx"
    model.write_bytes(b"no model")
    with pytest.raises(BadModel) as raised:
        check_model(Path("model.onnx"), None, {})
    assert raised.value.code == "not_onnx"
    worker = ComputeProcess()
    try:
        answer = worker.ask({"photo": "nothing"}, 30, lambda percent: None)
    finally:
        worker.close()
    assert answer["event"] == "failed"
    assert not run.exists()
