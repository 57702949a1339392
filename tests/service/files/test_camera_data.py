from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from service.db.database import Database
from service.files.routes import router
from service.files.service import FilesService
from service.settings import Settings
from tests.pictures import camera_photo
from tests.service.answers import read_data
from tests.service.domain_app import create_client
from tests.service.files.conftest import in_folder

PHOTO = camera_photo(
    {0x010F: "Canon"},
    {0x9003: "2026:05:01 10:00:01"},
    {1: "N", 2: (31.0, 10.0, 20.5), 3: "E", 4: (121.0, 20.0, 3.0)},
)


def upload_photo(client: TestClient, data: bytes) -> dict[str, Any]:
    return read_data(client.post("/api/files", files={"file": ("photo.jpg", data, "image/jpeg")}))


def test_upload_returns_the_camera_data_of_its_photo(client: TestClient) -> None:
    stored = upload_photo(client, PHOTO)
    assert stored["camera"]["make"] == "Canon"
    assert stored["camera"]["taken_at"] == "2026-05-01T10:00:01"
    assert stored["camera"]["position"] is None
    assert client.get(f"/api/files/{stored['file_id']}").json()["data"] == stored


@in_folder
def test_picture_without_readable_camera_data_has_none(client: TestClient) -> None:
    assert upload_photo(client, camera_photo({}))["camera"] is None
    at = PHOTO.index(b"Exif\0\0") + 6
    assert upload_photo(client, PHOTO[:at] + b"\xff" * 40 + PHOTO[at + 40 :])["camera"] is None


@in_folder
@pytest.mark.parametrize("wanted", [False, True])
def test_position_is_stored_only_if_a_setting_allows_it(
    database: Database, settings: Settings, wanted: bool
) -> None:
    service = FilesService(database, settings.model_copy(update={"camera_position": wanted}))
    try:
        with create_client(router(service)) as client:
            upload_photo(client, PHOTO)
    finally:
        service.close()
    stored_camera = database.read_now(
        lambda session: session.execute(text("SELECT camera FROM file")).scalar_one()
    )
    assert ("latitude" in stored_camera) is wanted


@in_folder
def test_older_file_gets_its_camera_data_by_a_new_upload(client: TestClient, database: Database) -> None:
    stored = upload_photo(client, PHOTO)
    database.write_now(lambda session: session.execute(text("UPDATE file SET camera = NULL")))
    assert client.get(f"/api/files/{stored['file_id']}").json()["data"]["camera"] is None
    assert upload_photo(client, PHOTO) == stored
