"""Tests that freed memory stays with the process where the C library allows it."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

from service.detection.compute import allocator

COUNT_FAULTS = """
import resource
import numpy as np
from service.detection.compute import allocator

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        pictures = [np.ones(1_000_000) for _ in range(5)]
        del pictures
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
fresh = faults()
allocator.keep_freed_memory()
faults()
print(fresh, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these settings")
def test_freed_memory_is_reused_for_the_next_picture() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT_FAULTS], capture_output=True, text=True, check=True)
    fresh, reused = map(int, done.stdout.split())
    # 25 pictures of 8 MB are 49,000 pages of 4 kB; where the system gives larger ones, it is fewer.
    assert reused < fresh / 10, (fresh, reused)


def test_other_c_libraries_are_left_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    allocator.keep_freed_memory()
