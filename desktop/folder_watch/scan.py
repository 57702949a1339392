"""Scans a watched folder again and again: which photos are new, whole and wanted. No Qt.

A file is whole when its size and time are the same in two scans and it opens. Photos from before the record's
start are counted, not taken, until someone wants them.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from desktop.folder_watch.listing import ListedFile, list_photos
from desktop.folder_watch.seen_photos import SeenPhotos
from desktop.imaging.conversion import CONVERTED_SUFFIXES
from desktop.imaging.decoding.vips import pyvips
from shared.images.camera_data import read_camera_data

_QUIET_SECONDS = 1.5
_CLOCKS = timedelta(minutes=5)
"""Clocks of camera and workstation that differ by no more make no photo an older one."""
_PIECE = 2**20
_MOST_READS = 32
"""The most files that are read in one scan, so that new photos do not wait long."""

Mark = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class FoundPhoto:
    """A new photo that is whole: its file, its name below the folder, and the SHA-256 of its content."""

    path: Path
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What one scan found: new photos, and how many files are older, being written, more, or do not open.

    `folders` were read; `cut`: there are more files than are watched; `seconds`: how long the listing took.
    """

    photos: tuple[FoundPhoto, ...]
    older: int
    writing: int
    more: int
    damaged: int
    folders: tuple[Path, ...]
    cut: bool
    seconds: float


class FolderScan:
    """Remembers what earlier scans found. Used by one thread at a time."""

    def __init__(self, folder: Path, record_id: str, since: datetime, seen_photos: SeenPhotos) -> None:
        """`since`: the start of the record, with a zone."""
        self.folder, self.record_id = folder, record_id
        self._since, self._seen_photos = since - _CLOCKS, seen_photos
        self._mount = _mount_of(folder)
        self._done: set[Mark] = set()
        self._handed: set[str] = set()
        self._older: set[Mark] = set()
        self._damaged: set[Mark] = set()
        self._first_seen: dict[Mark, float] = {}

    def find_photos(
        self,
        most: int,
        *,
        older_too: bool = False,
        known: Set[str] = frozenset(),
        check: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.monotonic,
    ) -> ScanResult:
        """Scan again; at most `most` new photos are read and given, the others wait for the next scan.

        `known`: the SHA-256 of what the record has. `check` may raise to end it. Raises OSError when the
        folder is away.
        """
        if not os.path.ismount(self._mount):
            # The folder that a card was mounted at stays behind, empty.
            raise FileNotFoundError(str(self.folder))
        start = now()
        listing = list_photos(self.folder, check)
        seconds = now() - start
        listed_marks = {file.mark for file in listing.files}
        for marks in (self._done, self._older, self._damaged):
            marks &= listed_marks
        self._first_seen = {mark: at for mark, at in self._first_seen.items() if mark in listed_marks}
        photos: list[FoundPhoto] = []
        writing = more = reads = 0
        for file in listing.files:
            if file.mark in self._done or file.mark in self._damaged:
                continue
            first_seen = self._first_seen.setdefault(file.mark, start)
            if not older_too and self._is_older(file):
                continue
            if now() - first_seen < _QUIET_SECONDS or file.size == 0:
                writing += 1
                continue
            if len(photos) >= most or reads >= _MOST_READS:
                more += 1
                continue
            check()
            reads += 1
            photo = self._read(file, older_too, known, check)
            if photo is not None:
                photos.append(photo)
        older = 0 if older_too else sum(file.mark in self._older for file in listing.files)
        folders = tuple(listing.folders)
        return ScanResult(
            tuple(photos), older, writing, more, len(self._damaged), folders, listing.cut, seconds
        )

    def put_back(self, photo: FoundPhoto) -> None:
        """A photo that was given could not be read later: it is given again when it can be."""
        self._handed.discard(photo.sha256)
        self._done = {mark for mark in self._done if mark[0] != photo.name}

    def _is_older(self, file: ListedFile) -> bool:
        """Whether it was written before the record's start, as far as the file system says."""
        if file.mark not in self._older and file.changed / 1e9 < self._since.timestamp():
            sha256 = self._seen_photos.content(file)
            if sha256 is not None and self._seen_photos.is_taken(self.record_id, sha256):
                self._done.add(file.mark)
                return True
            self._older.add(file.mark)
        return file.mark in self._older

    def _read(
        self, file: ListedFile, older_too: bool, known: Set[str], check: Callable[[], None]
    ) -> FoundPhoto | None:
        """The photo, unless it was taken before, is an older one by the camera's clock, or does not open."""
        sha256 = self._seen_photos.content(file)
        try:
            if sha256 is None:
                taken = _taken_at(file.path)
                if not older_too and taken is not None and taken < self._since:
                    # Copied after the start, but taken before.
                    self._older.add(file.mark)
                    return None
                sha256 = _sha256(file.path, check)
                self._seen_photos.remember_content(file, sha256)
        except (OSError, pyvips.Error):
            self._damaged.add(file.mark)
            return None
        self._done.add(file.mark)
        if sha256 in self._handed or sha256 in known or self._seen_photos.is_taken(self.record_id, sha256):
            return None
        self._handed.add(sha256)
        return FoundPhoto(file.path, file.name, sha256)


def _taken_at(path: Path) -> datetime | None:
    """When it was taken by the camera's clock, in the workstation's zone unless the camera says another one.

    None where that is not known. Raises pyvips.Error when the file does not open.
    """
    if path.suffix.lower() in (*CONVERTED_SUFFIXES, ".bmp"):
        return None
    text = read_camera_data(pyvips.Image.new_from_file(str(path), access="sequential")).taken_at
    try:
        return None if text is None else datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        # At the edge of what a clock can say.
        return None


def _sha256(path: Path, check: Callable[[], None]) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            check()
            digest.update(piece)
    return digest.hexdigest()


def _mount_of(folder: Path) -> Path:
    """The folder where the file system of `folder` is mounted."""
    mount = folder.absolute()
    while not os.path.ismount(mount) and mount != mount.parent:
        mount = mount.parent
    return mount
