"""Tests the quota of files and the reserve of the disk: uploads are refused before they are stored."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from starlette.testclient import TestClient

from service.db.database import Database
from service.files.routes import router
from service.files.service import FilesService
from service.files.usage import FRESH_SECONDS
from service.settings import Settings
from tests.service.domain_app import create_client
from tests.service.files.conftest import in_folder
from tests.service.files.test_routes import store_file, upload

pytestmark = in_folder


class Disk(NamedTuple):
    total: int
    used: int
    free: int


@contextmanager
def files_service(
    database: Database, settings: Settings, **update: int
) -> Iterator[tuple[FilesService, TestClient]]:
    files = FilesService(database, settings.model_copy(update=update))
    with create_client(router(files)) as client:
        yield files, client
    files.close()


def test_uploads_beyond_the_quota_are_refused(database: Database, settings: Settings) -> None:
    with files_service(database, settings, files_quota_bytes=1000) as (files, client):
        store_file(client, b"a" * 600, "a")
        answer = upload(client, b"b" * 500, "c")
        assert answer.status_code == 507
        assert answer.json()["data"] == {"error": "storage_full", "quota": 1000}
        assert "配额" in answer.json()["msg"]
        store_file(client, b"b" * 400, "c")
        assert upload(client, b"c", "d").status_code == 507
        assert files.usage()[:3] == (2, 1000, 1000)
    stored_files = [path for path in settings.files_dir.rglob("*") if path.is_file()]
    assert sorted(path.stat().st_size for path in stored_files) == [400, 600]


def test_files_stored_by_another_process_are_counted_later(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("service.files.usage.time.monotonic", lambda: now[0])
    with files_service(database, settings, files_quota_bytes=1000) as (_, client):
        store_file(client, b"a" * 100, "a")
        with files_service(database, settings) as (other, _):
            database.write_now(other.keep("b", b"b" * 900, None))
        now[0] += FRESH_SECONDS + 1
        assert upload(client, b"c" * 50, "c").status_code == 507


def test_reserve_of_the_disk_is_left_to_the_database(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 1000
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Disk(10**6, 10**6 - free, free))
    with files_service(database, settings, disk_reserve_bytes=400) as (files, client):
        answer = upload(client, b"a" * 601, "a")
        assert answer.status_code == 507
        assert answer.json()["data"]["error"] == "storage_full"
        assert "磁盘" in answer.json()["msg"]
        assert not [path for path in settings.files_dir.rglob("*") if path.is_file()]
        store_file(client, b"a" * 600, "a")
        free = 400
        assert upload(client, b"", "b").status_code == 507
        assert files.usage()[3:] == (400, 400)
        # Results of detections are stored until the disk is full.
        database.write_now(files.keep("boxes.jpg", b"boxes", None))


def test_operation_documents_507(client: TestClient) -> None:
    declared = client.get("/openapi.json").json()["paths"]["/api/files"]["post"]["responses"]
    assert {"413", "503", "507"} <= declared.keys()
