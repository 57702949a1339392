"""Describes and classifies errors of the operating system."""

from __future__ import annotations

import errno

from shared.record.codes import StorageFault

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_WRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def describe_os_error(problem: OSError) -> str:
    """Return the path, if known, and the system's message: `photos/a.jpg: Permission denied`."""
    message = problem.strerror or str(problem)
    return f"{problem.filename}: {message}" if problem.filename is not None else message


def classify_os_error(problem: OSError) -> StorageFault | None:
    """Return DISK_FULL or NOT_WRITABLE; None for any other error."""
    if problem.errno in _FULL:
        return StorageFault.DISK_FULL
    return StorageFault.NOT_WRITABLE if problem.errno in _NOT_WRITABLE else None
