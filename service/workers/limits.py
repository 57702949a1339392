"""Limits of a child process: how much memory it may take, and who goes first."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def limit_memory(most: int) -> None:
    """Let allocations beyond `most` bytes of data fail; does nothing on Windows."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(
            resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )


def lower_priority(niceness: int) -> None:
    """Let processes of a smaller niceness have the processor first; does nothing on Windows."""
    if sys.platform != "win32":
        # A container may forbid it.
        with contextlib.suppress(OSError):
            os.nice(niceness)


def end_first() -> None:
    """Let this process be the first one that ends when memory runs out (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("900", "ascii")
