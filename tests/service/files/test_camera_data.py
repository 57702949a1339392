from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from service.db.database import Database
from service.files.routes import router
from service.files.service import FilesService
from service.settings import Settings
from tests.pictures import create_camera_photo
from tests.service.domain_app import client_of
from tests.service.files.conftest import in_folder

PHOTO = create_camera_photo(
    {0x010F: "Canon"},
    {0x9003: "2026:05:01 10:00:01"},
    {1: "N", 2: (31.0, 10.0, 20.5), 3: "E", 4: (121.0, 20.0, 3.0)},
)


def upload_photo(client: TestClient, data: bytes) -> dict[str, Any]:
    answer = client.post("/api/files", files={"file": ("photo.jpg", data, "image/jpeg")})
    assert answer.status_code == 200
    stored: dict[str, Any] = answer.json()["data"]
    return stored


def test_upload_has_the_camera_data_of_its_photo(client: TestClient) -> None:
    stored = upload_photo(client, PHOTO)
    assert stored["camera"]["make"] == "Canon"
    assert stored["camera"]["taken_at"] == "2026-05-01T10:00:01"
    assert stored["camera"]["position"] is None
    assert client.get(f"/api/files/{stored['file_id']}").json()["data"] == stored


@in_folder
def test_picture_without_camera_data_or_damaged_gives_none(client: TestClient) -> None:
    assert upload_photo(client, create_camera_photo({}))["camera"] is None
    at = PHOTO.index(b"Exif\0\0") + 6
    assert upload_photo(client, PHOTO[:at] + b"\xff" * 40 + PHOTO[at + 40 :])["camera"] is None


@in_folder
@pytest.mark.parametrize("wanted", [False, True])
def test_the_position_is_kept_only_where_a_setting_says_so(
    database: Database, settings: Settings, wanted: bool
) -> None:
    service = FilesService(database, settings.model_copy(update={"camera_position": wanted}))
    try:
        with client_of(router(service)) as client:
            upload_photo(client, PHOTO)
    finally:
        service.close()
    stored_camera = database.read_now(
        lambda session: session.execute(text("SELECT camera FROM file")).scalar_one()
    )
    assert ("latitude" in stored_camera) is wanted


@in_folder
def test_a_file_from_before_is_read_when_it_is_uploaded_again(client: TestClient, database: Database) -> None:
    stored = upload_photo(client, PHOTO)
    database.write_now(lambda session: session.execute(text("UPDATE file SET camera = NULL")))
    assert client.get(f"/api/files/{stored['file_id']}").json()["data"]["camera"] is None
    assert upload_photo(client, PHOTO) == stored
