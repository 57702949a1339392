"""Appends edits to a file, keeps the resulting state in memory and syncs within a second."""

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
from desktop.journal.edits import (
    DraftHistory,
    DraftStep,
    Edit,
    JournalBusyError,
    JournalError,
    inverse,
    join_edits,
)
from desktop.journal.state import Conflict, JournalState, UndoStep
from shared.ids import new_key
from shared.system.atomic import sync_folder
from shared.system.paths import ensure_private_folder

SYNC_WITHIN = 0.5
"""Seconds after which an appended line is on the disk at the latest. One fsync covers all lines of that
time."""


class Journal:
    """All edits of one account, in one file that only grows until `compact`.

    When a writing method returns, its line is in the file and survives the end of this process. It is on the
    disk and survives a power cut `SYNC_WITHIN` seconds later or when `flush` returns. The methods may be
    called from any thread. Every writing method raises JournalError when the line cannot be written, and
    changes nothing then.
    """

    def __init__(self, path: Path, lock: FileLock, clock: Callable[[], float]) -> None:
        """Load the file and start syncing. Callers use `Journal.open`."""
        self._path = path
        self._lock = lock
        self._clock = clock
        self._state = JournalState()
        self._mutex = threading.RLock()
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._sync_failure: OSError | None = None
        self._has_partial_line = False
        self.damaged = False
        """True when lines before the end of the file could not be read. A copy of the damaged file is
        kept."""
        self._fd = self._load()
        self.recovered = not self._state.closed
        """True if the last run ended without `close`, so that `pending_edits()` has edits from a crash."""
        try:
            self._write_and_apply({"t": "open"})
        except JournalError:
            os.close(self._fd)
            raise
        self._sync_thread = threading.Thread(target=self._sync_loop, name="journal-sync", daemon=True)
        self._sync_thread.start()

    @classmethod
    def open(cls, path: Path, clock: Callable[[], float] = time.time) -> Journal:
        """Open the journal at `path`. Creates a missing file and cuts off an incomplete last line.

        Raises JournalBusyError when another process has it open, JournalError when the file cannot be used.
        """
        try:
            ensure_private_folder(path.parent)
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
        """Write edits of one record as one undo step.

        `step` is an id from `new_key`. Calls with the same id extend the newest step, so that many edits can
        be written in parts.

        Edits with a `merge_key` join the newest step if it has the same key, changes the same objects and is
        at most `MERGE_WITHIN` seconds old, such as those of arrow keys or a slider.
        """
        if not edits:
            return
        record = edits[0].record_id
        with self._mutex:
            stack = self._state.undo[record]
            merges = merge_key is not None and bool(stack) and stack[-1].may_merge(edits, merge_key)
            default_step = stack[-1].id if merges and not self._state.redo[record] else new_key()
            self._write_edits("do", step or default_step, edits, merge_key)

    def undo(self, record_id: str, limit: int | None = None, step: str | None = None) -> tuple[Edit, ...]:
        """Undo the newest step of the record and return the edits that do it, already written.

        Returns () when there is no step. With `limit`, only that many edits of the step are undone, the last
        ones first, so that a large step can be undone in parts. Parts with the same `step`, an id from
        `new_key`, are one step for `redo`.
        """
        return self._reverse_step("undo", self._state.undo, record_id, limit, step)

    def redo(self, record_id: str, limit: int | None = None, step: str | None = None) -> tuple[Edit, ...]:
        """Redo the last undone step, with the same arguments and result as `undo`."""
        return self._reverse_step("redo", self._state.redo, record_id, limit, step)

    def end_history(self, record_id: str, edition: int) -> None:
        """Drop the undo and redo steps of a record, which was sealed as `edition`; once for each edition."""
        with self._mutex:
            if self._state.editions.get(record_id, 0) < edition:
                self._write_and_apply({"t": "sealed", "record_id": record_id, "edition": edition})

    def next_step(self, record_id: str, backwards: bool) -> tuple[str, int]:
        """The id of the step that `undo` (`backwards`) or `redo` would take, and the number of its edits.

        An empty id and 0 when there is none.
        """
        with self._mutex:
            stack = (self._state.undo if backwards else self._state.redo)[record_id]
            return (stack[-1].id, len(stack[-1].edits)) if stack else ("", 0)

    def next_label(self, record_id: str, backwards: bool) -> str | None:
        """The label of the step that `undo` (`backwards`) or `redo` would take; None when there is none."""
        with self._mutex:
            stack = (self._state.undo if backwards else self._state.redo)[record_id]
            return stack[-1].edits[0].label if stack else None

    def pending_edits(self) -> list[Edit]:
        """The edits that the service has not acknowledged, in the order to send them.

        Updates of one object are joined into one. Edits of objects with an undecided conflict are left out.
        """
        with self._mutex:
            return self._state.pending_edits()

    def unsent_edits(self) -> list[Edit]:
        """The edits of `pending_edits` and those of objects with an undecided conflict, in order."""
        with self._mutex:
            return join_edits(self._state.queue.values())

    def first_pending_edit(self, record_id: str | None = None) -> Edit | None:
        """The first edit of `pending_edits`, of one record if it is given; None when there is none.

        It is found without joining all.
        """
        with self._mutex:
            return self._state.first_pending_edit(record_id)

    def unsent_edits_of(self, object_id: str) -> list[Edit]:
        """The edits of one object that `unsent_edits` contains."""
        with self._mutex:
            return join_edits(self._state.unsent_edits_of(object_id))

    def unsent_count(self) -> int:
        """The number of edits that the service has not acknowledged, each part of a joined one counted."""
        with self._mutex:
            return len(self._state.queue)

    def conflicts(self) -> list[Conflict]:
        """The conflicts that a user has not decided."""
        with self._mutex:
            return list(self._state.conflicts.values())

    def acknowledge(self, edit_id: str, etag: str | None = None, service_id: str | None = None) -> None:
        """Record that the service accepted the pending edit `edit_id` and the edits that it joins.

        `etag` is the object's new ETag, `service_id` the id that the service assigned to a created object.
        Raises KeyError when the edit is unknown.
        """
        with self._mutex:
            self._state.queue[edit_id]
            self._write_and_apply({"t": "ack", "id": edit_id, "etag": etag, "service_id": service_id})

    def conflict(self, edit_id: str, current: Mapping[str, Any], etag: str | None = None) -> None:
        """Record that the service refused `edit_id` because it stores `current` for the object.

        Raises KeyError when the edit is unknown.
        """
        with self._mutex:
            self._state.queue[edit_id]
            self._write_and_apply({"t": "conflict", "id": edit_id, "current": dict(current), "etag": etag})

    def resolve(self, edit_id: str, after: Mapping[str, Any]) -> None:
        """Decide a conflict. `after` holds the fields to send again; if empty, all of the service's values
        stay.

        Keeping the service's values removes the edit from the queue and the undo steps. For a refused create
        or restore, it also removes all later edits of the object. Raises KeyError when `edit_id` is not in
        conflict.
        """
        with self._mutex:
            conflict = self._state.conflicts[edit_id]
            before = {name: conflict.current.get(name) for name in after}
            self._write_resolution(conflict, before, dict(after) or None)

    def send_anyway(self, edit_id: str) -> None:
        """Decide a conflict by sending the whole edit again, such as a delete.

        Raises KeyError when `edit_id` is not in conflict.
        """
        with self._mutex:
            conflict = self._state.conflicts[edit_id]
            edit = conflict.edit
            before = {name: conflict.current.get(name, value) for name, value in edit.before.items()}
            self._write_resolution(conflict, before, dict(edit.after))

    def discard_pending(self) -> None:
        """Remove all edits of `pending_edits` from the queue and the undo steps, as one line."""
        with self._mutex:
            self._write_and_apply({"t": "discard"})

    def service_id(self, object_id: str) -> str:
        """The service's id of an object; `object_id` itself if the service assigned no other."""
        with self._mutex:
            return self._state.service_ids.get(object_id, object_id)

    def local_id(self, service_id: str) -> str:
        """The id that the edits use for an object of the service; by default `service_id` itself."""
        with self._mutex:
            return self._state.local_ids.get(service_id, service_id)

    def etag(self, object_id: str) -> str | None:
        """The ETag of the object's last acknowledgement; None when there was none."""
        with self._mutex:
            return self._state.etags.get(object_id)

    def draft(
        self,
        record_id: str,
        object_id: str,
        step: DraftStep,
        value: Any = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a step of unfinished work on an object. A draft is never sent and is kept until DROP.

        `value` (JSON) is needed for OPEN and TAKE, `context` for OPEN: what the draft belongs to. Raises
        KeyError for a step of a draft that was not opened.
        """
        with self._mutex:
            if step not in (DraftStep.OPEN, DraftStep.DROP):
                self._state.drafts[record_id][object_id]
            line = {"t": "draft", "record_id": record_id, "object_id": object_id, "step": step.value}
            self._write_and_apply(line | {"value": value, "about": dict(context or {})})

    def drafts(self, record_id: str) -> dict[str, DraftHistory]:
        """The drafts of a record by object."""
        with self._mutex:
            return {key: draft.copy() for key, draft in self._state.drafts[record_id].items()}

    def flush(self) -> None:
        """Wait until all written lines are on the disk. Raises JournalError when that fails."""
        with self._mutex:
            self._rewrite_after_failed_sync()
            self._dirty.clear()
            try:
                os.fsync(self._fd)
            except OSError as error:
                self._sync_failure = error
                raise self._write_error(error) from error

    def compact(self) -> None:
        """Rewrite the file as one line with the current state. No method's result changes."""
        with self._mutex:
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
                    self._fd = _open_for_append(self._path)
                sync_folder(self._path.parent)
            except OSError as error:
                fresh.unlink(missing_ok=True)
                raise self._write_error(error) from error
            self._sync_failure, self._has_partial_line = None, False

    def close(self) -> None:
        """Sync and close the file, so that `recovered` is False at the next open."""
        if self._closing.is_set():
            return
        try:
            with self._mutex:
                self._write({"t": "close"})
                self.flush()
        finally:
            self._closing.set()
            self._dirty.set()
            self._sync_thread.join()
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
        fd = _open_for_append(self._path)
        if contents.good_bytes < len(data):
            os.ftruncate(fd, contents.good_bytes)
        if not data:
            sync_folder(self._path.parent)
        return fd

    def _write_resolution(
        self, conflict: Conflict, before: dict[str, Any], after: dict[str, Any] | None
    ) -> None:
        line = {"t": "resolve", "id": conflict.edit.id, "before": before, "after": after}
        self._write_and_apply(line | {"etag": conflict.etag})

    def _write_edits(
        self, kind: str, step: str, edits: tuple[Edit, ...], merge_key: str | None, part: bool = False
    ) -> None:
        data = [edit.to_json() for edit in edits]
        line = {"t": kind, "step": step, "edits": data, "merge_key": merge_key}
        self._write_and_apply(line | {"part": True} if part else line)

    def _reverse_step(
        self,
        kind: str,
        stacks: Mapping[str, list[UndoStep]],
        record_id: str,
        limit: int | None,
        step: str | None,
    ) -> tuple[Edit, ...]:
        with self._mutex:
            stack = stacks[record_id]
            if not stack:
                return ()
            edits = join_edits(stack[-1].edits)
            reversed_edits = edits if limit is None else edits[-limit:]
            inverses = tuple(inverse(edit, self._clock()) for edit in reversed(reversed_edits))
            self._write_edits(kind, step or new_key(), inverses, None, part=len(reversed_edits) < len(edits))
            return inverses

    def _write_and_apply(self, line: dict[str, Any]) -> None:
        self._write(line)
        self._state.apply(line)

    def _write(self, line: dict[str, Any]) -> None:
        with self._mutex:
            self._rewrite_after_failed_sync()
            # A line feed ends a partial line, so that the next line stays readable.
            data = b"\n" * self._has_partial_line + line_format.encode(line)
            try:
                written = os.write(self._fd, data)
            except OSError as error:
                raise self._write_error(error) from error
            self._has_partial_line = written < len(data)
            if self._has_partial_line:
                raise self._write_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
            self._dirty.set()

    def _rewrite_after_failed_sync(self) -> None:
        """Rewrite the file if an fsync failed.

        The system reports a failed fsync only once, and another fsync would not write the lost lines.
        """
        if self._sync_failure is not None:
            self.compact()

    def _sync_loop(self) -> None:
        # Checked after each `clear`, which may have removed the wake-up of `close`.
        while not self._closing.is_set():
            self._dirty.wait()
            if self._closing.wait(SYNC_WITHIN):
                return
            with self._mutex:
                self._dirty.clear()
                fd = os.dup(self._fd)
            try:
                os.fsync(fd)
            except OSError as error:
                self._sync_failure = error
            finally:
                os.close(fd)

    def _write_error(self, error: OSError) -> JournalError:
        return JournalError(f"{self._path} cannot be written: {error.strerror or error}")


def _open_for_append(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
