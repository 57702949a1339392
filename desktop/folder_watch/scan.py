"""Scans a watched folder for photos that are new and complete. No Qt.

A file is complete when its size and time are the same in two scans and it can be opened. Photos from before
the record's start are only counted until the user confirms them.
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

_STABLE_SECONDS = 1.5
_CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far the clocks of camera and workstation may differ."""
_CHUNK_BYTES = 2**20
_MAX_READS = 32
"""The most files that one scan reads, so that its first photos are not delayed by many others."""

Mark = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class FoundPhoto:
    """A new, complete photo: its file, its path relative to the folder, and the SHA-256 of its content."""

    path: Path
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The result of one scan.

    - `photos`: the new photos.
    - `older`, `incomplete`, `damaged`: how many files are older than the record, still being written, or
      cannot be opened.
    - `remaining`: how many new photos the next scans will find.
    - `folders`: the folders that were read.
    - `is_truncated`: whether the folder has more files than are watched.
    - `seconds`: how long the listing took.
    """

    photos: tuple[FoundPhoto, ...]
    older: int
    incomplete: int
    remaining: int
    damaged: int
    folders: tuple[Path, ...]
    is_truncated: bool
    seconds: float


class FolderScan:
    """Scans one folder and remembers the results of earlier scans. Used by one thread at a time."""

    def __init__(self, folder: Path, record_id: str, since: datetime, seen_photos: SeenPhotos) -> None:
        """`since` is the start of the record, with a time zone."""
        self.folder, self.record_id = folder, record_id
        self._since, self._seen_photos = since - _CLOCK_TOLERANCE, seen_photos
        self._mount_point = _find_mount_point(folder)
        self._finished_marks: set[Mark] = set()
        self._returned_hashes: set[str] = set()
        self._older_marks: set[Mark] = set()
        self._damaged_marks: set[Mark] = set()
        self._first_seen: dict[Mark, float] = {}

    def find_photos(
        self,
        limit: int,
        *,
        older_too: bool = False,
        known_hashes: Set[str] = frozenset(),
        check_cancelled: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> ScanResult:
        """Scan the folder and return at most `limit` new photos; the next scan returns the others.

        `known_hashes` are the SHA-256 of the record's photos. `check_cancelled` is called repeatedly and may
        raise an exception to stop. `clock` gives seconds. Raises OSError when the folder is not available.
        """
        if not os.path.ismount(self._mount_point):
            # The mount point of a removed card may remain as an empty folder.
            raise FileNotFoundError(str(self.folder))
        start = clock()
        listing = list_photos(self.folder, check_cancelled)
        seconds = clock() - start
        listed_marks = {file.mark for file in listing.files}
        for marks in (self._finished_marks, self._older_marks, self._damaged_marks):
            marks &= listed_marks
        self._first_seen = {
            mark: seen_at for mark, seen_at in self._first_seen.items() if mark in listed_marks
        }
        photos: list[FoundPhoto] = []
        incomplete = remaining = reads = 0
        for file in listing.files:
            if file.mark in self._finished_marks or file.mark in self._damaged_marks:
                continue
            first_seen = self._first_seen.setdefault(file.mark, start)
            if not older_too and self._is_older(file):
                continue
            if clock() - first_seen < _STABLE_SECONDS or file.size == 0:
                incomplete += 1
                continue
            if len(photos) >= limit or reads >= _MAX_READS:
                remaining += 1
                continue
            check_cancelled()
            reads += 1
            photo = self._read_new_photo(file, older_too, known_hashes, check_cancelled)
            if photo is not None:
                photos.append(photo)
        older = 0 if older_too else sum(file.mark in self._older_marks for file in listing.files)
        folders = tuple(listing.folders)
        return ScanResult(
            tuple(photos),
            older,
            incomplete,
            remaining,
            len(self._damaged_marks),
            folders,
            listing.is_truncated,
            seconds,
        )

    def put_back(self, photo: FoundPhoto) -> None:
        """Return `photo` again in a later scan, because it could not be read."""
        self._returned_hashes.discard(photo.sha256)
        self._finished_marks = {mark for mark in self._finished_marks if mark[0] != photo.name}

    def _is_older(self, file: ListedFile) -> bool:
        """Whether the file was last changed before the record's start, according to the file system."""
        if file.mark not in self._older_marks and file.changed / 1e9 < self._since.timestamp():
            sha256 = self._seen_photos.content(file)
            if sha256 is not None and self._seen_photos.is_taken(self.record_id, sha256):
                self._finished_marks.add(file.mark)
                return True
            self._older_marks.add(file.mark)
        return file.mark in self._older_marks

    def _read_new_photo(
        self, file: ListedFile, older_too: bool, known_hashes: Set[str], check_cancelled: Callable[[], None]
    ) -> FoundPhoto | None:
        """Read a file.

        Returns None if its content is known, older by the camera's clock, or not a picture.
        """
        sha256 = self._seen_photos.content(file)
        try:
            if sha256 is None:
                taken_at = _read_taken_at(file.path)
                if not older_too and taken_at is not None and taken_at < self._since:
                    # The file was copied after the start, but the photo was taken before.
                    self._older_marks.add(file.mark)
                    return None
                sha256 = _sha256(file.path, check_cancelled)
                self._seen_photos.remember_content(file, sha256)
        except (OSError, pyvips.Error):
            self._damaged_marks.add(file.mark)
            return None
        self._finished_marks.add(file.mark)
        if (
            sha256 in self._returned_hashes
            or sha256 in known_hashes
            or self._seen_photos.is_taken(self.record_id, sha256)
        ):
            return None
        self._returned_hashes.add(sha256)
        return FoundPhoto(file.path, file.name, sha256)


def _read_taken_at(path: Path) -> datetime | None:
    """Read when the photo was taken by the camera's clock; None if unknown.

    If the camera wrote no time zone, the workstation's is used. Raises pyvips.Error when the file cannot be
    opened.
    """
    if path.suffix.lower() in (*CONVERTED_SUFFIXES, ".bmp"):
        return None
    text = read_camera_data(pyvips.Image.new_from_file(str(path), access="sequential")).taken_at
    try:
        return None if text is None else datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        # Invalid, or outside the range of datetime.
        return None


def _sha256(path: Path, check_cancelled: Callable[[], None]) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            check_cancelled()
            digest.update(chunk)
    return digest.hexdigest()


def _find_mount_point(folder: Path) -> Path:
    """The folder where the file system of `folder` is mounted."""
    mount = folder.absolute()
    while not os.path.ismount(mount) and mount != mount.parent:
        mount = mount.parent
    return mount
