"""Lists the picture files of a folder and its subfolders. No Qt."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from desktop.imaging.conversion import CONVERTED_SUFFIXES, PICTURE_SUFFIXES
from shared.images.formats import is_picture_name

MAX_FILES = 20_000
"""The most pictures that are listed; `Listing.is_truncated` tells that there are more."""

_MAX_DEPTH = 12
_CHECK_EVERY = 200
# Folders for thumbnails, deleted files and indexes. Folders that begin with a dot are also ignored.
_IGNORED_FOLDERS = {"@eadir", "$recycle.bin", "system volume information", "#recycle"}


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A picture file: path relative to the folder (`name`), size in bytes, last change in ns since 1970."""

    path: Path
    name: str
    size: int
    changed: int

    @property
    def mark(self) -> tuple[str, int, int]:
        """Identifies the file while it does not change, also if the card is mounted at another place."""
        return self.name, self.size, self.changed


@dataclass(slots=True)
class Listing:
    """The picture files sorted by name, the folders that were read, and whether files were left out."""

    files: list[ListedFile] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    is_truncated: bool = False


def list_photos(folder: Path, check_cancelled: Callable[[], None] = lambda: None) -> Listing:
    """List the pictures in `folder` and its subfolders.

    A RAW or HEIC file beside a JPEG of the same name is left out. `check_cancelled` is called repeatedly and
    may raise an exception to stop. Links that lead back to a folder are not followed. Raises OSError when
    `folder` itself cannot be read.
    """
    listing = Listing()
    for file in _walk(folder, listing, check_cancelled):
        if len(listing.files) == MAX_FILES:
            listing.is_truncated = True
            break
        listing.files.append(file)
    jpegs = {_stem(file) for file in listing.files if file.path.suffix.lower() in (".jpg", ".jpeg")}
    listing.files = [
        file
        for file in listing.files
        if file.path.suffix.lower() not in CONVERTED_SUFFIXES or _stem(file) not in jpegs
    ]
    listing.files.sort(key=lambda file: file.name)
    return listing


def _stem(file: ListedFile) -> str:
    return file.name.rpartition(".")[0].casefold()


def _walk(folder: Path, listing: Listing, check_cancelled: Callable[[], None]) -> Iterator[ListedFile]:
    identities = {_folder_identity(folder, folder.stat())}
    pending = [(folder, "", 0)]
    count = 0
    while pending:
        directory, prefix, depth = pending.pop()
        try:
            entries = os.scandir(directory)
        except OSError:
            if directory == folder:
                raise
            # A subfolder that may not be read or that was deleted.
            continue
        listing.folders.append(directory)
        with entries:
            for entry in entries:
                count += 1
                if count % _CHECK_EVERY == 0:
                    check_cancelled()
                if entry.name.startswith(".") or entry.name.casefold() in _IGNORED_FOLDERS:
                    continue
                try:
                    if entry.is_dir():
                        identity = _folder_identity(Path(entry.path), entry.stat())
                        if depth < _MAX_DEPTH and identity not in identities:
                            identities.add(identity)
                            pending.append((Path(entry.path), f"{prefix}{entry.name}/", depth + 1))
                    elif is_picture_name(entry.name, PICTURE_SUFFIXES) and entry.is_file():
                        status = entry.stat()
                        name = prefix + entry.name
                        yield ListedFile(Path(entry.path), name, status.st_size, status.st_mtime_ns)
                except OSError:
                    # A broken link, or a file that was just deleted.
                    continue


def _folder_identity(folder: Path, status: os.stat_result) -> object:
    # On Windows, scandir gives 0 for both numbers.
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(folder)
