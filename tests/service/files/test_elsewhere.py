"""Tests what differs if files are in a bucket."""

from __future__ import annotations

import random
import time

import pytest
from sqlalchemy import func
from sqlmodel import select
from starlette.testclient import TestClient

from service.db.database import Database
from service.files.routes import router
from service.files.service import FilesService
from service.files.tables import FileRow
from service.settings import Settings
from service.stores.contents import FILES
from service.web.middleware import RequestMiddleware
from shared.record.content import sha256
from tests.s3_server import S3Server, StoredObject
from tests.service.domain_app import create_client
from tests.service.files.conftest import in_bucket
from tests.service.files.test_images import encode_half_red_picture
from tests.service.files.test_routes import store_file, upload

pytestmark = in_bucket


def object_key(sha: str) -> str:
    return f"site/files/{FILES.name(sha)}"


def count_rows(database: Database) -> int:
    return database.read_now(lambda session: session.exec(select(func.count()).select_from(FileRow)).one())


def test_content_is_stored_only_in_the_bucket_with_its_checksum(
    client: TestClient, s3: S3Server, settings: Settings
) -> None:
    data = random.Random(1).randbytes(2**20)
    file = store_file(client, data, "a.bin")
    assert s3.state.objects[object_key(file["sha256"])].data == data
    assert len(s3.state.objects[object_key(file["sha256"])].checksums) == 1
    assert not settings.files_dir.exists()


def test_another_machine_serves_ranges_thumbnails_crops_and_tiles(
    client: TestClient, database: Database, settings: Settings, s3: S3Server
) -> None:
    data = encode_half_red_picture("png", (600, 500))
    file = store_file(client, data)
    other_dir = settings.data_dir / "other"
    other = FilesService(database, settings.model_copy(update={"data_dir": other_dir}))
    address = f"/api/files/{file['file_id']}"
    with create_client(router(other)) as other_client:
        answer = other_client.get(f"{address}/content", headers={"Range": "bytes=10-19"})
        assert (answer.status_code, answer.content) == (206, data[10:20])
        assert other_client.get(f"{address}/content").content == data
        # A download is streamed and leaves no copy.
        assert not list(other_dir.rglob(file["sha256"]))
        assert other_client.get(f"{address}/thumbnail?size=64").headers["content-type"] == "image/jpeg"
        assert other_client.get(f"{address}/crop?x=1&y=1&w=5&h=5").headers["content-type"] == "image/png"
        deadline = time.monotonic() + 60
        while (tiles := other_client.get(f"{address}/tiles").json()["data"])["state"] != "ready":
            assert time.monotonic() < deadline, tiles
            time.sleep(0.02)
        assert other_client.get(f"{address}/tiles/0/0/0").content.startswith(b"\xff\xd8")
        assert len(list(other_dir.rglob(file["sha256"]))) == 1
    other.close()


@pytest.mark.usefixtures("short_retries")
def test_unreachable_store_is_503_and_is_used_again_later(
    files: FilesService, s3: S3Server, database: Database, settings: Settings
) -> None:
    with create_client(router(files), middleware=[RequestMiddleware]) as client:
        check_outage(client, s3, database, settings)


def check_outage(client: TestClient, s3: S3Server, database: Database, settings: Settings) -> None:
    file = store_file(client, b"some words", "a.txt")
    with s3.outage():
        for answer in (upload(client, b"other words", "b.txt"), client.get(file["download_url"])):
            assert answer.status_code == 503
            assert answer.json()["data"]["error"] == "unavailable"
            assert "文件存储无响应" in answer.json()["msg"]
    assert count_rows(database) == 1
    assert set(s3.state.objects) == {object_key(file["sha256"])}
    assert not list((settings.data_dir / "cache" / "incoming").iterdir())
    assert store_file(client, b"other words", "b.txt")["sha256"] == sha256(b"other words")
    assert client.get(file["download_url"]).content == b"some words"


def test_content_lost_or_damaged_in_the_bucket_is_reported(
    client: TestClient, s3: S3Server, database: Database, settings: Settings
) -> None:
    lost, damaged = (
        store_file(client, encode_half_red_picture("png")),
        store_file(client, encode_half_red_picture("jpeg")),
    )
    other = FilesService(database, settings.model_copy(update={"data_dir": settings.data_dir / "other"}))
    del s3.state.objects[object_key(lost["sha256"])]
    s3.state.objects[object_key(damaged["sha256"])] = StoredObject(b"x" * damaged["size"], time.time(), ())
    with create_client(router(other)) as other_client:
        for address in (
            lost["download_url"],
            f"/api/files/{lost['file_id']}/thumbnail",
            f"/api/files/{damaged['file_id']}/thumbnail",
        ):
            answer = other_client.get(address)
            assert (answer.status_code, answer.json()["data"]["error"]) == (404, "not_found")
            assert "丢失" in answer.json()["msg"]
    assert other.stored_hash(damaged["sha256"]) != damaged["sha256"]
    assert other.stored_hash(lost["sha256"]) is None
    other.close()


def test_tiles_of_a_missing_picture_are_reported(
    client: TestClient, s3: S3Server, database: Database, settings: Settings
) -> None:
    file = store_file(client, encode_half_red_picture("png", (600, 500)))
    del s3.state.objects[object_key(file["sha256"])]
    other = FilesService(database, settings.model_copy(update={"data_dir": settings.data_dir / "other"}))
    with create_client(router(other)) as other_client:
        deadline = time.monotonic() + 60
        while (answer := other_client.get(f"/api/files/{file['file_id']}/tiles")).status_code == 200:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert answer.status_code == 404
    assert "丢失" in answer.json()["msg"]
    other.close()
