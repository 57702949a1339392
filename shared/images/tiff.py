"""Reads the directories of a TIFF or BigTIFF without its pixels (TIFF 6.0, section 2; BigTIFF design)."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

_MAX_ENTRIES: Final = 4096
_EXTRA_SAMPLES: Final = 338
_ALPHA: Final = (1, 2)
"""Values of ExtraSamples: alpha that the colours are multiplied with, and alpha that they are not."""


class Entry(NamedTuple):
    """One field: its tag, the type and number of its `values`, and the bytes that hold or point to them."""

    tag: int
    kind: int
    values: int
    value: bytes


def read_directory(file: BinaryIO, page: int = 0) -> tuple[str, list[Entry]]:
    """Read the byte order (`<` or `>`) and the fields of a page. Raises struct.error."""
    file.seek(0)
    head = file.read(16)
    order = "<" if head[:2] == b"II" else ">"
    is_big = struct.unpack_from(f"{order}H", head, 2)[0] == 43
    count_form, entry_form, offset_form = ("Q", "HHQ8s", "Q") if is_big else ("H", "HHI4s", "I")
    (offset,) = struct.unpack_from(f"{order}{offset_form}", head, 8 if is_big else 4)
    entries: list[Entry] = []
    for _ in range(page + 1):
        if not 0 < offset < 2**63:
            raise struct.error("no such page")
        file.seek(offset)
        (count,) = _read(file, f"{order}{count_form}")
        size = struct.calcsize(f"{order}{entry_form}")
        data = file.read(min(count, _MAX_ENTRIES) * size)
        whole = data[: len(data) // size * size]
        entries = [Entry(*fields) for fields in struct.iter_unpack(f"{order}{entry_form}", whole)]
        rest = file.read(struct.calcsize(offset_form))
        offset = int.from_bytes(rest, "little" if order == "<" else "big")
    return order, entries


def has_declared_alpha(data: Path | bytes, page: int) -> bool:
    """Return True if a page declares its first extra band as alpha."""
    try:
        with data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as file:
            order, entries = read_directory(file, page)
    except (OSError, struct.error):
        return False
    value = next((entry.value for entry in entries if entry.tag == _EXTRA_SAMPLES), bytes(2))
    return struct.unpack(f"{order}H", value[:2])[0] in _ALPHA


def _read(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))
