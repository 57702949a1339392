"""Watches one folder in a worker thread: scans it at a limited rate, sooner when the system reports a change.

Every folder is scanned repeatedly, because the system reports no changes of network folders. Scans take at
most about a tenth of the time. A scan returns at most as many photos as the receiver has capacity for.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QStorageInfo, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.folder_watch.scan import FolderScan, FoundPhoto, ScanResult
from desktop.folder_watch.seen_photos import SeenPhotos

_MIN_INTERVAL_MS, _MAX_INTERVAL_MS = 2_000, 60_000
_REST_FACTOR = 10
"""The pause after a scan is at least this many times as long as the scan."""
_AFTER_CHANGE_MS = 300
_NEXT_BATCH_MS = 200
_MAX_WATCHED_FOLDERS = 64
"""The most folders for which changes are requested from the system, which has few watches for all programs.
"""
_NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "sshfs", "fuse.", "9p", "afp", "webdav", "davfs")


class WatchState(StrEnum):
    """The state of a `FolderWatcher`."""

    OFF = "off"
    WATCHING = "watching"
    AWAY = "away"
    """The folder cannot be read at the moment; the watcher retries."""


class FolderWatcher(QObject):
    """Scans a folder repeatedly, one scan at a time, and emits `found` with new photos."""

    changed = Signal()
    """Emitted when `state`, `last_scan` or `folder` changed."""
    found = Signal(object)
    """The new photos of a scan: a tuple of `FoundPhoto`."""

    def __init__(self, seen_photos: SeenPhotos, capacity: Callable[[], int], parent: QObject) -> None:
        """`capacity` gives how many photos the receiver can accept now."""
        super().__init__(parent)
        self._seen_photos, self._capacity = seen_photos, capacity
        self._scan: FolderScan | None = None
        self._task: Task | None = None
        self._older_too = False
        self._has_change = False
        self.known_hashes: Callable[[], frozenset[str]] = frozenset
        """Gives the SHA-256 of the record's photos."""
        self.state = WatchState.OFF
        self.last_scan: ScanResult | None = None
        """The result of the last scan; None before the first."""
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._begin_scan)
        self._change_notifier = QFileSystemWatcher(self)
        self._change_notifier.directoryChanged.connect(self._on_folder_changed)

    @property
    def folder(self) -> Path | None:
        """The watched folder; None while the watcher is off or starting."""
        return None if self._scan is None else self._scan.folder

    def start(self, folder: Path, record_id: str, since: datetime) -> None:
        """Watch `folder` for a record that began at `since` (with a time zone)."""
        self.stop()
        self.state = WatchState.WATCHING
        # `FolderScan` finds the mount point of the folder, which may block on a slow disk.
        self._task = run(
            FolderScan,
            folder,
            record_id,
            since,
            self._seen_photos,
            owner=self,
            done=self._start_scanning,
            lane=Lane.LONG,
        )
        self.changed.emit()

    def stop(self) -> None:
        """Stop watching. Photos that were emitted before are not affected."""
        self._next.stop()
        if self._task is not None:
            self._task.cancel()
        self._task = self._scan = self.last_scan = None
        self._older_too = False
        self._watch_folders(())
        if self.state is not WatchState.OFF:
            self.state = WatchState.OFF
            self.changed.emit()

    def include_older(self) -> None:
        """Also find photos from before the record's start, from now on."""
        self._older_too = True
        self._schedule_scan(0)

    def resume(self) -> None:
        """Scan soon if photos remain, because the receiver has capacity again."""
        if self.last_scan is not None and self.last_scan.remaining and self._capacity() > 0:
            self._schedule_scan(_NEXT_BATCH_MS)

    def put_back(self, photo: FoundPhoto) -> None:
        """Emit `photo` again after a later scan, because it could not be read."""
        if self._scan is not None:
            self._scan.put_back(photo)

    def _start_scanning(self, scan: FolderScan) -> None:
        self._task, self._scan = None, scan
        self._begin_scan()

    def _begin_scan(self) -> None:
        if self._scan is None or self._task is not None:
            return
        self._has_change = False
        self._task = run(
            _scan_folder,
            self._scan,
            self._capacity(),
            self._older_too,
            self.known_hashes(),
            owner=self,
            progress=lambda _: None,
            done=self._on_scan_done,
            failed=self._on_scan_failed,
            lane=Lane.LONG,
        )

    def _on_scan_done(self, scan_and_locality: tuple[ScanResult, bool]) -> None:
        self._task = None
        self.last_scan, is_local = scan_and_locality
        self.state = WatchState.WATCHING
        self._watch_folders(self.last_scan.folders[:_MAX_WATCHED_FOLDERS] if is_local else ())
        wait = min(
            max(_MIN_INTERVAL_MS, round(1_000 * _REST_FACTOR * self.last_scan.seconds)), _MAX_INTERVAL_MS
        )
        if self._has_change:
            wait = _AFTER_CHANGE_MS
        self._next.start(wait)
        self.changed.emit()
        if self.last_scan.photos:
            self.found.emit(self.last_scan.photos)
        self.resume()

    def _on_scan_failed(self, _error: Exception) -> None:
        self._task = None
        self._watch_folders(())
        self.state = WatchState.AWAY
        self._next.start(_MIN_INTERVAL_MS)
        self.changed.emit()

    def _on_folder_changed(self, _folder: str) -> None:
        self._has_change = True
        self._schedule_scan(_AFTER_CHANGE_MS)

    def _schedule_scan(self, wait_ms: int) -> None:
        if self._task is None and self._scan is not None:
            remaining_ms = self._next.remainingTime()
            if remaining_ms < 0 or remaining_ms > wait_ms:
                self._next.start(wait_ms)

    def _watch_folders(self, folders: tuple[Path, ...]) -> None:
        watched, requested = set(self._change_notifier.directories()), set(map(str, folders))
        if watched - requested:
            self._change_notifier.removePaths(list(watched - requested))
        if requested - watched:
            self._change_notifier.addPaths(list(requested - watched))


def _scan_folder(
    report: ProgressReport, scan: FolderScan, limit: int, older_too: bool, known_hashes: frozenset[str]
) -> tuple[ScanResult, bool]:
    """Scan the folder.

    Returns the result, and whether the folder is local, so that the system reports its changes. Raises
    OSError when the folder is not available.
    """
    kind = bytes(QStorageInfo(str(scan.folder)).fileSystemType().data()).decode(errors="replace").lower()
    is_local = not kind.startswith(_NETWORK_FILE_SYSTEMS) and not str(scan.folder).startswith("\\\\")
    return scan.find_photos(
        limit, older_too=older_too, known_hashes=known_hashes, check_cancelled=report.check
    ), is_local
