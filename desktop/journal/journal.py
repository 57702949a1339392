"""Appends edits to a file, keeps their sum in memory and syncs within a second."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from desktop.journal import line_format
from desktop.journal.draft_steps import DraftHistory, DraftStep
from desktop.journal.edits import Edit, inverse, joined
from desktop.journal.errors import JournalBusyError, JournalError
from desktop.journal.state import Conflict, JournalState, UndoStep
from shared.atomic import sync_folder
from shared.ids import new_key
from shared.paths import private_folder

SYNC_WITHIN = 0.5
"""Seconds after which an appended line is on the disk at the latest (one fsync for all of that time)."""

MERGE_WITHIN = 1.0
"""Seconds between two edits with the same merge key that still make one undo step."""


class Journal:
    """All edits of one account, in one file that only grows until `compact`.

    A line is in the file (and survives the end of this process) when the call that wrote it returns, and on
    the disk (and survives a power cut) `SYNC_WITHIN` seconds later or when `flush` returns. The methods may
    be called from any thread. Every writing method raises JournalError when the line cannot be written;
    nothing has changed then.
    """

    def __init__(self, path: Path, lock: FileLock, clock: Callable[[], float]) -> None:
        """Use `Journal.open`."""
        self._path = path
        self._lock = lock
        self._clock = clock
        self._state = JournalState()
        self._guard = threading.RLock()
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._sync_failure: OSError | None = None
        self._cut_short = False
        self.damaged = False
        """True when lines before the end of the file could not be read; the file as found is kept beside."""
        self._fd = self._load()
        self.recovered = not self._state.closed
        """True when the program ended without `close` last time: edits in `pending()` come from a crash."""
        try:
            self._record({"t": "open"})
        except JournalError:
            os.close(self._fd)
            raise
        self._syncer = threading.Thread(target=self._sync_loop, name="journal-sync", daemon=True)
        self._syncer.start()

    @classmethod
    def open(cls, path: Path, clock: Callable[[], float] = time.time) -> Journal:
        """The journal at `path`, made when it is missing; a torn tail is cut off.

        Raises JournalBusyError when another process has it open, JournalError when the file cannot be used.
        """
        try:
            private_folder(path.parent)
            lock = FileLock(path.with_name(path.name + ".lock"), timeout=0, thread_local=False)
            lock.acquire()
        except Timeout as error:
            raise JournalBusyError(f"{path.name} is open in another window of this program") from error
        except OSError as error:
            raise JournalError(f"{path} cannot be opened: {error.strerror or error}") from error
        try:
            return cls(path, lock, clock)
        except JournalError:
            lock.release()
            raise
        except OSError as error:
            lock.release()
            raise JournalError(f"{path} cannot be opened: {error.strerror or error}") from error

    def append(self, *edits: Edit, merge_key: str | None = None, step: str | None = None) -> None:
        """Write edits of one record that one undo takes back together.

        With a `step`, an id from `new_key`, they join the newest step when that was written with the same
        one: many edits can so be written a part at a time.

        With a `merge_key` they join the newest step when that has the same key, touches the same objects and
        is at most `MERGE_WITHIN` seconds old (arrow keys, a slider).
        """
        if not edits:
            return
        record = edits[0].record_id
        with self._guard:
            stack = self._state.undo[record]
            merges = merge_key is not None and bool(stack) and _continues(stack[-1], edits, merge_key)
            joins = stack[-1].id if merges and not self._state.redo[record] else new_key()
            self._edits("do", step or joins, edits, merge_key)

    def undo(self, record_id: str, at_most: int | None = None, step: str | None = None) -> tuple[Edit, ...]:
        """Take the newest step of the record back: the new edits that do so, already written; () for none.

        With `at_most`, only so many of its edits, the last ones first: a large step can so be taken back
        a part at a time. Parts with the same `step`, an id from `new_key`, are one step for `redo`.
        """
        return self._reverse("undo", self._state.undo, record_id, at_most, step)

    def redo(self, record_id: str, at_most: int | None = None, step: str | None = None) -> tuple[Edit, ...]:
        """Redo the step that was undone last, in parts as `undo` does; () when there is none."""
        return self._reverse("redo", self._state.redo, record_id, at_most, step)

    def next_step(self, record_id: str, back: bool) -> tuple[str, int]:
        """Id of the step that `undo` (`back`) or `redo` would take, and how many edits it still has.

        An empty id and 0 when there is none.
        """
        with self._guard:
            stack = (self._state.undo if back else self._state.redo)[record_id]
            return (stack[-1].id, len(stack[-1].edits)) if stack else ("", 0)

    def undo_label(self, record_id: str) -> str | None:
        """The label of the step that `undo` would take back; None when there is none."""
        with self._guard:
            stack = self._state.undo[record_id]
            return stack[-1].edits[0].label if stack else None

    def redo_label(self, record_id: str) -> str | None:
        """The label of the step that `redo` would do again; None when there is none."""
        with self._guard:
            stack = self._state.redo[record_id]
            return stack[-1].edits[0].label if stack else None

    def pending(self) -> list[Edit]:
        """The edits that the service has not acknowledged, in the order to send them.

        Updates of one object are joined into one. Objects with an undecided conflict are held back.
        """
        with self._guard:
            return self._state.pending()

    def waiting(self) -> list[Edit]:
        """What `pending` gives, and also the edits of objects whose conflict is undecided."""
        with self._guard:
            return joined(self._state.queue.values())

    def first_pending(self) -> Edit | None:
        """What `pending` begins with, found without joining all the others; None for nothing to send."""
        with self._guard:
            return self._state.first_pending()

    def waiting_of(self, object_id: str) -> list[Edit]:
        """What `waiting` gives of one object."""
        with self._guard:
            return joined(self._state.waiting_of(object_id))

    def count(self) -> int:
        """How many edits the service does not have; those of one run count one by one."""
        with self._guard:
            return len(self._state.queue)

    def conflicts(self) -> list[Conflict]:
        """The edits that wait for a person's decision."""
        with self._guard:
            return list(self._state.conflicts.values())

    def acknowledge(self, edit_id: str, etag: str | None = None, service_id: str | None = None) -> None:
        """The service took the pending edit `edit_id` (and what it joins). Raises KeyError when unknown.

        `etag` is the object's new one; `service_id` the id that the service gave to a created object.
        """
        with self._guard:
            self._state.queue[edit_id]
            self._record({"t": "ack", "id": edit_id, "etag": etag, "service_id": service_id})

    def conflict(self, edit_id: str, current: Mapping[str, Any], etag: str | None = None) -> None:
        """The service refused `edit_id`: there its object is `current`. Raises KeyError when unknown."""
        with self._guard:
            self._state.queue[edit_id]
            self._record({"t": "conflict", "id": edit_id, "current": dict(current), "etag": etag})

    def resolve(self, edit_id: str, after: Mapping[str, Any]) -> None:
        """Decide a conflict: `after` holds the fields to send all the same; empty keeps theirs entirely.

        Keeping theirs takes the edit out of queue and undo; after a refused create or restore, all later
        edits of the object as well. Raises KeyError when `edit_id` is not in conflict.
        """
        with self._guard:
            conflict = self._state.conflicts[edit_id]
            before = {name: conflict.current.get(name) for name in after}
            self._resolve(conflict, before, dict(after) or None)

    def send_anyway(self, edit_id: str) -> None:
        """Decide a conflict for the whole edit as it is, a delete for example: it is sent again.

        Raises KeyError when `edit_id` is not in conflict.
        """
        with self._guard:
            conflict = self._state.conflicts[edit_id]
            edit = conflict.edit
            before = {name: conflict.current.get(name, value) for name, value in edit.before.items()}
            self._resolve(conflict, before, dict(edit.after))

    def service_id(self, object_id: str) -> str:
        """The id by which the service knows an object; `object_id` itself when it gave no other."""
        with self._guard:
            return self._state.service_ids.get(object_id, object_id)

    def local_id(self, service_id: str) -> str:
        """The id that the edits use for an object of the service; `service_id` itself for no other."""
        with self._guard:
            return self._state.local_ids.get(service_id, service_id)

    def etag(self, object_id: str) -> str | None:
        """The ETag that came with the last acknowledgement for the object; None when there was none."""
        with self._guard:
            return self._state.etags.get(object_id)

    def draft(
        self,
        record_id: str,
        object_id: str,
        step: DraftStep,
        value: Any = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep a step of work on an object that is not an edit yet: `value` (JSON) for OPEN, with what it is
        `about`, and for TAKE. A draft is never sent; it is there until it is dropped.

        Raises KeyError for a step of a draft that was not opened.
        """
        with self._guard:
            if step not in (DraftStep.OPEN, DraftStep.DROP):
                self._state.drafts[record_id][object_id]
            line = {"t": "draft", "record_id": record_id, "object_id": object_id, "step": step.value}
            self._record(line | {"value": value, "about": dict(about or {})})

    def drafts(self, record_id: str) -> dict[str, DraftHistory]:
        """The drafts of a record by object."""
        with self._guard:
            return {key: draft.copy() for key, draft in self._state.drafts[record_id].items()}

    def flush(self) -> None:
        """Return when everything written so far is on the disk. Raises JournalError when that fails."""
        with self._guard:
            self._make_up()
            self._dirty.clear()
            try:
                os.fsync(self._fd)
            except OSError as error:
                self._sync_failure = error
                raise self._failure(error) from error

    def compact(self) -> None:
        """Rewrite the file as its sum; everything that the methods answer stays the same."""
        with self._guard:
            fresh = self._path.with_name(self._path.name + ".new")
            try:
                with fresh.open("wb") as file:
                    file.write(line_format.encode(self._state.to_line()))
                    file.flush()
                    os.fsync(file.fileno())
                os.close(self._fd)
                try:
                    fresh.replace(self._path)
                finally:
                    self._fd = _open(self._path)
                sync_folder(self._path.parent)
            except OSError as error:
                fresh.unlink(missing_ok=True)
                raise self._failure(error) from error
            self._sync_failure, self._cut_short = None, False

    def close(self) -> None:
        """End cleanly: what is pending counts as kept, not as recovered, at the next open."""
        if self._closing.is_set():
            return
        try:
            with self._guard:
                self._write({"t": "close"})
                self.flush()
        finally:
            self._closing.set()
            self._dirty.set()
            self._syncer.join()
            os.close(self._fd)
            self._lock.release()

    def _load(self) -> int:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            data = b""
        contents = line_format.decode(data)
        skipped = 0
        for value in contents.values:
            try:
                self._state.apply(value)
            except (KeyError, IndexError, TypeError, ValueError):
                skipped += 1
        self.damaged = contents.damaged or skipped > 0
        if self.damaged:
            copy = self._path.with_name(f"{self._path.name}.damaged-{int(self._clock())}")
            copy.write_bytes(data)
        fd = _open(self._path)
        if contents.good_bytes < len(data):
            os.ftruncate(fd, contents.good_bytes)
        if not data:
            sync_folder(self._path.parent)
        return fd

    def _resolve(self, conflict: Conflict, before: dict[str, Any], after: dict[str, Any] | None) -> None:
        line = {"t": "resolve", "id": conflict.edit.id, "before": before, "after": after}
        self._record(line | {"etag": conflict.etag})

    def _edits(
        self, kind: str, step: str, edits: tuple[Edit, ...], merge_key: str | None, part: bool = False
    ) -> None:
        data = [edit.to_json() for edit in edits]
        line = {"t": kind, "step": step, "edits": data, "merge_key": merge_key}
        self._record(line | {"part": True} if part else line)

    def _reverse(
        self,
        kind: str,
        stacks: Mapping[str, list[UndoStep]],
        record_id: str,
        at_most: int | None,
        step: str | None,
    ) -> tuple[Edit, ...]:
        with self._guard:
            stack = stacks[record_id]
            if not stack:
                return ()
            edits = joined(stack[-1].edits)
            taken = edits if at_most is None else edits[-at_most:]
            inverses = tuple(inverse(edit, self._clock()) for edit in reversed(taken))
            self._edits(kind, step or new_key(), inverses, None, part=len(taken) < len(edits))
            return inverses

    def _record(self, line: dict[str, Any]) -> None:
        self._write(line)
        self._state.apply(line)

    def _write(self, line: dict[str, Any]) -> None:
        with self._guard:
            self._make_up()
            # after a line that was cut short, a line feed of its own keeps the next one readable
            data = b"\n" * self._cut_short + line_format.encode(line)
            try:
                written = os.write(self._fd, data)
            except OSError as error:
                raise self._failure(error) from error
            self._cut_short = written < len(data)
            if self._cut_short:
                raise self._failure(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
            self._dirty.set()

    def _make_up(self) -> None:
        """After a failed fsync, which the system reports only once: the lost lines are only in a rewritten
        file."""
        if self._sync_failure is not None:
            self.compact()

    def _sync_loop(self) -> None:
        # Looked at after each `clear`, which may have taken the wake-up of `close` away.
        while not self._closing.is_set():
            self._dirty.wait()
            if self._closing.wait(SYNC_WITHIN):
                return
            with self._guard:
                self._dirty.clear()
                fd = os.dup(self._fd)
            try:
                os.fsync(fd)
            except OSError as error:
                self._sync_failure = error
            finally:
                os.close(fd)

    def _failure(self, error: OSError) -> JournalError:
        return JournalError(f"{self._path} cannot be written: {error.strerror or error}")


def _continues(step: UndoStep, edits: tuple[Edit, ...], merge_key: str) -> bool:
    touched = {edit.object_id for edit in step.edits}
    return (
        step.merge_key == merge_key
        and touched == {edit.object_id for edit in edits}
        and 0 <= edits[0].at - step.edits[-1].at <= MERGE_WITHIN
    )


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
