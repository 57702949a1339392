"""Memory that was freed goes back to the system, also what a thread of the pool freed between what stays."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop.background import memory_trimming
from desktop.background.memory_trimming import MemoryTrimming
from shared.paths import root

LINUX = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library is not glibc")

# Blocks of 12 MB, as pictures have, are freed in threads while a small one above each stays.
_DAY = """
import ctypes, sys, threading
from pathlib import Path
from desktop.background.memory_trimming import release_memory

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
    command = [sys.executable, "-c", _DAY, how]
    return float(subprocess.run(command, cwd=root(), capture_output=True, text=True, check=True).stdout)


@LINUX
def test_pictures_that_are_gone_take_no_memory() -> None:
    assert _resident_share("give back") < 12
    # So that the test would see it: without this they do.
    assert _resident_share("as glibc does") > 12


@LINUX
def test_what_lies_free_within_a_heap_is_given_back_after_a_while(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_trimming, "_QUIET_MS", 10)
    calls: list[int] = []
    monkeypatch.setattr(
        memory_trimming, "_of_glibc", lambda name: calls.append if name == "malloc_trim" else None
    )
    owner = QObject()
    trimming = MemoryTrimming(owner)
    for _ in range(3):
        trimming.soon()
    qtbot.waitUntil(lambda: bool(calls))
    assert calls == [0]


def test_it_is_set_before_the_program_has_threads() -> None:
    text = (root() / "desktop" / "app" / "application.py").read_text(encoding="utf-8")
    body = text[text.index("def run_desktop") :]
    assert body.index("release_memory()") < body.index("make_application(")


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert memory_trimming._of_glibc("mallopt") is None
    memory_trimming.release_memory()
