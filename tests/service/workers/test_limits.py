"""Tests the priority of child processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.workers import limits

GROUP = Path("/proc/self/autogroup")
"""For example "/autogroup-25 nice 0": the scheduling group of a session and its niceness."""


@pytest.mark.skipif(sys.platform != "linux", reason="sessions have a niceness on Linux only")
def test_lower_priority_applies_to_other_sessions() -> None:
    own = GROUP.read_text("ascii") if GROUP.exists() else ""
    child = """
import os, pathlib
from service.workers.limits import lower_priority
lower_priority()
group = pathlib.Path("/proc/self/autogroup")
# Empty where the processor is shared by control groups alone.
told = group.read_text("ascii").split() if group.exists() else []
print(os.nice(0), os.getsid(0) == os.getpid(), (told or ["10"])[-1])
"""
    printed = subprocess.run(
        [sys.executable, "-c", child], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    assert printed.split() == [str(os.nice(0) + 10), "True", "10"]
    assert (GROUP.read_text("ascii") if GROUP.exists() else "") == own


@pytest.mark.skipif(sys.platform != "linux", reason="sessions have a niceness on Linux only")
def test_session_priority_is_retried_until_the_kernel_accepts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    written: list[str] = []

    def write(_path: Path, text: str, _encoding: str) -> None:
        if len(waited) < 2:
            raise BlockingIOError
        written.append(text)

    monkeypatch.setattr(os, "nice", lambda _: None)
    monkeypatch.setattr(os, "setsid", lambda: None)
    monkeypatch.setattr(Path, "write_text", write)
    monkeypatch.setattr(time, "sleep", waited.append)
    limits.lower_priority()
    assert written == ["10"]
    assert len(waited) == 2


@pytest.mark.skipif(sys.platform != "win32", reason="calls functions of Windows")
def test_windows_accepts_the_limit_and_the_priority() -> None:
    child = """
import ctypes
from service.workers.limits import limit_memory, lower_priority, physical_memory
lower_priority()
limit_memory(physical_memory() * 3 // 4)
kernel32 = ctypes.windll.kernel32
print(kernel32.GetPriorityClass(ctypes.c_void_p(kernel32.GetCurrentProcess())), physical_memory() > 2**28)
"""
    printed = subprocess.run(
        [sys.executable, "-c", child], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    assert printed.split() == ["16384", "True"]
