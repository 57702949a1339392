"""The journal against a simple model, torn tails, kills and failures."""

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
from typing import Any

import pytest

from desktop.journal import DraftStep, Edit, Journal, JournalBusyError, JournalError, Kind, lines, new_id
from desktop.journal.journal import MERGE_WITHIN
from shared.paths import root


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def update(object_id: str, before: Any, after: Any, at: float = 1000.0, record: str = "r") -> Edit:
    return Edit(record, "item", object_id, Kind.UPDATE, {"x": before}, {"x": after}, "move", at)


def create(object_id: str, x: Any = 0) -> Edit:
    return Edit("r", "item", object_id, Kind.CREATE, {}, {"x": x}, "draw", 1000.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "绕机 journal" / "edits.journal"


def reopened(journal: Journal) -> Journal:
    journal.close()
    return Journal.open(journal._path)


def test_undo_and_redo_survive_a_restart(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a", 1))
    journal.append(update("a", 1, 2))
    journal = reopened(journal)
    (back,) = journal.undo("r")
    assert (back.kind, back.before, back.after) == (Kind.UPDATE, {"x": 2}, {"x": 1})
    journal = reopened(journal)
    (again,) = journal.redo("r")
    assert (again.kind, again.before, again.after) == (Kind.UPDATE, {"x": 1}, {"x": 2})
    journal.undo("r")
    (gone,) = journal.undo("r")
    assert (gone.kind, gone.before) == (Kind.DELETE, {"x": 1})
    assert journal.undo("r") == ()
    journal.close()


def test_records_have_their_own_undo(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 1, 2, record="r"))
    journal.append(update("b", 1, 2, record="s"))
    assert journal.undo("r")[0].object_id == "a"
    assert journal.undo("r") == ()
    assert journal.undo_label("s") == "move"
    assert journal.redo_label("r") == "move"
    assert journal.redo_label("s") is None
    journal.close()


def test_edits_made_together_are_undone_together_and_backwards(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"), create("b"))
    assert [edit.object_id for edit in journal.undo("r")] == ["b", "a"]
    assert [edit.object_id for edit in journal.redo("r")] == ["a", "b"]
    journal.close()


def test_nudges_merge_until_a_pause(path: Path) -> None:
    journal = Journal.open(path)
    # The second comes at the last moment that still counts, the third in the same one.
    for step, at in enumerate((1000.0, 1000.0 + MERGE_WITHIN, 1000.0 + MERGE_WITHIN, 1003.0)):
        journal.append(update("a", step, step + 1, at), merge_key="nudge")
    (last,) = journal.undo("r")
    assert (last.before, last.after) == ({"x": 4}, {"x": 3})
    (first,) = journal.undo("r")
    assert (first.before, first.after) == ({"x": 3}, {"x": 0})
    journal.close()


def test_nudges_after_an_undo_or_of_another_object_do_not_merge(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1), merge_key="nudge")
    journal.append(update("b", 0, 1), merge_key="nudge")
    journal.append(update("b", 1, 2), merge_key="other")
    journal.undo("r")
    journal.append(update("b", 1, 3), merge_key="nudge")
    for expected in ("b", "b", "a"):
        assert journal.undo("r")[0].object_id == expected
    assert journal.undo("r") == ()
    journal.close()


def test_pending_waits_for_the_service_in_order(path: Path) -> None:
    journal = Journal.open(path)
    made = create("a")
    journal.append(made)
    journal.append(update("b", 0, 1))
    journal.append(update("a", 0, 1))
    journal.append(update("a", 1, 2))
    assert [(edit.object_id, edit.kind.value) for edit in journal.pending()] == [
        ("a", "create"),
        ("b", "update"),
        ("a", "update"),
    ]
    joined = journal.pending()[2]
    assert (joined.before, joined.after) == ({"x": 0}, {"x": 2})
    journal.append(update("a", 2, 3))
    journal.acknowledge(made.id, '"1"', service_id="service-a")
    journal.acknowledge(joined.id, '"2"')
    journal = reopened(journal)
    assert [(edit.object_id, edit.before, edit.after) for edit in journal.pending()] == [
        ("b", {"x": 0}, {"x": 1}),
        ("a", {"x": 2}, {"x": 3}),
    ]
    assert journal.etag("a") == '"2"'
    assert journal.etag("b") is None
    assert journal.service_id("a") == "service-a"
    assert journal.service_id("b") == "b"
    assert journal.local_id("service-a") == "a"
    assert journal.local_id("b") == "b"
    with pytest.raises(KeyError):
        journal.acknowledge(made.id)
    journal.close()


def test_a_conflict_holds_its_object_until_decided(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(Edit("r", "item", "a", Kind.UPDATE, {"x": 0, "n": ""}, {"x": 1, "n": "mine"}, "edit", 1.0))
    journal.append(update("a", 1, 2))
    journal.append(update("b", 0, 1))
    refused = journal.pending()[0]
    journal.conflict(refused.id, {"x": 7, "n": "theirs"}, '"9"')
    journal.append(update("a", 2, 3))
    journal = reopened(journal)
    assert [edit.object_id for edit in journal.pending()] == ["b"]
    (conflict,) = journal.conflicts()
    assert conflict.edit.after == {"x": 2, "n": "mine"}
    assert conflict.current == {"x": 7, "n": "theirs"}
    journal.resolve(refused.id, {"n": "mine"})
    assert journal.conflicts() == []
    assert journal.etag("a") == '"9"'
    sent = {edit.object_id: edit for edit in journal.pending()}["a"]
    assert sent.after == {"n": "mine", "x": 3}
    assert journal.undo("r")[0].after == {"x": 2}
    journal.close()


def test_keeping_theirs_takes_the_edit_out_of_queue_and_undo(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    journal.conflict(journal.pending()[0].id, {"x": 7})
    journal.resolve(journal.conflicts()[0].edit.id, {})
    assert journal.pending() == []
    assert journal.undo("r") == ()
    with pytest.raises(KeyError):
        journal.resolve("unknown", {})
    journal.close()


def test_a_refused_create_takes_what_was_done_with_it_along(path: Path) -> None:
    journal = Journal.open(path)
    made = create("a")
    journal.append(made)
    journal.append(update("a", 0, 1))
    journal.append(update("b", 0, 1))
    journal.conflict(made.id, {})
    journal.resolve(made.id, {})
    assert [edit.object_id for edit in journal.pending()] == ["b"]
    assert [edit.object_id for edit in journal.undo("r")] == ["b"]
    assert journal.undo("r") == ()
    journal.close()


def test_a_refused_delete_can_be_insisted_on(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(Edit("r", "item", "a", Kind.DELETE, {"x": 1, "n": "old"}, {}, "delete", 1.0))
    refused = journal.pending()[0]
    journal.conflict(refused.id, {"x": 2}, '"7"')
    journal.insist(refused.id)
    journal = reopened(journal)
    (again,) = journal.pending()
    assert (again.id, again.kind, again.before) == (refused.id, Kind.DELETE, {"x": 2, "n": "old"})
    assert journal.etag("a") == '"7"'
    assert journal.undo("r")[0].after == {"x": 2, "n": "old"}
    with pytest.raises(KeyError):
        journal.insist(refused.id)
    journal.close()


def test_compacting_changes_no_answer_and_shrinks_the_file(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"))
    journal.acknowledge(journal.pending()[0].id, '"1"', "service-a")
    for x in range(200):
        journal.append(update("a", x, x + 1))
        journal.acknowledge(journal.pending()[0].id, f'"{x}"')
        journal.undo("r")
        journal.acknowledge(journal.pending()[0].id)
    journal.append(update("a", 0, 5))
    journal.append(update("c", 0, 5))
    journal.conflict(journal.pending()[1].id, {"x": 3}, '"z"')
    journal.undo("r")
    before = journal._state.to_line()
    size = path.stat().st_size
    journal.compact()
    assert path.stat().st_size < size / 20
    assert journal._state.to_line() == before
    journal.append(update("d", 0, 1))
    journal.undo("r")
    journal = reopened(journal)
    assert journal.pending()[-1].object_id == "d"
    journal.close()
    assert before["conflicts"]


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be synced there")
def test_a_rewritten_journal_is_on_disk_before_it_takes_the_place_of_the_old(
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
def test_a_new_journal_is_in_its_folder_for_good(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda fd: folders.append(stat.S_ISDIR(os.fstat(fd).st_mode)))
    Journal.open(path).close()
    assert True in folders


def test_compacting_keeps_the_whole_state(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"), create("b"))
    journal.append(update("a", 0, 1))
    journal.conflict(journal.pending()[2].id, {"x": 3}, '"z"')
    journal.append(update("b", 0, 1))
    journal.undo("r")
    journal.compact()
    before = journal._state.to_line()
    journal = reopened(journal)
    assert journal._state.to_line() == before
    journal.close()


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
        assert [edit.after["x"] for edit in journal.pending()] == ["绕"], length
        assert not journal.damaged
        assert journal.recovered
        journal.append(update("a", 1, "new"))
        journal.close()
    journal = Journal.open(path)
    assert [edit.after["x"] for edit in journal.pending()] == ["new"]
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
    assert [edit.object_id for edit in journal.pending()] == ["a", "c"]
    assert [kept.read_bytes() for kept in path.parent.glob("*.damaged-*")] == [bytes(data)]
    journal.close()


def test_lines_that_no_journal_writes_count_as_damage(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(
        lines.encode({"t": "ack", "id": "nobody"}) + lines.encode([1]) + lines.encode({"t": "?"})
    )
    journal = Journal.open(path)
    assert journal.damaged
    assert journal.pending() == []
    journal.close()


def test_one_line_that_no_journal_writes_is_damage_and_the_rest_counts(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"))
    journal.close()
    with path.open("ab") as file:
        file.write(lines.encode({"t": "?"}))
    journal = Journal.open(path)
    assert journal.damaged
    assert [edit.object_id for edit in journal.pending()] == ["a"]
    assert len(list(path.parent.glob("*.damaged-*"))) == 1
    journal.close()


def test_nothing_to_write_is_no_step(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"))
    size = path.stat().st_size
    journal.append()
    assert path.stat().st_size == size
    assert [edit.object_id for edit in journal.undo("r")] == ["a"]
    journal.close()


def test_only_one_program_has_it_open(path: Path) -> None:
    journal = Journal.open(path)
    with pytest.raises(JournalBusyError, match="open in another window"):
        Journal.open(path)
    journal.close()
    journal.close()
    Journal.open(path).close()


def test_a_path_that_is_no_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal.open(tmp_path / "folder")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_said_and_changes_nothing(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    real, journal._fd = journal._fd, os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(JournalError, match="cannot be written"):
        journal.append(update("a", 1, 2))
    os.close(journal._fd)
    journal._fd = real
    assert [edit.after["x"] for edit in journal.pending()] == [1]
    journal.append(update("a", 1, 3))
    journal = reopened(journal)
    assert [edit.after["x"] for edit in journal.pending()] == [3]
    journal.close()


def test_a_line_cut_short_does_not_spoil_the_next(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.open(path)
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:30]))
        with pytest.raises(JournalError, match="No space left"):
            journal.append(update("a", 0, 1))
    journal.append(update("a", 0, 2))
    journal = reopened(journal)
    assert [edit.after["x"] for edit in journal.pending()] == [2]
    journal.close()


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """No file of this process grows beyond `size` bytes: as on a full disk, for any user."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_journal_that_cannot_be_opened_on_a_full_disk_lets_go(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    journal.close()
    with no_file_over(path.stat().st_size), pytest.raises(JournalError, match="cannot be written") as caught:
        Journal.open(path)
    # What is told of the failure does not hold the lock.
    assert caught.tb is not None
    journal = Journal.open(path)
    assert [edit.after["x"] for edit in journal.pending()] == [1]
    journal.close()


def test_a_disk_that_is_full_at_the_end_keeps_all_but_the_last_word(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    with no_file_over(path.stat().st_size), pytest.raises(JournalError):
        journal.close()
    journal = Journal.open(path)
    assert journal.recovered
    assert [edit.after["x"] for edit in journal.pending()] == [1]
    journal.close()


def test_after_a_failed_sync_the_file_is_written_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages that a failed fsync leaves behind count as written: only a new file is sure to hold them."""
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse_to_sync)
        with pytest.raises(JournalError):
            journal.flush()
        with pytest.raises(JournalError):
            journal.append(update("a", 1, 2))
    assert [edit.after["x"] for edit in journal.pending()] == [1]
    before = path.stat().st_ino
    journal.append(update("a", 1, 3))
    assert path.stat().st_ino != before
    journal = reopened(journal)
    assert [edit.after["x"] for edit in journal.pending()] == [3]
    journal.close()


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
def test_a_journal_without_rights_is_said(path: Path, name: str) -> None:
    Journal.open(path).close()
    # The file is its owner's; in the folder nobody else makes one.
    path.with_name(path.name + ".lock").chmod(0o666)
    path.parent.chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT_RIGHTS, name],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(root())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == f"{name} cannot be opened: Permission denied", run.stderr


_WRITER = """
import sys
from pathlib import Path
from desktop.journal import DraftStep, Edit, Journal, Kind
journal = Journal.open(Path(sys.argv[1]))
number = len(journal.pending())
while True:
    journal.append(Edit("r", "item", f"o{number}", Kind.UPDATE, {"x": 0}, {"x": number}, "move", 0.0))
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
        kept = [edit.after["x"] for edit in journal.pending()]
        assert kept == list(range(len(kept)))
        assert len(kept) > reported
        journal.close()


def test_a_step_written_in_parts_is_undone_at_once(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    for number in range(3):
        journal.append(create(f"o{number}", number), create(f"p{number}", number), step="import")
    journal.append(create("last", 9))
    assert journal.count() == len(journal.waiting()) == 7
    assert journal.first_pending() == journal.pending()[0]
    journal.close()
    journal = Journal.open(tmp_path / "j")
    assert [edit.object_id for edit in journal.undo("r")] == ["last"]
    assert len(journal.undo("r")) == 6
    assert journal.undo("r") == ()
    assert len(journal.redo("r")) == 6
    journal.close()


def test_the_first_pending_edit_is_the_joined_one(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    for x in range(4):
        journal.append(update("a", x, x + 1))
        journal.append(update("b", x, x + 1))
    assert journal.first_pending() == journal.pending()[0]
    assert journal.waiting_of("b") == [journal.pending()[1]]
    journal.conflict(journal.pending()[0].id, {"x": 9})
    assert journal.first_pending() == journal.pending()[0]
    assert journal.pending()[0].object_id == "b"
    journal.close()


def test_a_journal_of_the_first_version_has_no_drafts(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a", 1))
    journal.compact()
    journal.close()
    contents = lines.decode(path.read_bytes()).values
    for value in contents:
        value.pop("drafts", None)
    path.write_bytes(b"".join(lines.encode(value) for value in contents))
    journal = Journal.open(path)
    assert not journal.damaged
    assert journal.drafts("r") == {}
    assert len(journal.pending()) == 1
    journal.close()


def test_a_step_of_a_draft_that_was_not_opened_is_refused(path: Path) -> None:
    journal = Journal.open(path)
    with pytest.raises(KeyError):
        journal.draft("r", "a", DraftStep.TAKE, [1])
    journal.draft("r", "a", DraftStep.DROP)
    journal = reopened(journal)
    assert not journal.damaged
    journal.close()


def test_a_large_step_is_undone_and_done_again_in_parts(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("before", 0, 1))
    journal.append(*(create(f"o{number}") for number in range(4)), update("o4", 0, 1), update("o4", 1, 2))
    onto = new_id()
    last, *_ = undone = journal.undo("r", 2, onto)
    assert [one.object_id for one in undone] == ["o4", "o3"]
    assert (last.before, last.after) == ({"x": 2}, {"x": 0})
    source, left = journal.next_step("r", back=True)
    assert left == 3
    journal = reopened(journal)
    assert journal.next_step("r", back=True) == (source, 3)
    assert [one.object_id for one in journal.undo("r", 9, onto)] == ["o2", "o1", "o0"]
    assert journal.next_step("r", back=True)[1] == 1
    assert journal.next_step("r", back=False) == (onto, 5)
    assert [one.object_id for one in journal.redo("r")] == [f"o{number}" for number in range(5)]
    assert journal.next_step("r", back=False) == ("", 0)
    journal.close()


class JustMissed(threading.Event):
    """The `_closing` of a journal: a wait that ends unset at the very moment in which `close` goes by."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal
        self.closer = threading.Thread(target=journal.close, daemon=True)

    def wait(self, timeout: float | None = None) -> bool:
        self.closer.start()
        super().wait(10)
        assert self._journal._dirty.wait(10)
        return False


def test_a_close_that_meets_the_start_of_a_sync_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.journal.journal.SYNC_WITHIN", 0.01)
    journal = Journal.open(path)
    deadline = time.monotonic() + 10
    while journal._dirty.is_set():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    missed = JustMissed(journal)
    monkeypatch.setattr(journal, "_closing", missed)
    journal.append(create("a"))
    assert threading.Event.wait(missed, 10)
    missed.closer.join(10)
    assert not missed.closer.is_alive()
