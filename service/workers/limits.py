"""Limits of a child process: how much memory it may take, and who goes first."""

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


def limit_memory(most: int) -> None:
    """Let allocations beyond `most` bytes of data fail; does nothing on Windows."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(
            resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )


def lower_priority() -> None:
    """Let other processes have the processor first; does nothing on Windows.

    On Linux this process then leads a session of its own, also to signals of a terminal.
    """
    if sys.platform != "win32":
        # A container may forbid it.
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            _lower_session()


def _lower_session() -> None:
    # Where Linux groups by session, a niceness counts within its session only: sched(7), autogroup.
    if os.getsid(0) != os.getpid():
        os.setsid()
    for _ in range(_TRIES):
        try:
            Path("/proc/self/autogroup").write_text(str(_NICENESS), "ascii")
            return
        except BlockingIOError:
            # One session in the whole system may be changed in this time.
            time.sleep(_AUTOGROUP_SECONDS)


def end_first() -> None:
    """Let this process be the first one that ends when memory runs out (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("900", "ascii")
