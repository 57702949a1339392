"""Tests that a file is written completely or not at all, with the right permissions."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from shared.system import atomic
from tests.other_systems import simulate_windows

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions and folders that sync")


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def file_events(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the events in order: the size of a synced file, "folder" for a synced folder, "named" for a
    rename.
    """
    events: list[object] = []
    synced, replaced, linked = os.fsync, Path.replace, os.link

    def sync(handle: int) -> None:
        state = os.fstat(handle)
        events.append("folder" if stat.S_ISDIR(state.st_mode) else state.st_size)
        synced(handle)

    def replace(self: Path, target: Path) -> Path:
        events.append("named")
        return replaced(self, target)

    def link(source: Path, target: Path) -> None:
        events.append("named")
        linked(source, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(os, "link", link)
    return events


def refuse(number: int, *_arguments: object) -> None:
    raise OSError(number, os.strerror(number))


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def file_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("durable", [False, True])
@pytest.mark.parametrize("private", [False, True])
def test_new_content_replaces_the_old(tmp_path: Path, durable: bool, private: bool) -> None:
    path = tmp_path / "report.pdf"
    atomic.write_file(path, b"old content", durable=durable, private=private)
    atomic.write_file(path, b"new", durable=durable, private=private)
    assert path.read_bytes() == b"new"
    assert file_names(tmp_path) == ["report.pdf"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_failure_in_the_middle_leaves_the_old_file_only(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(b"old")

    def write() -> None:
        with atomic.open_for_writing(path, durable=True) as file:
            file.write(b"half")
            assert path.read_bytes() == b"old"
            raise error

    with pytest.raises(type(error)) as raised:
        write()
    assert raised.value is error
    assert path.read_bytes() == b"old"
    assert file_names(tmp_path) == ["export.zip"]


@pytest.mark.parametrize("write", [atomic.write_if_absent, partial(atomic.write_file, durable=True)])
def test_full_disk_at_the_sync_raises_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, bytes], None]
) -> None:
    monkeypatch.setattr(os, "fsync", partial(refuse, errno.ENOSPC))
    with pytest.raises(OSError, match="space") as raised:
        write(tmp_path / "secret.key", b"data")
    assert raised.value.errno == errno.ENOSPC
    assert file_names(tmp_path) == []


def test_failed_rename_leaves_no_part_file(tmp_path: Path) -> None:
    folder = tmp_path / "report.pdf"
    folder.mkdir()
    with pytest.raises(OSError, match=r"report\.pdf"):
        atomic.write_file(folder, b"data", durable=False)
    assert file_names(tmp_path) == ["report.pdf"]


def test_missing_folder_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic.write_file(tmp_path / "missing" / "report.pdf", b"data", durable=False)


@posix
def test_durable_content_is_on_the_disk_before_its_name(tmp_path: Path, file_events: list[object]) -> None:
    path = tmp_path / "a"
    atomic.write_file(path, b"seven b", durable=True)
    assert file_events == [7, "named", "folder"]
    file_events.clear()
    atomic.replace_file(path, tmp_path / "b", durable=True)
    assert file_events == [7, "named", "folder"]
    file_events.clear()
    atomic.write_if_absent(tmp_path / "c", b"secret")
    assert file_events == [6, "named", "folder"]


def test_without_durable_nothing_is_synced(tmp_path: Path, file_events: list[object]) -> None:
    atomic.write_file(tmp_path / "a", b"data", durable=False)
    atomic.replace_file(tmp_path / "a", tmp_path / "b", durable=False)
    assert file_events == ["named", "named"]


def test_two_concurrent_writers_leave_the_complete_content_of_one(tmp_path: Path) -> None:
    path = tmp_path / "tile.jpg"
    contents = [bytes([number]) * 100_000 for number in range(2)]
    both_open = threading.Barrier(2)

    def write(data: bytes) -> None:
        with atomic.open_for_writing(path, durable=False) as file:
            file.write(data[:50_000])
            both_open.wait(30)
            file.write(data[50_000:])

    writers = [threading.Thread(target=write, args=(data,)) for data in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert path.read_bytes() in contents
    assert file_names(tmp_path) == ["tile.jpg"]


@posix
def test_permissions_follow_the_umask_or_the_replaced_file(tmp_path: Path, usual_umask: None) -> None:
    path = tmp_path / "report.pdf"
    atomic.write_file(path, b"new", durable=False)
    assert permissions(path) == 0o644
    path.chmod(0o660)
    atomic.write_file(path, b"newer", durable=False)
    assert permissions(path) == 0o660


@posix
def test_private_file_is_never_readable_by_others(tmp_path: Path, usual_umask: None) -> None:
    path = tmp_path / "preferences.json"
    path.write_bytes(b"{}")
    path.chmod(0o644)
    with atomic.open_for_writing(path, durable=False, private=True):
        part = next(tmp_path.glob(f"{atomic.PART_PREFIX}*"))
        assert permissions(part) == 0o600
    assert permissions(path) == 0o600


def test_write_protected_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"old")
    # Root can write any file, so the permissions alone would have no effect.
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(PermissionError):
        atomic.write_file(path, b"new", durable=False)
    assert path.read_bytes() == b"old"


@posix
def test_symbolic_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "report.pdf"
    link.symlink_to(tmp_path / "there" / "real.pdf")
    atomic.write_file(link, b"new", durable=True)
    assert link.is_symlink()
    assert (tmp_path / "there" / "real.pdf").read_bytes() == b"new"


@posix
def test_write_if_absent_keeps_an_existing_file_and_is_private(tmp_path: Path, usual_umask: None) -> None:
    path = tmp_path / "secret.key"
    atomic.write_if_absent(path, b"first")
    atomic.write_if_absent(path, b"second")
    assert path.read_bytes() == b"first"
    assert permissions(path) == 0o600
    assert file_names(tmp_path) == ["secret.key"]


def test_write_if_absent_renames_if_hard_links_are_not_supported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", partial(refuse, errno.EPERM))
    atomic.write_if_absent(tmp_path / "secret.key", b"secret")
    assert (tmp_path / "secret.key").read_bytes() == b"secret"
    assert file_names(tmp_path) == ["secret.key"]


def test_failed_replace_file_keeps_the_part_file(tmp_path: Path) -> None:
    part, folder = tmp_path / "part", tmp_path / "pack.onnx"
    part.write_bytes(b"data")
    folder.mkdir()
    with pytest.raises(OSError, match=r"pack\.onnx"):
        atomic.replace_file(part, folder, durable=True)
    assert part.read_bytes() == b"data"


@posix
@pytest.mark.parametrize("number", [errno.EINVAL, errno.EBADF])
def test_file_system_without_folder_sync_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "fsync", partial(refuse, number))
    atomic.sync_folder(tmp_path)


@posix
def test_folder_that_is_not_on_the_disk_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", partial(refuse, errno.EIO))
    with pytest.raises(OSError, match="error"):
        atomic.sync_folder(tmp_path)


def test_windows_waits_for_programs_that_read_the_old_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    simulate_windows(monkeypatch, atomic)
    monkeypatch.setattr(atomic, "_REPLACE_SECONDS", 0)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    replace, refusals = Path.replace, [1, 2]

    def replace_later(self: Path, target: Path) -> Path:
        if refusals:
            raise PermissionError(errno.EACCES, "sharing violation", f"{refusals.pop()}")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_later)
    atomic.write_file(path, b"new", durable=False)
    assert path.read_bytes() == b"new"

    refusals.extend(range(atomic._REPLACE_TRIES + 1))
    with pytest.raises(PermissionError):
        atomic.write_file(path, b"newest", durable=False)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
