"""Reads how much memory this process uses."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Memory(NamedTuple):
    """Resident memory of a process in MB, and the part of it that it shares with no other process."""

    resident: float
    unique: float


def read_memory() -> Memory:
    """Read the memory of this process from /proc/self/smaps_rollup. Raises OSError outside Linux."""
    kilobytes: dict[str, int] = {}
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]:
        name, value, *_ = line.split()
        kilobytes[name.rstrip(":")] = int(value)
    unique = kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]
    return Memory(kilobytes["Rss"] / 1024, unique / 1024)
