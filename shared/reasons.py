"""Says why the system refused something, without Python's error number and quotes."""

from __future__ import annotations

import errno

from shared.codes import Hindrance

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_WRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def reason(problem: OSError) -> str:
    """The path, where it is known, and the system's message: `photos/a.jpg: Permission denied`."""
    message = problem.strerror or str(problem)
    return f"{problem.filename}: {message}" if problem.filename is not None else message


def hindrance(problem: OSError) -> Hindrance | None:
    """Whether the disk is full or may not be written; None when it is something else."""
    if problem.errno in _FULL:
        return Hindrance.DISK_FULL
    return Hindrance.NOT_WRITABLE if problem.errno in _NOT_WRITABLE else None
