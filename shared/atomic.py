"""Writes a file whole or not at all: into a part file in the same folder, which is then renamed.

A reader sees the old content or the new one. `durable` waits until content and name are on the disk; without
it a power cut may cost the new content. A failure removes the part file; only a killed process leaves one.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from shared.ids import random_name

PART_PREFIX = ".part-"
"""How the names of part files begin."""

_PRIVATE = 0o600
# A folder that cannot be opened for reading, or a file system that does not sync folders.
_NO_FOLDER_SYNC = frozenset({errno.EACCES, errno.EISDIR, errno.EBADF, errno.EINVAL})


def write(path: Path, data: bytes, *, durable: bool, private: bool = False) -> None:
    """Write `data` to `path`, as `writing` does. Raises OSError."""
    with writing(path, durable=durable, private=private) as file:
        file.write(data)


@contextmanager
def writing(path: Path, *, durable: bool, private: bool = False) -> Iterator[IO[bytes]]:
    """The open part file, which becomes `path` at the end of the block; an exception leaves the old file.

    A replaced file keeps its permissions; where `path` is a symbolic link, the file it names is replaced.
    With `private` only its owner can read the file, from its first byte on. Raises OSError; PermissionError
    also for an existing file that is write-protected, unless `private`.
    """
    target = Path(os.path.realpath(path))
    mode = _PRIVATE if private else _replaced_mode(target)
    with _part_file(target.parent, mode, durable, lambda part: part.replace(target)) as file:
        yield file


def write_once(path: Path, data: bytes) -> None:
    """Write `data` to `path`, durable and for its owner only, unless a file is there: then that one stays.

    Of several processes that call this at once, one writes. Raises OSError.
    """
    with _part_file(path.parent, _PRIVATE, True, partial(_link, path=path)) as file:
        file.write(data)


def put_in_place(part: Path, path: Path, *, durable: bool) -> None:
    """Rename the finished file `part` to `path`, on the same file system. Raises OSError."""
    if durable:
        with part.open("r+b") as file:
            sync_file(file)
    part.replace(path)
    if durable:
        sync_folder(path.parent)


def sync_file(file: IO[bytes]) -> None:
    """Return when everything written to `file` is on the disk. Raises OSError."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Return when the names in `folder` are on the disk, if the system can sync folders. Raises OSError."""
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise


@contextmanager
def _part_file(
    folder: Path, mode: int | None, durable: bool, place: Callable[[Path], object]
) -> Iterator[IO[bytes]]:
    part = folder / f"{PART_PREFIX}{random_name()}"
    opener = partial(os.open, mode=0o666 if mode is None else mode)
    try:
        with open(part, "xb", opener=opener) as file:
            if mode is not None:
                # The umask may have taken more away. Not every file system has permissions.
                with contextlib.suppress(OSError):
                    part.chmod(mode)
            yield file
            if durable:
                sync_file(file)
        place(part)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    if durable:
        sync_folder(folder)


def _replaced_mode(path: Path) -> int | None:
    try:
        mode = path.stat().st_mode & 0o777
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return mode


def _link(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:
        # No hard links on this file system: a rename is the next best thing.
        part.replace(path)
