"""Watches one folder beside the GUI thread: looks at a bounded rate, sooner when the system reports a change.

Network folders announce nothing, so every folder is scanned again and again. A scan never takes more than a
tenth of the time, and gives as many photos as there is room for.
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

_LEAST_MS, _MOST_MS = 2_000, 60_000
_REST = 10
"""A scan that took a second is followed by ten of rest."""
_ANNOUNCED_MS = 300
_MORE_MS = 200
_MOST_FOLDERS = 64
"""The most folders whose changes the system announces; it has few watches, and others want some too."""
_NETWORKS = ("nfs", "cifs", "smb", "sshfs", "fuse.", "9p", "afp", "webdav", "davfs")


class WatchState(StrEnum):
    """How the watching is."""

    OFF = "off"
    WATCHING = "watching"
    AWAY = "away"
    """The folder cannot be read now; it is tried again."""


class FolderWatcher(QObject):
    """At most one scan at a time. What is found goes to `found`; `capacity` says how many are wanted now."""

    changed = Signal()
    """`state`, `last_scan` or `folder` are others."""
    found = Signal(object)
    """The new `FoundPhoto`s of a scan, a tuple."""

    def __init__(self, seen_photos: SeenPhotos, capacity: Callable[[], int], parent: QObject) -> None:
        super().__init__(parent)
        self._seen_photos, self._capacity = seen_photos, capacity
        self._scan: FolderScan | None = None
        self._looking: Task | None = None
        self._older_too = False
        self._announced = False
        self.known: Callable[[], frozenset[str]] = frozenset
        """The SHA-256 of the contents that the record has."""
        self.state = WatchState.OFF
        self.last_scan: ScanResult | None = None
        """What the last scan found; None before the first."""
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._begin_scan)
        self._announcer = QFileSystemWatcher(self)
        self._announcer.directoryChanged.connect(self._folder_changed)

    @property
    def folder(self) -> Path | None:
        """The folder that is watched; None while none is."""
        return None if self._scan is None else self._scan.folder

    def start(self, folder: Path, record_id: str, since: datetime) -> None:
        """Watch `folder` from now on for a record that began at `since` (with a zone)."""
        self.stop()
        self.state = WatchState.WATCHING
        # Finding out where the folder is mounted asks a disk that may be slow.
        self._looking = run(
            FolderScan,
            folder,
            record_id,
            since,
            self._seen_photos,
            owner=self,
            done=self._use_scan,
            lane=Lane.LONG,
        )
        self.changed.emit()

    def stop(self) -> None:
        """Stop watching; photos that were handed out stay with their receiver."""
        self._next.stop()
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._scan = self.last_scan = None
        self._older_too = False
        self._watch_folders(())
        if self.state is not WatchState.OFF:
            self.state = WatchState.OFF
            self.changed.emit()

    def take_older(self) -> None:
        """From now on give the photos from before the start, too."""
        self._older_too = True
        self._schedule_scan(0)

    def resume(self) -> None:
        """There is room again: scan sooner when more photos wait."""
        if self.last_scan is not None and self.last_scan.more and self._capacity() > 0:
            self._schedule_scan(_MORE_MS)

    def put_back(self, photo: FoundPhoto) -> None:
        """A photo that was given could not be read: give it again when it can be."""
        if self._scan is not None:
            self._scan.put_back(photo)

    def _use_scan(self, scan: FolderScan) -> None:
        self._looking, self._scan = None, scan
        self._begin_scan()

    def _begin_scan(self) -> None:
        if self._scan is None or self._looking is not None:
            return
        self._announced = False
        self._looking = run(
            _scan_folder,
            self._scan,
            self._capacity(),
            self._older_too,
            self.known(),
            owner=self,
            progress=lambda _: None,
            done=self._scan_done,
            failed=self._scan_failed,
            lane=Lane.LONG,
        )

    def _scan_done(self, answer: tuple[ScanResult, bool]) -> None:
        self._looking = None
        self.last_scan, is_local = answer
        self.state = WatchState.WATCHING
        self._watch_folders(self.last_scan.folders[:_MOST_FOLDERS] if is_local else ())
        wait = min(max(_LEAST_MS, round(1_000 * _REST * self.last_scan.seconds)), _MOST_MS)
        if self._announced:
            wait = _ANNOUNCED_MS
        self._next.start(wait)
        self.changed.emit()
        if self.last_scan.photos:
            self.found.emit(self.last_scan.photos)
        self.resume()

    def _scan_failed(self, _error: Exception) -> None:
        self._looking = None
        self._watch_folders(())
        self.state = WatchState.AWAY
        self._next.start(_LEAST_MS)
        self.changed.emit()

    def _folder_changed(self, _folder: str) -> None:
        self._announced = True
        self._schedule_scan(_ANNOUNCED_MS)

    def _schedule_scan(self, wait_ms: int) -> None:
        if self._looking is None and self._scan is not None:
            left = self._next.remainingTime()
            if left < 0 or left > wait_ms:
                self._next.start(wait_ms)

    def _watch_folders(self, folders: tuple[Path, ...]) -> None:
        now, wanted = set(self._announcer.directories()), set(map(str, folders))
        if now - wanted:
            self._announcer.removePaths(list(now - wanted))
        if wanted - now:
            self._announcer.addPaths(list(wanted - now))


def _scan_folder(
    report: ProgressReport, scan: FolderScan, most: int, older_too: bool, known: frozenset[str]
) -> tuple[ScanResult, bool]:
    """The scan, and whether the system announces changes of the folder. Raises OSError when it is away."""
    kind = bytes(QStorageInfo(str(scan.folder)).fileSystemType().data()).decode(errors="replace").lower()
    is_local = not kind.startswith(_NETWORKS) and not str(scan.folder).startswith("\\\\")
    return scan.find_photos(most, older_too=older_too, known=known, check=report.check), is_local
