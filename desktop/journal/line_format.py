"""Encodes the journal file: one JSON value a line, with length and CRC-32; tolerates a torn tail.

A line is ``LLLLLLLL CCCCCCCC json\\n``: byte length and CRC-32 of the JSON text, 8 hexadecimal digits each.
JSON text holds no raw line feed, so after damage the next line feed is the next chance.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

_HEAD = 18


def encode(value: Any) -> bytes:
    """`value` as one line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8", "surrogatepass"
    )
    return b"%08x %08x %b\n" % (len(text), zlib.crc32(text), text)


def decode_line(line: bytes) -> Any | None:
    """The value of one line without its line feed; None when length, CRC or JSON do not fit."""
    text = line[_HEAD:]
    if line[:_HEAD] != b"%08x %08x " % (len(text), zlib.crc32(text)):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class JournalContents:
    """What `decode` found: the values, the bytes up to the end of the last good line, and whether a line
    before that end was damaged (a torn tail alone is no damage)."""

    values: list[Any]
    good_bytes: int
    damaged: bool


def decode(data: bytes) -> JournalContents:
    """All values of a file, in order, with damaged lines left out."""
    values: list[Any] = []
    good = position = 0
    broken = damaged = False
    while (end := data.find(b"\n", position)) >= 0:
        value = decode_line(data[position:end])
        position = end + 1
        if value is None:
            broken = True
            continue
        damaged = damaged or broken
        good = position
        values.append(value)
    return JournalContents(values, good, damaged)
