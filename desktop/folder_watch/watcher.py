"""Watches one folder beside the GUI thread: looks at a bounded rate, sooner when the system reports a change.

Network folders announce nothing, so every folder is looked at again and again. A look never takes more than a
tenth of the time, and gives as many photos as there is room for.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QStorageInfo, QTimer, Signal

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.folder_watch.scan import FolderScan, FoundPhoto, Look
from desktop.folder_watch.seen_photos import SeenPhotos

_LEAST_MS, _MOST_MS = 2_000, 60_000
_REST = 10
"""A look that took a second is followed by ten of rest."""
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
    """At most one look at a time. What is found goes to `found`; `capacity` says how many are wanted now."""

    changed = Signal()
    """`state`, `look` or `folder` are others."""
    found = Signal(object)
    """The new `FoundPhoto`s of a look, a tuple."""

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
        self.look: Look | None = None
        """What the last look found; None before the first."""
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._begin)
        self._announcer = QFileSystemWatcher(self)
        self._announcer.directoryChanged.connect(self._announce)

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
            done=self._prepared,
            lane=Lane.LONG,
        )
        self.changed.emit()

    def stop(self) -> None:
        """Stop watching; photos that were handed out stay with their receiver."""
        self._next.stop()
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._scan = self.look = None
        self._older_too = False
        self._listen(())
        if self.state is not WatchState.OFF:
            self.state = WatchState.OFF
            self.changed.emit()

    def take_older(self) -> None:
        """From now on give the photos from before the start, too."""
        self._older_too = True
        self._soon(0)

    def go_on(self) -> None:
        """There is room again: look sooner when more photos wait."""
        if self.look is not None and self.look.more and self._capacity() > 0:
            self._soon(_MORE_MS)

    def give_back(self, photo: FoundPhoto) -> None:
        """A photo that was given could not be read: give it again when it can be."""
        if self._scan is not None:
            self._scan.give_back(photo)

    def _prepared(self, scan: FolderScan) -> None:
        self._looking, self._scan = None, scan
        self._begin()

    def _begin(self) -> None:
        if self._scan is None or self._looking is not None:
            return
        self._announced = False
        self._looking = run(
            _look,
            self._scan,
            self._capacity(),
            self._older_too,
            self.known(),
            owner=self,
            progress=lambda _: None,
            done=self._looked,
            failed=self._not_looked,
            lane=Lane.LONG,
        )

    def _looked(self, answer: tuple[Look, bool]) -> None:
        self._looking = None
        self.look, is_local = answer
        self.state = WatchState.WATCHING
        self._listen(self.look.folders[:_MOST_FOLDERS] if is_local else ())
        wait = min(max(_LEAST_MS, round(1_000 * _REST * self.look.seconds)), _MOST_MS)
        if self._announced:
            wait = _ANNOUNCED_MS
        self._next.start(wait)
        self.changed.emit()
        if self.look.photos:
            self.found.emit(self.look.photos)
        self.go_on()

    def _not_looked(self, _error: Exception) -> None:
        self._looking = None
        self._listen(())
        self.state = WatchState.AWAY
        self._next.start(_LEAST_MS)
        self.changed.emit()

    def _announce(self, _folder: str) -> None:
        self._announced = True
        self._soon(_ANNOUNCED_MS)

    def _soon(self, wait_ms: int) -> None:
        if self._looking is None and self._scan is not None:
            left = self._next.remainingTime()
            if left < 0 or left > wait_ms:
                self._next.start(wait_ms)

    def _listen(self, folders: tuple[Path, ...]) -> None:
        now, wanted = set(self._announcer.directories()), set(map(str, folders))
        if now - wanted:
            self._announcer.removePaths(list(now - wanted))
        if wanted - now:
            self._announcer.addPaths(list(wanted - now))


def _look(
    report: ProgressReport, scan: FolderScan, most: int, older_too: bool, known: frozenset[str]
) -> tuple[Look, bool]:
    """The look, and whether the system announces changes of the folder. Raises OSError when it is away."""
    kind = bytes(QStorageInfo(str(scan.folder)).fileSystemType().data()).decode(errors="replace").lower()
    is_local = not kind.startswith(_NETWORKS) and not str(scan.folder).startswith("\\\\")
    return scan.look(most, older_too=older_too, known=known, check=report.check), is_local
