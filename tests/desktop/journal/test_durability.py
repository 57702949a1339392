"""Torn tails, damage, full disks, kills: what was written stays, and what was not is said."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.journal import Journal, JournalBusyError, JournalError, line_format
from shared.system.paths import program_folder
from tests.desktop.journal.samples import create, reopen, update


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be synced there")
def test_compact_syncs_the_new_file_before_replacing_the_old(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that a loss of power may leave an empty file, or none."""
    journal = Journal.open(path)
    journal.append(create("a"), create("b"))
    happened: list[object] = []
    synced, replaced, old = os.fsync, Path.replace, path.stat().st_ino

    def sync(fd: int) -> None:
        state = os.fstat(fd)
        # The old file is synced by a thread, whenever that gets its turn.
        if state.st_ino != old:
            happened.append("folder" if stat.S_ISDIR(state.st_mode) else state.st_size)
        synced(fd)

    def replace(self: Path, target: Path) -> Path:
        happened.append("replaced")
        return replaced(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    journal.compact()
    assert happened == [path.stat().st_size, "replaced", "folder"]
    journal.close()


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be synced there")
def test_new_journal_syncs_its_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_ino))
    Journal.open(path).close()
    assert path.parent.stat().st_ino in synced


def test_a_tail_torn_at_any_byte_loses_only_the_last_edit(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, "绕"))
    whole = path.stat().st_size
    journal.append(update("a", 1, "机"))
    data = path.read_bytes()
    journal.close()
    for length in range(whole, len(data)):
        path.write_bytes(data[:length])
        journal = Journal.open(path)
        assert [edit.after["x"] for edit in journal.pending_edits()] == ["绕"], length
        assert not journal.damaged
        assert journal.recovered
        journal.append(update("a", 1, "new"))
        journal.close()
    journal = Journal.open(path)
    assert [edit.after["x"] for edit in journal.pending_edits()] == ["new"]
    assert not journal.recovered
    journal.close()


def test_damage_in_the_middle_keeps_the_rest_and_the_file(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    start = path.stat().st_size
    journal.append(update("b", 0, 1))
    journal.append(update("c", 0, 1))
    journal.close()
    data = bytearray(path.read_bytes())
    data[start + 40] ^= 1
    path.write_bytes(data)
    journal = Journal.open(path)
    assert journal.damaged
    assert [edit.object_id for edit in journal.pending_edits()] == ["a", "c"]
    assert [copy.read_bytes() for copy in path.parent.glob("*.damaged-*")] == [bytes(data)]
    journal.close()


def test_unknown_lines_count_as_damage(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(
        line_format.encode({"t": "ack", "id": "nobody"})
        + line_format.encode([1])
        + line_format.encode({"t": "?"})
    )
    journal = Journal.open(path)
    assert journal.damaged
    assert journal.pending_edits() == []
    journal.close()


def test_edits_around_an_unknown_line_are_kept(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"))
    journal.close()
    with path.open("ab") as file:
        file.write(line_format.encode({"t": "?"}))
    journal = Journal.open(path)
    assert journal.damaged
    assert [edit.object_id for edit in journal.pending_edits()] == ["a"]
    assert len(list(path.parent.glob("*.damaged-*"))) == 1
    journal.close()


def test_second_open_of_a_journal_is_refused(path: Path) -> None:
    journal = Journal.open(path)
    with pytest.raises(JournalBusyError, match="open in another window"):
        Journal.open(path)
    journal.close()
    journal.close()
    Journal.open(path).close()


def test_path_that_is_not_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal.open(tmp_path / "folder")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_full_disk_raises_and_changes_nothing(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    real, journal._fd = journal._fd, os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(JournalError, match="cannot be written"):
        journal.append(update("a", 1, 2))
    os.close(journal._fd)
    journal._fd = real
    assert [edit.after["x"] for edit in journal.pending_edits()] == [1]
    journal.append(update("a", 1, 3))
    journal = reopen(journal)
    assert [edit.after["x"] for edit in journal.pending_edits()] == [3]
    journal.close()


def test_line_after_a_partial_line_is_readable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.open(path)
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:30]))
        with pytest.raises(JournalError, match="No space left"):
            journal.append(update("a", 0, 1))
    journal.append(update("a", 0, 2))
    journal = reopen(journal)
    assert [edit.after["x"] for edit in journal.pending_edits()] == [2]
    journal.close()


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """No file of this process grows beyond `size` bytes: as on a full disk, for any user."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_failed_open_on_a_full_disk_releases_the_lock(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    journal.close()
    with (
        file_size_limit(path.stat().st_size),
        pytest.raises(JournalError, match="cannot be written") as caught,
    ):
        Journal.open(path)
    # Reporting the failure does not hold the lock.
    assert caught.tb is not None
    journal = Journal.open(path)
    assert [edit.after["x"] for edit in journal.pending_edits()] == [1]
    journal.close()


def test_close_on_a_full_disk_keeps_all_edits(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    with file_size_limit(path.stat().st_size), pytest.raises(JournalError):
        journal.close()
    journal = Journal.open(path)
    assert journal.recovered
    assert [edit.after["x"] for edit in journal.pending_edits()] == [1]
    journal.close()


def test_file_is_rewritten_after_failed_sync(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages that a failed fsync leaves behind count as written: only a new file is sure to hold them."""
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse_to_sync)
        with pytest.raises(JournalError):
            journal.flush()
        with pytest.raises(JournalError):
            journal.append(update("a", 1, 2))
    assert [edit.after["x"] for edit in journal.pending_edits()] == [1]
    before = path.stat().st_ino
    journal.append(update("a", 1, 3))
    assert path.stat().st_ino != before
    journal = reopen(journal)
    assert [edit.after["x"] for edit in journal.pending_edits()] == [3]
    journal.close()


def test_failed_background_sync_rewrites_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.journal.journal.SYNC_WITHIN", 0.0)
    refused = threading.Event()

    def refuse(fd: int) -> None:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            refused.set()
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        journal = Journal.open(path)
        before = path.stat().st_ino
        assert refused.wait(60)
    deadline = time.monotonic() + 10
    number = 0
    while path.stat().st_ino == before and time.monotonic() < deadline:
        journal.append(update("a", number, number + 1))
        number += 1
    assert path.stat().st_ino != before
    journal = reopen(journal)
    assert [edit.after["x"] for edit in journal.pending_edits()] == [number]
    journal.close()


def test_close_syncs_the_last_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.journal.journal.SYNC_WITHIN", 60.0)
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    synced: list[tuple[int, int]] = []

    def sync(fd: int) -> None:
        state = os.fstat(fd)
        synced.append((state.st_ino, state.st_size))

    monkeypatch.setattr(os, "fsync", sync)
    journal.close()
    state = path.stat()
    assert (state.st_ino, state.st_size) in synced


def test_torn_tail_is_cut_off_and_is_not_damage(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    journal.close()
    with path.open("ab") as file:
        file.write(b"0000002a 12")
    for _ in range(2):
        journal = Journal.open(path)
        assert not journal.damaged
        journal.close()
    assert b"0000002a 12\n" not in path.read_bytes()


def test_crash_after_rewrite_is_detected(path: Path, tmp_path: Path) -> None:
    journal = Journal.open(path)
    creation = create("a")
    journal.append(creation)
    journal.acknowledge(creation.id, '"1"', service_id="service-a")
    journal.append(update("a", 0, 1))
    journal.compact()
    # As the file of a program that ended here.
    left = tmp_path / "left.journal"
    left.write_bytes(path.read_bytes())
    journal.close()
    journal_after = Journal.open(left)
    assert journal_after.recovered
    assert journal_after.local_id("service-a") == "a"
    journal_after.close()


@pytest.mark.skipif(os.name != "posix", reason="rights are kept otherwise there")
def test_only_the_owner_may_read_a_journal(path: Path) -> None:
    journal = Journal.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal.compact()
    journal.append(create("a"))
    journal = reopen(journal)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    journal.close()


def test_lone_surrogate_survives_encoding() -> None:
    line = line_format.encode({"name": "\ud83d"})
    assert line_format.decode_line(line[:-1]) == {"name": "\ud83d"}


def refuse_to_sync(_fd: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


_WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
from desktop.journal import Journal, JournalError
os.setuid(65534)
try:
    Journal.open(Path(sys.argv[1]))
except JournalError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="becomes somebody without rights")
@pytest.mark.parametrize("name", ["edits.journal", "new.journal"])
def test_missing_file_rights_are_reported(path: Path, name: str) -> None:
    Journal.open(path).close()
    # The file is its owner's; in the folder nobody else makes one.
    path.with_name(path.name + ".lock").chmod(0o666)
    path.parent.chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT_RIGHTS, name],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(program_folder())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == f"{name} cannot be opened: Permission denied", run.stderr


_WRITER = """
import sys
from pathlib import Path
from desktop.journal import DraftStep, Edit, Journal, EditKind
journal = Journal.open(Path(sys.argv[1]))
number = len(journal.pending_edits())
while True:
    journal.append(Edit("r", "item", f"o{number}", EditKind.UPDATE, {"x": 0}, {"x": number}, "move", 0.0))
    print(number, flush=True)
    number += 1
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_program_loses_no_edit_it_reported(path: Path) -> None:
    reported = 0
    for lines_before_the_kill in (1, 40, 173):
        command = [sys.executable, "-c", _WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(lines_before_the_kill):
                reported = int(writer.stdout.readline())
            writer.kill()
            reported = max([reported, *(int(line) for line in writer.stdout if line.endswith("\n"))])
        journal = Journal.open(path)
        assert journal.recovered
        values = [edit.after["x"] for edit in journal.pending_edits()]
        assert values == list(range(len(values)))
        assert len(values) > reported
        journal.close()


class MissedWakeUp(threading.Event):
    """The `_closing` of a journal: a wait that ends unset at the very moment in which `close` goes by."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal
        self.closer = threading.Thread(target=journal.close, daemon=True)

    def wait(self, timeout: float | None = None) -> bool:
        self.closer.start()
        super().wait(60)
        assert self._journal._dirty.wait(60)
        return False


def test_close_during_the_start_of_a_sync_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.journal.journal.SYNC_WITHIN", 0.01)
    journal = Journal.open(path)
    deadline = time.monotonic() + 20
    while journal._dirty.is_set():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    missed = MissedWakeUp(journal)
    monkeypatch.setattr(journal, "_closing", missed)
    journal.append(create("a"))
    assert threading.Event.wait(missed, 10)
    missed.closer.join(60)
    assert not missed.closer.is_alive()
