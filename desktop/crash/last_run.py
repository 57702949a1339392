"""Detects at the start that an earlier run did not end normally, and reads its trace.

Each run holds a lock and a marker beside the log and deletes both at its end. A marker without a held lock
belongs to a run that crashed or was killed, or whose computer was switched off.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from shared.ids import new_key

CRASH_FILE = "crash.log"
_MAX_TRACE_LENGTH = 8_000
"""How many characters of a trace are read."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run that did not end normally. `trace` is what faulthandler wrote; empty if the run did not crash."""

    trace: str


class RunMarker:
    """Marks this run as running from `begin` to `end`. Does nothing if the folder is not writable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._marker: Path | None = None
        self._lock: FileLock | None = None

    def begin(self) -> LastRun | None:
        """Mark this run as running. Returns the newest earlier run that did not end normally, if any."""
        dead_run = None
        with contextlib.suppress(OSError):
            dead_run = self._take_last_run()
            name = f"run-{os.getpid()}-{new_key()[:8]}"
            lock = FileLock(self._folder / f"{name}.lock")
            lock.acquire(timeout=0)
            self._lock = lock
            marker = self._folder / f"{name}.json"
            marker.write_text(json.dumps({"crash_bytes": _size(self._folder / CRASH_FILE)}), encoding="utf-8")
            self._marker = marker
        return dead_run

    def end(self) -> None:
        """Remove the mark, because the run ends normally."""
        with contextlib.suppress(OSError):
            if self._marker is not None:
                self._marker.unlink(missing_ok=True)
            if self._lock is not None:
                self._lock.release()
                Path(self._lock.lock_file).unlink(missing_ok=True)
        self._marker = self._lock = None

    def _take_last_run(self) -> LastRun | None:
        last_run = None
        for marker in sorted(self._folder.glob("run-*.json"), key=lambda path: path.stat().st_mtime):
            lock = FileLock(marker.with_suffix(".lock"))
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue
            last_run = LastRun(self._read_trace(marker))
            marker.unlink(missing_ok=True)
            lock.release()
            marker.with_suffix(".lock").unlink(missing_ok=True)
        return last_run

    def _read_trace(self, marker: Path) -> str:
        """Read what was written to the crash file since that run began."""
        try:
            begin = int(json.loads(marker.read_text(encoding="utf-8"))["crash_bytes"])
            with (self._folder / CRASH_FILE).open("rb") as file:
                file.seek(begin)
                return file.read(_MAX_TRACE_LENGTH).decode("utf-8", "replace").strip()
        except (OSError, ValueError, KeyError, TypeError):
            return ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
