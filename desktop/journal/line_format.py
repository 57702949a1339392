"""Encodes the journal file: one JSON value a line, with length and CRC-32. Tolerates an incomplete last line.

A line is ``LLLLLLLL CCCCCCCC json\\n``: byte length and CRC-32 of the JSON text, 8 hexadecimal digits each.
JSON text contains no raw line feed, so reading continues after the next line feed if a line is damaged.
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
    """The value of one line without its line feed; None when the length, the CRC or the JSON is wrong."""
    text = line[_HEAD:]
    if line[:_HEAD] != b"%08x %08x " % (len(text), zlib.crc32(text)):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class JournalContents:
    """The values of a journal file and its condition."""

    values: list[Any]
    good_bytes: int
    """The number of bytes up to the end of the last good line."""
    damaged: bool
    """True when a line before that end is damaged. An incomplete last line is not damage."""


def decode(data: bytes) -> JournalContents:
    """Decode a file. Damaged lines are left out."""
    values: list[Any] = []
    good_bytes = position = 0
    has_bad_line = damaged = False
    while (end := data.find(b"\n", position)) >= 0:
        value = decode_line(data[position:end])
        position = end + 1
        if value is None:
            has_bad_line = True
            continue
        damaged = damaged or has_bad_line
        good_bytes = position
        values.append(value)
    return JournalContents(values, good_bytes, damaged)
