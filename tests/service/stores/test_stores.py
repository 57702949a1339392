"""Tests that both kinds of stores return what was stored."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import pytest

from service.stores.port import Store, StoreUnavailableError, read_chunks
from service.stores.s3 import S3Store
from tests.s3_server import BUCKET, KEY, SECRET, S3Server

LARGE = 20 * 2**20 + 5


@pytest.fixture
def bucket(s3: S3Server) -> S3Store:
    return open_bucket(s3)


def open_bucket(server: S3Server, name: str = BUCKET, secret: str = SECRET) -> S3Store:
    return S3Store(
        name, "", endpoint=server.endpoint, region="us-east-1", access_key_id=KEY, secret_access_key=secret
    )


def write_source(folder: Path, data: bytes) -> Path:
    path = folder / "source"
    path.write_bytes(data)
    return path


def read_content(store: Store, name: str, wanted: range | None = None) -> bytes:
    return b"".join(read_chunks(store.open(name, wanted)))


def test_stored_object_can_be_read_completely_and_in_ranges(store: Store, tmp_path: Path) -> None:
    data = random.Random(1).randbytes(LARGE)
    store.put("ab/cd.bin", write_source(tmp_path, data))
    assert read_content(store, "ab/cd.bin") == data
    assert read_content(store, "ab/cd.bin", range(5, 15)) == data[5:15]
    assert read_content(store, "ab/cd.bin", range(LARGE - 3, LARGE)) == data[-3:]
    stored = store.find("ab/cd.bin")
    assert stored is not None
    assert (stored.name, stored.size) == ("ab/cd.bin", LARGE)
    assert abs(dt.datetime.now(dt.UTC) - stored.written_at) < dt.timedelta(minutes=5)


def test_object_is_replaced_by_the_next_one(store: Store, tmp_path: Path) -> None:
    for data in (b"first", b"the second"):
        store.put("name", write_source(tmp_path, data))
    assert read_content(store, "name") == b"the second"


def test_missing_object_is_not_found(store: Store) -> None:
    assert store.find("nothing") is None
    with pytest.raises(FileNotFoundError):
        store.open("nothing")
    store.delete(["nothing"])
    store.delete([])


def test_list_returns_all_objects_or_those_below_a_folder(store: Store, tmp_path: Path) -> None:
    names = {*(f"a/{number}" for number in range(8)), "b/c/d", "ab"}
    for name in names:
        store.put(name, write_source(tmp_path, name.encode()))
    assert {stored.name for stored in store.list()} == names
    assert {stored.name for stored in store.list("a")} == {name for name in names if name.startswith("a/")}
    store.delete([name for name in names if name.startswith("a/")])
    assert {stored.name for stored in store.list()} == {"b/c/d", "ab"}


def test_large_file_is_uploaded_in_parts_with_a_checksum_each(
    bucket: S3Store, s3: S3Server, tmp_path: Path
) -> None:
    bucket.put("large", write_source(tmp_path, bytes(LARGE)))
    assert len(s3.state.objects["large"].checksums) == 3
    bucket.put("small", write_source(tmp_path, b"small"))
    assert len(s3.state.objects["small"].checksums) == 1
    assert not s3.state.uploads


def test_download_whose_connection_breaks_is_resumed(bucket: S3Store, s3: S3Server, tmp_path: Path) -> None:
    data = random.Random(2).randbytes(LARGE)
    bucket.put("large", write_source(tmp_path, data))
    s3.state.break_after = 3 * 2**20
    assert read_content(bucket, "large") == data


@pytest.mark.usefixtures("short_retries")
def test_store_that_does_not_answer_is_unavailable_and_then_used_again(
    bucket: S3Store, s3: S3Server, tmp_path: Path
) -> None:
    path = write_source(tmp_path, b"data")
    with s3.outage():
        with pytest.raises(StoreUnavailableError, match="put"):
            bucket.put("name", path)
        with pytest.raises(StoreUnavailableError, match="head"):
            bucket.find("name")
    assert bucket.find("name") is None
    bucket.put("name", path)
    assert read_content(bucket, "name") == b"data"


def test_wrong_key_or_bucket_is_unavailable_and_no_secret_is_logged(
    s3: S3Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_source(tmp_path, b"data")
    for wrong in (open_bucket(s3, secret="another-secret"), open_bucket(s3, name="another")):
        with pytest.raises(StoreUnavailableError) as caught:
            wrong.put("name", path)
        assert "another" not in str(caught.value)
    assert "PermissionDenied" in caplog.text
    assert "another" not in caplog.text
    assert KEY not in caplog.text
    assert not s3.state.objects
