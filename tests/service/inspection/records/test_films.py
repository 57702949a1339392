"""Tests that films are kept with a record: opened, listed, sealed, downloaded, and refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update
from starlette.testclient import TestClient

from service.db.database import Database
from service.inspection.sealing.seal_check import seal_checks
from service.inspection.tables import FILM
from service.settings import Settings
from tests.films import make_film
from tests.service.answers import read_data


def _upload(client: TestClient, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        answer = client.post("/api/files", files={"file": (path.name, file)})
    return read_data(answer)


def _record(client: TestClient, **more: Any) -> str:
    answer = client.post("/api/inspection/create", json={"task_id": "任务", **more})
    return str(answer.json()["data"]["inspection_id"])


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [("孔探.mp4", "video/mp4"), ("a.mov", "video/quicktime"), ("a.avi", "video/x-msvideo")],
)
def test_a_film_is_kept_and_downloaded_in_ranges(
    client: TestClient, tmp_path: Path, name: str, mime_type: str
) -> None:
    path = make_film(tmp_path / name, count=3)
    file, record = _upload(client, path), _record(client)
    films = f"/api/inspection/{record}/films"
    added = client.post(films, json={"file_id": file["file_id"]})
    assert added.status_code == 200, added.text
    assert client.post(films, json={"file_id": file["file_id"]}).json() == added.json()
    (film,) = client.get(films).json()["data"]
    assert film == added.json()["data"]
    assert (film["file"]["filename"], film["file"]["size"]) == (name, path.stat().st_size)
    assert film["file"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert film["file"]["mime_type"] == mime_type
    assert film["added_by"]
    part = client.get(film["file"]["download_url"], headers={"Range": "bytes=4-11"})
    assert (part.status_code, part.content) == (206, path.read_bytes()[4:12])
    assert client.delete(f"{films}/{film['film_id']}").status_code == 200
    assert client.get(films).json()["data"] == []
    assert client.delete(f"{films}/{film['film_id']}").status_code == 404


def test_what_cannot_be_opened_is_refused(client: TestClient, tmp_path: Path) -> None:
    films = f"/api/inspection/{_record(client)}/films"
    contents = {
        "cut.mp4": make_film(tmp_path / "whole.mp4").read_bytes()[:400],
        "list.mp4": b"#EXTM3U\nfile:///etc/passwd\n",
        "photo.heic": b"\0\0\0\x18ftypheic" + bytes(40),
    }
    for name, content in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        file = _upload(client, path)
        answer = client.post(films, json={"file_id": file["file_id"]}, headers={"Accept-Language": "en"})
        assert (answer.status_code, answer.json()["data"]["error"]) == (415, "unsupported_media"), name
        assert answer.json()["msg"].startswith("Cannot open the film."), name
    assert file["mime_type"] == "application/octet-stream"
    assert client.post(films, json={"file_id": "none"}).status_code == 404
    assert client.get(films).json()["data"] == []
    assert client.get("/api/inspection/none/films").status_code == 404


def test_a_void_record_takes_no_film(client: TestClient, tmp_path: Path) -> None:
    record = _record(client, inspection_status="cancelled")
    file = _upload(client, make_film(tmp_path / "a.avi", count=1))
    answer = client.post(f"/api/inspection/{record}/films", json={"file_id": file["file_id"]})
    assert (answer.status_code, answer.json()["msg"]) == (409, "检查记录已作废，无法添加视频，请先恢复")


def test_a_film_is_sealed_with_its_record(
    client: TestClient, database: Database, settings: Settings, tmp_path: Path
) -> None:
    record = _record(client)
    item = {"inspection_id": record, "item_name": "前缘"}
    item_id = client.post("/api/inspection_item/create", json=item).json()["item_id"]
    client.post(f"/api/inspection_item/{item_id}/verdict", json={"verdict": "passed"})
    file = _upload(client, make_film(tmp_path / "孔探.avi", count=1))
    films = f"/api/inspection/{record}/films"
    film = client.post(films, json={"file_id": file["file_id"]}).json()["data"]
    assert client.post(f"/api/inspection/{record}/finish").status_code == 200
    for answer in (
        client.post(films, json={"file_id": file["file_id"]}),
        client.delete(f"{films}/{film['film_id']}"),
    ):
        assert answer.json()["data"]["error"] == "record_sealed"
    content = client.get(f"/api/inspection/{record}/editions/1").json()["data"]["content"]
    assert [row["film_id"] for row in content["films"]] == [film["film_id"]]
    assert file["sha256"] in [sealed["sha256"] for sealed in content["files"]]
    checks = seal_checks(database, settings)
    assert checks.check_now(record).intact
    stored = next(settings.files_dir.rglob(f"*{file['sha256'][2:]}*"))
    stored.write_bytes(stored.read_bytes()[:-1])
    assert [found.kind for found in checks.check_now(record).differences] == ["file_changed"]
    database.write_now(lambda session: session.execute(update(FILM).values(added_by="x")))
    assert "films[0].added_by" in [found.path for found in checks.check_now(record).differences]
    database.write_now(lambda session: session.execute(delete(FILM)))
    assert "films[0]" in [found.path for found in checks.check_now(record).differences]
