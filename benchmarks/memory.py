"""Reads the memory of this process, as the system counts it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Memory(NamedTuple):
    """Megabytes: everything that is in memory, and what no other process shares."""

    resident: float
    unique: float


def memory() -> Memory:
    """The memory of this process now. Source: /proc/self/smaps_rollup, which only Linux has.

    Raises OSError elsewhere.
    """
    kilobytes: dict[str, int] = {}
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]:
        name, value, *_ = line.split()
        kilobytes[name.rstrip(":")] = int(value)
    unique = kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]
    return Memory(kilobytes["Rss"] / 1024, unique / 1024)
