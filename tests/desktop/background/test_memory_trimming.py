"""Tests that freed memory is returned to the system, also from between blocks that stay in use."""

from __future__ import annotations

import ctypes
import linecache
import subprocess
import sys

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop.background import memory
from desktop.background.memory import MemoryTrimming
from shared.system.paths import program_folder

GLIBC_ONLY = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library is not glibc"
)

# Frees blocks of 12 MB, the size of a picture, in threads, while a small block above each stays in use.
_PROGRAM = """
import ctypes, sys, threading
from pathlib import Path
from desktop.background.memory import release_memory

if sys.argv[1] == "give back":
    release_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes, libc.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

def work():
    for size in (30 << 20, 12 << 20):
        block = libc.malloc(size)
        ctypes.memset(block, 1, size)
        small = libc.malloc(5000)
        libc.free(block)
        ctypes.memset(small, 1, 5000)

before = resident()
for _ in range(3):
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(resident() - before)
"""


def _resident_share(how: str) -> float:
    command = [sys.executable, "-c", _PROGRAM, how]
    return float(
        subprocess.run(command, cwd=program_folder(), capture_output=True, text=True, check=True).stdout
    )


@GLIBC_ONLY
def test_closed_pictures_take_no_memory() -> None:
    assert _resident_share("give back") < 12
    # Without `release_memory` they do, so the test can fail.
    assert _resident_share("as glibc does") > 12


@GLIBC_ONLY
def test_free_memory_within_a_heap_is_trimmed_once_after_a_pause(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_QUIET_MS", 10)
    calls: list[int] = []
    monkeypatch.setattr(
        memory, "_find_glibc_function", lambda name: calls.append if name == "malloc_trim" else None
    )
    owner = QObject()
    trimming = MemoryTrimming(owner)
    for _ in range(3):
        trimming.schedule()
    qtbot.waitUntil(lambda: bool(calls))
    assert calls == [0]


def test_glibc_is_configured_before_the_program_has_threads() -> None:
    text = (program_folder() / "desktop" / "app" / "running.py").read_text(encoding="utf-8")
    body = text[text.index("def run_desktop") :]
    assert body.index("release_memory()") < body.index("make_application(")


def test_nothing_happens_without_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert memory._find_glibc_function("mallopt") is None
    memory.release_memory()


def test_trimming_drops_the_source_lines_that_were_read() -> None:
    assert linecache.getlines(__file__)
    memory.trim()
    assert not linecache.cache
