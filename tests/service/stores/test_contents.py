"""Tests that stored contents are complete and durable."""

from __future__ import annotations

import os
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.settings import Settings
from service.stores.contents import (
    IN_USE_SECONDS,
    Contents,
    IncomingContent,
    LocalCopies,
    file_contents,
    model_contents,
)
from service.stores.port import StoreUnavailableError, read_chunks
from shared.record.content import sha256
from tests.s3_server import S3Server, StoredObject, store_settings


@pytest.fixture
def contents(settings: Settings) -> Contents:
    return file_contents(settings)


@pytest.fixture
def folder_settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def bucket_settings(s3: S3Server, tmp_path: Path) -> Settings:
    """Settings of a service with its files in a bucket."""
    return Settings(data_dir=tmp_path / "data", **store_settings(s3, tmp_path))


def store_content(contents: Contents, data: bytes) -> str:
    incoming = write_incoming(contents, data)
    contents.keep(incoming)
    incoming.discard()
    return incoming.sha256


def write_incoming(contents: Contents, data: bytes) -> IncomingContent:
    incoming = contents.new_incoming()
    incoming.write(data)
    incoming.finish()
    return incoming


def test_content_is_read_from_the_store_and_as_a_file(contents: Contents) -> None:
    name = store_content(contents, b"picture")
    assert name == sha256(b"picture") == contents.stored_hash(name)
    assert b"".join(read_chunks(contents.open(name))) == b"picture"
    assert contents.path(name).read_bytes() == b"picture"
    assert contents.contains(name)
    assert [(sha256_found, stored.size) for sha256_found, stored in contents.list_all()] == [(name, 7)]
    assert list(contents.incoming_folder.iterdir()) == []
    contents.delete([name])
    assert not contents.contains(name)
    assert contents.stored_hash(name) is None
    with pytest.raises(FileNotFoundError):
        contents.path(name)


def test_files_and_models_are_separate(settings: Settings) -> None:
    files, models = file_contents(settings), model_contents(settings)
    name = store_content(files, b"same")
    assert not models.contains(name)
    store_content(models, b"same")
    assert (
        [sha256_found for sha256_found, _ in models.list_all()]
        == [sha256_found for sha256_found, _ in files.list_all()]
        == [name]
    )


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be synced there")
def test_content_and_then_its_name_are_synced_to_the_disk(
    folder_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = file_contents(folder_settings)
    happened: list[object] = []
    synced, replaced = os.fsync, Path.replace

    def sync(handle: int) -> None:
        state = os.fstat(handle)
        happened.append("folder" if stat.S_ISDIR(state.st_mode) else state.st_size)
        synced(handle)

    def replace(self: Path, target: Path) -> Path:
        happened.append("named")
        return replaced(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    name = store_content(contents, b"picture")
    assert happened == [7, "named", "folder"]
    assert contents.path(name).read_bytes() == b"picture"


def test_same_content_is_stored_once_and_an_incomplete_one_is_replaced(folder_settings: Settings) -> None:
    contents = file_contents(folder_settings)
    path = contents.path(store_content(contents, b"picture"))
    before = path.stat().st_ino
    store_content(contents, b"picture")
    assert path.stat().st_ino == before
    # The state after a power failure.
    path.write_bytes(b"pic")
    store_content(contents, b"picture")
    assert path.read_bytes() == b"picture"
    assert list(contents.incoming_folder.iterdir()) == []


def test_same_content_is_uploaded_once(bucket_settings: Settings, s3: S3Server) -> None:
    contents = file_contents(bucket_settings)
    for _ in range(2):
        store_content(contents, b"picture")
    assert sum(request.startswith("PUT") for request in s3.state.requests) == 1


@pytest.mark.usefixtures("short_retries")
def test_content_that_cannot_be_uploaded_leaves_nothing(bucket_settings: Settings, s3: S3Server) -> None:
    contents = file_contents(bucket_settings)
    incoming = write_incoming(contents, b"picture")
    with s3.outage(), pytest.raises(StoreUnavailableError):
        contents.keep(incoming)
    incoming.discard()
    assert not s3.state.objects
    assert not [path for path in bucket_settings.data_dir.rglob("*") if path.is_file()]
    store_content(contents, b"picture")
    assert len(s3.state.objects) == 1


def test_another_machine_fetches_a_content_once(bucket_settings: Settings, s3: S3Server) -> None:
    name = store_content(file_contents(bucket_settings), b"picture")
    other = file_contents(bucket_settings.model_copy(update={"data_dir": bucket_settings.data_dir / "other"}))
    with ThreadPoolExecutor(4) as threads:
        paths = set(threads.map(other.path, [name] * 8))
    assert [path.read_bytes() for path in paths] == [b"picture"]
    assert sum(request.startswith("GET") for request in s3.state.requests) == 1


def test_content_that_is_damaged_in_the_store_is_not_copied(bucket_settings: Settings, s3: S3Server) -> None:
    name = store_content(file_contents(bucket_settings), b"picture")
    (key,) = s3.state.objects
    s3.state.objects[key] = StoredObject(b"pictura", time.time(), ())
    other = file_contents(bucket_settings.model_copy(update={"data_dir": bucket_settings.data_dir / "other"}))
    with pytest.raises(FileNotFoundError, match="damaged"):
        other.path(name)
    # A seal checks the bytes in the store, even if this machine has a correct copy.
    assert file_contents(bucket_settings).stored_hash(name) == sha256(b"pictura")


class _Pieces:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self) -> bytes:
        data, self._data = self._data, b""
        return data

    def close(self) -> None:
        """Nothing is open."""


def test_copies_stay_below_their_limit_except_those_in_use(tmp_path: Path) -> None:
    copies = LocalCopies(tmp_path, limit=250)
    contents = [bytes([number]) * 100 for number in range(5)]

    def fetch(data: bytes, age: float) -> Path:
        path = copies.path(sha256(data), lambda: _Pieces(data))
        os.utime(path, (time.time() - age,) * 2)
        return path

    old = [fetch(data, 2 * IN_USE_SECONDS - number) for number, data in enumerate(contents[:3])]
    # The third displaced the first.
    assert [path.exists() for path in old] == [False, True, True]
    used = [fetch(data, 0) for data in contents[3:]]
    assert [path.exists() for path in old] == [False, False, False]
    # More than the limit is in use: no file that is read is deleted.
    used.append(fetch(contents[0], 0))
    assert [path.exists() for path in used] == [True, True, True]


def test_reading_a_copy_marks_it_as_used(tmp_path: Path) -> None:
    copies = LocalCopies(tmp_path, limit=100)
    path = copies.path(sha256(b"x" * 100), lambda: _Pieces(b"x" * 100))
    os.utime(path, (1, 1))
    assert copies.find(path.name) == path
    assert path.stat().st_mtime > time.time() - 60


def test_threads_that_wait_for_a_failed_fetch_try_themselves(tmp_path: Path) -> None:
    copies = LocalCopies(tmp_path, limit=100)
    is_fetching, may_fail = threading.Event(), threading.Event()

    def fails() -> _Pieces:
        is_fetching.set()
        may_fail.wait(20)
        raise StoreUnavailableError("get: GenericError")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(copies.path, sha256(b"data"), fails)
        assert is_fetching.wait(20)
        second = pool.submit(copies.path, sha256(b"data"), lambda: _Pieces(b"data"))
        may_fail.set()
        with pytest.raises(StoreUnavailableError):
            first.result()
        assert second.result().read_bytes() == b"data"
    assert [path.name for path in tmp_path.iterdir()] == [sha256(b"data")]


def test_failed_fetch_leaves_no_lock(tmp_path: Path) -> None:
    copies = LocalCopies(tmp_path, limit=100)

    def fails() -> _Pieces:
        raise StoreUnavailableError("get: GenericError")

    with pytest.raises(StoreUnavailableError):
        copies.path(sha256(b"data"), fails)
    assert len(copies._fetch_locks) == 0
    assert copies.path(sha256(b"data"), lambda: _Pieces(b"data")).read_bytes() == b"data"
    assert [path.name for path in tmp_path.iterdir()] == [sha256(b"data")]


def test_parts_that_a_killed_process_left_are_removed(bucket_settings: Settings) -> None:
    contents = file_contents(bucket_settings)
    contents.path(store_content(contents, b"x"))
    part = bucket_settings.data_dir / "cache" / "contents" / ".part-old"
    part.write_bytes(b"half")
    os.utime(part, (1, 1))
    contents.clean()
    assert not part.exists()


def test_content_removed_during_its_upload_is_stored_again(contents: Contents) -> None:
    name = store_content(contents, b"picture")
    incoming = write_incoming(contents, b"picture")
    contents.keep(incoming)
    # A collection removes it before the upload has a row.
    contents._store.delete([contents._naming.name(name)])
    contents.ensure(incoming)
    incoming.discard()
    assert contents.stored_hash(name) == name
    assert list(contents.incoming_folder.iterdir()) == []
