"""Lists the picture files of a folder and of the folders in it. No Qt."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from desktop.imaging.conversion import CONVERTED_SUFFIXES, PICTURE_SUFFIXES

MOST_FILES = 20_000
"""Of a folder with more pictures the rest is left out, and the result says so."""

_DEEPEST = 12
_CHECK_EVERY = 200
# Thumbnails, recycle bins and indexes of file servers and systems; hidden folders begin with a dot.
_NOT_PHOTOS = {"@eadir", "$recycle.bin", "system volume information", "#recycle"}


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A picture file: its name below the folder, its size in bytes and its last change (ns since 1970)."""

    path: Path
    name: str
    size: int
    changed: int

    @property
    def mark(self) -> tuple[str, int, int]:
        """Equal for the same file as long as it is not changed, also where the card is mounted elsewhere."""
        return self.name, self.size, self.changed


@dataclass(slots=True)
class Listing:
    """The picture files by name, the folders that were read, and whether there are too many files."""

    files: list[ListedFile] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    cut: bool = False


def list_photos(folder: Path, check: Callable[[], None] = lambda: None) -> Listing:
    """The pictures in `folder` and below it. Of a RAW or HEIC file beside a JPEG of its name the JPEG only.

    `check` is called repeatedly and may raise to end it. Folders that lead back into themselves are read
    once. Raises OSError when `folder` itself cannot be read.
    """
    listing = Listing()
    for file in _walk(folder, listing, check):
        if len(listing.files) == MOST_FILES:
            listing.cut = True
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


def _walk(folder: Path, listing: Listing, check: Callable[[], None]) -> Iterator[ListedFile]:
    identities = {_identity(folder, folder.stat())}
    waiting = [(folder, "", 0)]
    count = 0
    while waiting:
        directory, prefix, depth = waiting.pop()
        try:
            entries = os.scandir(directory)
        except OSError:
            if directory == folder:
                raise
            # A folder inside that may not be read, or that has been deleted.
            continue
        listing.folders.append(directory)
        with entries:
            for entry in entries:
                count += 1
                if count % _CHECK_EVERY == 0:
                    check()
                if entry.name.startswith(".") or entry.name.casefold() in _NOT_PHOTOS:
                    continue
                try:
                    if entry.is_dir():
                        identity = _identity(Path(entry.path), entry.stat())
                        if depth < _DEEPEST and identity not in identities:
                            identities.add(identity)
                            waiting.append((Path(entry.path), f"{prefix}{entry.name}/", depth + 1))
                    elif entry.name.lower().endswith(PICTURE_SUFFIXES) and entry.is_file():
                        status = entry.stat()
                        name = prefix + entry.name
                        yield ListedFile(Path(entry.path), name, status.st_size, status.st_mtime_ns)
                except OSError:
                    # A link that leads nowhere, or a file that was just deleted.
                    continue


def _identity(folder: Path, status: os.stat_result) -> object:
    # scandir on Windows leaves the numbers out.
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(folder)
