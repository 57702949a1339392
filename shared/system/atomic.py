"""Writes a file completely or not at all: first a part file in the same folder, which is then renamed.

A reader sees the old content or the new content, never a part. With `durable` the functions return after
content and name are on the disk; without it, a power failure can lose the new content. A failed write
deletes the part file. Only a killed process leaves one behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from shared.ids import random_name

PART_PREFIX = ".part-"
"""Prefix of the names of part files."""

_PRIVATE = 0o600
_REPLACE_TRIES = 20
_REPLACE_SECONDS = 0.05
# The folder cannot be opened for reading, or the file system cannot sync folders.
_NO_FOLDER_SYNC = frozenset({errno.EACCES, errno.EISDIR, errno.EBADF, errno.EINVAL})


def write_file(path: Path, data: bytes, *, durable: bool, private: bool = False) -> None:
    """Replace the content of `path` by `data`; see `open_for_writing`. Raises OSError."""
    with open_for_writing(path, durable=durable, private=private) as file:
        file.write(data)


@contextmanager
def open_for_writing(path: Path, *, durable: bool, private: bool = False) -> Iterator[IO[bytes]]:
    """Yield an open part file that replaces `path` at the end of the block. An exception keeps the old file.

    The new file gets the permissions of the file that it replaces. If `path` is a symbolic link, its target
    is replaced. With `private` only the owner can read the file, even while it is written. Raises OSError;
    raises PermissionError also for an existing file that is write-protected, unless `private`.
    """
    target = Path(os.path.realpath(path))
    mode = _PRIVATE if private else _existing_mode(target)
    with _part_file(target.parent, mode, durable, partial(_replace, path=target)) as file:
        yield file


def write_if_absent(path: Path, data: bytes) -> None:
    """Create the file `path` with `data`, durable and readable by the owner only; keep a file that exists.

    If several processes call this at the same time, one of them writes. Raises OSError.
    """
    with _part_file(path.parent, _PRIVATE, True, partial(_link_or_replace, path=path)) as file:
        file.write(data)


def replace_file(part: Path, path: Path, *, durable: bool) -> None:
    """Rename the complete file `part` to `path`, on the same file system. Raises OSError."""
    if durable:
        with part.open("r+b") as file:
            sync_file(file)
    _replace(part, path)
    if durable:
        sync_folder(path.parent)


def sync_file(file: IO[bytes]) -> None:
    """Write everything buffered for `file` to the disk and wait for it. Raises OSError."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are on the disk, if the system can sync folders. Raises OSError."""
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
    folder: Path, mode: int | None, durable: bool, publish: Callable[[Path], object]
) -> Iterator[IO[bytes]]:
    part = folder / f"{PART_PREFIX}{random_name()}"
    opener = partial(os.open, mode=0o666 if mode is None else mode)
    try:
        with open(part, "xb", opener=opener) as file:
            if mode is not None:
                # The umask may have removed more permissions. Some file systems have none.
                with contextlib.suppress(OSError):
                    part.chmod(mode)
            yield file
            if durable:
                sync_file(file)
        publish(part)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    if durable:
        sync_folder(folder)


def _replace(part: Path, path: Path) -> None:
    """Rename `part` to `path`. Windows refuses it while a program reads the old file or scans the new one."""
    for _ in range(_REPLACE_TRIES if os.name == "nt" else 0):
        try:
            part.replace(path)
            return
        except PermissionError:
            time.sleep(_REPLACE_SECONDS)
    part.replace(path)


def _existing_mode(path: Path) -> int | None:
    try:
        mode = path.stat().st_mode & 0o777
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return mode


def _link_or_replace(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:
        # This file system has no hard links. A rename may replace a file that appeared at the same moment.
        _replace(part, path)
