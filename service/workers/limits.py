"""Limits of a child process: its memory, its priority, and its rank when memory runs out."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Final

_NICENESS: Final = 10
_AUTOGROUP_SECONDS: Final = 0.11
_TRIES: Final = 5


def limit_memory(max_bytes: int) -> None:
    """Limit the data segment of this process to `max_bytes`; does nothing on Windows."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(
            resource.RLIMIT_DATA,
            (max_bytes if hard == resource.RLIM_INFINITY else min(max_bytes, hard), hard),
        )


def lower_priority() -> None:
    """Lower the priority of this process; does nothing on Windows.

    On Linux this process becomes the leader of a new session, so it gets no signals of a terminal.
    """
    if sys.platform != "win32":
        # A container may forbid this.
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            _lower_session()


def _lower_session() -> None:
    # With autogroup, Linux applies a niceness only within its session: sched(7).
    if os.getsid(0) != os.getpid():
        os.setsid()
    for _ in range(_TRIES):
        try:
            Path("/proc/self/autogroup").write_text(str(_NICENESS), "ascii")
            return
        except BlockingIOError:
            # The kernel allows one change of an autogroup in the whole system within this time.
            time.sleep(_AUTOGROUP_SECONDS)


def end_first() -> None:
    """Make this process the first that the kernel kills when memory runs out (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("900", "ascii")
