"""Writes the memory of a region as bytes and reads it.

The format, all numbers little-endian:

| bytes | what |
|---|---|
| 4 | `WRM1` |
| 4 | length of the header, unsigned |
| n | header: JSON in UTF-8, keys sorted |
| rest | one zlib stream of int8: of each photo the appearances (height, width, 3), look and section |

The header has `version` (`messages.VERSION`), `region` [x, y, w, h] in px of the reference image, and
`photos`: each with `key`, `order`, `kind`, `faint` (boxes) and `appearances` (`box`, `size` [width,
height] of its values), `aligned`, and `look` and `section` ([rows, columns, channels], or null). The same
memory gives the same bytes.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any, Final

import numpy as np

from service.detection.messages import NEWEST, OLDEST, VERSION
from service.detection.reference_difference.variation.memory import (
    MAX_APPEARANCES,
    MAX_SIDE,
    Appearance,
    PhotoVariation,
    RegionMemory,
)
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind

_MAGIC: Final = b"WRM1"
_LENGTH: Final = struct.Struct("<4sI")
_MAX_HEADER: Final = 4_000_000
_MAX_LOOK: Final = 200_000
_MAX_PHOTO: Final = MAX_APPEARANCES * MAX_SIDE * MAX_SIDE * 3 + 2 * _MAX_LOOK
_MAX_VALUES: Final = len(MemoryKind) * (OLDEST + NEWEST) * _MAX_PHOTO


class MemoryUnreadable(ValueError):  # noqa: N818 - an answer, not a fault
    """The bytes are not a memory, or have another version: the memory must be rebuilt from the photos."""


def to_bytes(memory: RegionMemory) -> bytes:
    """The memory in the format of this module."""
    photos = [
        {
            "key": photo.key,
            "order": photo.order,
            "kind": str(photo.kind),
            "faint": [_numbers(box) for box in photo.faint],
            "aligned": photo.is_aligned,
            "look": None if photo.look is None else list(photo.look.shape),
            "section": None if photo.section is None else list(photo.section.shape),
            "appearances": [
                {
                    "box": _numbers(appearance.box),
                    "size": [appearance.values.shape[1], appearance.values.shape[0]],
                }
                for appearance in photo.appearances
            ],
        }
        for photo in memory.photos
    ]
    fields = {"version": VERSION, "region": _numbers(memory.region), "photos": photos}
    header = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    values = b"".join(
        array.tobytes()
        for photo in memory.photos
        for array in (
            *(appearance.values for appearance in photo.appearances),
            *(look for look in (photo.look, photo.section) if look is not None),
        )
    )
    return _LENGTH.pack(_MAGIC, len(header)) + header + zlib.compress(values, 1)


def from_bytes(data: bytes) -> RegionMemory:
    """The memory that `to_bytes` wrote. Raises MemoryUnreadable."""
    try:
        magic, length = _LENGTH.unpack_from(data)
        if magic != _MAGIC or length > _MAX_HEADER:
            raise MemoryUnreadable("not a memory")
        header = json.loads(data[_LENGTH.size : _LENGTH.size + length])
        if header["version"] != VERSION:
            raise MemoryUnreadable("another version")
        unpacked = zlib.decompressobj().decompress(data[_LENGTH.size + length :], _MAX_VALUES)
        return _memory(header, unpacked)
    except (struct.error, zlib.error, KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, MemoryUnreadable):
            raise
        raise MemoryUnreadable("not a memory") from error


def _memory(header: Any, values: bytes) -> RegionMemory:
    photos, at = [], 0
    for photo in header["photos"]:
        appearances = []
        for fields in photo["appearances"]:
            width, height = (int(side) for side in fields["size"])
            if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
                raise MemoryUnreadable("not a memory")
            count = width * height * 3
            appearance_values = np.frombuffer(values, np.int8, count, at).reshape(height, width, 3)
            appearances.append(Appearance(Rect(*map(float, fields["box"])), appearance_values))
            at += count
        looks = []
        for shape in (photo["look"], photo["section"]):
            rows, columns, channels = (int(size) for size in shape or (0, 0, 0))
            count = rows * columns * channels
            if shape is not None and (min(rows, columns, channels) <= 0 or count > _MAX_LOOK):
                raise MemoryUnreadable("not a memory")
            look = np.frombuffer(values, np.int8, count, at).reshape(rows, columns, channels)
            looks.append(None if shape is None else look)
            at += count
        faint = tuple(Rect(*map(float, box)) for box in photo["faint"])
        kind = MemoryKind(photo["kind"])
        photos.append(
            PhotoVariation(
                str(photo["key"]),
                float(photo["order"]),
                tuple(appearances),
                kind,
                faint,
                looks[0],
                looks[1],
                bool(photo["aligned"]),
            )
        )
    return RegionMemory(Rect(*map(float, header["region"])), tuple(photos))


def _numbers(box: Rect) -> list[float]:
    return [round(float(value), 3) for value in (box.x, box.y, box.w, box.h)]
