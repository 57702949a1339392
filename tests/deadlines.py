"""Ends waiting for a child process before the test's own deadline, and shows what the process printed."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHILD_SECONDS = 200.0
"""How long a test waits for a child process if it does not say so; below `faulthandler_timeout`."""


@contextmanager
def limit_children(seconds: float = CHILD_SECONDS) -> Iterator[None]:
    """In the block, waiting for a `subprocess.Popen` raises TimeoutExpired after `seconds`.

    A timeout that a call names takes precedence. `subprocess.run` also ends its process. Other threads than
    the main one wait without a limit: the desktop watches its service for as long as that runs.
    """
    communicate, wait = subprocess.Popen.communicate, subprocess.Popen.wait

    def limit(timeout: float | None) -> float | None:
        is_test = threading.current_thread() is threading.main_thread()
        return seconds if timeout is None and is_test else timeout

    def communicate_in_time(process: Any, input: Any = None, timeout: float | None = None) -> Any:
        return communicate(process, input, limit(timeout))

    def wait_in_time(process: Any, timeout: float | None = None) -> int:
        return wait(process, limit(timeout))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "communicate", communicate_in_time)
        patch.setattr(subprocess.Popen, "wait", wait_in_time)
        yield


def show_child_output(report: pytest.TestReport, error: BaseException | None) -> None:
    """Add what a child process printed until its deadline to the report of the test."""
    if isinstance(error, subprocess.TimeoutExpired):
        for name, printed in (("stdout", error.stdout), ("stderr", error.stderr)):
            text = printed.decode("utf-8", "replace") if isinstance(printed, bytes) else printed
            report.sections.append((f"{name} of the child process", text or "nothing"))
