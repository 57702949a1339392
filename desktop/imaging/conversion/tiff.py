"""Reads the directories of TIFF files, which RAW files and EXIF blocks are (TIFF 6.0, EXIF 2.32)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TYPE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_NUMBERS = {1: "B", 3: "H", 4: "I", 13: "I"}
# TIFF, Panasonic, and two of Olympus.
_MAGIC = {42, 0x55, 0x4F52, 0x5352}
_MAX_DIRECTORIES = 64
_MAX_ENTRIES = 1_000
_MAX_NUMBERS = 64

SUB_DIRECTORIES, ORIENTATION, EXIF, GPS = 0x14A, 0x112, 0x8769, 0x8825

_SHORT, _LONG = 3, 4
# Description, maker, model, orientation, software, time, author, copyright.
_IMAGE_TAGS = {0x10E, 0x10F, 0x110, ORIENTATION, 0x131, 0x132, 0x13B, 0x8298}
# Exposure, sensitivity, times and their zones, flash, focal length, white balance, lens, serial numbers.
_PHOTO_TAGS = {
    *(0x829A, 0x829D, 0x8822, 0x8827, 0x8830, 0x8831, 0x8832, 0x9000, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012),
    *(0x9201, 0x9202, 0x9204, 0x9205, 0x9206, 0x9207, 0x9208, 0x9209, 0x920A, 0x9290, 0x9291, 0x9292),
    *(0xA402, 0xA403, 0xA405, 0xA431, 0xA432, 0xA433, 0xA434, 0xA435),
}
_PLACE_TAGS = set(range(0x20))
_MAX_VALUE_BYTES = 1_024


class TiffError(ValueError):
    """The bytes are not a TIFF file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value with its TIFF type and count, and its bytes in the byte order of the file."""

    kind: int
    count: int
    value: bytes | memoryview
    start: int = 0
    """The offset of the value in the file."""


Directory = Mapping[int, Entry]
"""Entries by their tag."""


class Tiff:
    """A TIFF file in memory. Entries with values outside the file are left out."""

    def __init__(self, data: bytes) -> None:
        """Read the header. Raises TiffError when `data` is not a TIFF file."""
        self.order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
        if not self.order or len(data) < 8:
            raise TiffError
        magic, self._first_offset = struct.unpack_from(f"{self.order}HI", data, 2)
        if magic not in _MAGIC:
            raise TiffError
        self._data = memoryview(data)

    def directories(self) -> list[Directory]:
        """The directories of the chain, each followed by its subdirectories."""
        directories: list[Directory] = []
        queue, offsets = [self._first_offset], set[int]()
        while queue and len(directories) < _MAX_DIRECTORIES:
            offset = queue.pop(0)
            if not offset or offset in offsets:
                continue
            offsets.add(offset)
            directory, next_offsets = self.read(offset)
            directories.append(directory)
            queue = [*self.numbers(directory, SUB_DIRECTORIES), *next_offsets, *queue]
        return directories

    def sub_directory(self, directory: Directory, tag: int) -> Directory:
        """The directory that an entry points to; empty if the entry is missing."""
        offset = self.number(directory, tag)
        return self.read(offset)[0] if offset else {}

    def read(self, offset: int, base: int = 0) -> tuple[Directory, list[int]]:
        """Read the directory at `offset`, and the offset of the next one. All offsets are relative to
        `base`."""
        data, offset = self._data, base + offset
        if offset + 2 > len(data):
            return {}, []
        count = struct.unpack_from(f"{self.order}H", data, offset)[0]
        if count > _MAX_ENTRIES or offset + 2 + 12 * count > len(data):
            return {}, []
        entries: dict[int, Entry] = {}
        for place in range(offset + 2, offset + 2 + 12 * count, 12):
            tag, kind, number = struct.unpack_from(f"{self.order}HHI", data, place)
            size = _TYPE_BYTES.get(kind, 0) * number
            start = place + 8
            if size > 4:
                start = base + struct.unpack_from(f"{self.order}I", data, start)[0]
            if size and start + size <= len(data):
                entries[tag] = Entry(kind, number, data[start : start + size], start)
        end = offset + 2 + 12 * count
        return entries, list(struct.unpack_from(f"{self.order}I", data, end)) if end + 4 <= len(data) else []

    def numbers(self, directory: Directory, tag: int) -> tuple[int, ...]:
        """The integers of an entry, at most `_MAX_NUMBERS`; () if it is missing or has another type."""
        entry = directory.get(tag)
        if entry is None or entry.kind not in _NUMBERS:
            return ()
        count = min(entry.count, _MAX_NUMBERS)
        return struct.unpack_from(f"{self.order}{count}{_NUMBERS[entry.kind]}", entry.value)

    def number(self, directory: Directory, tag: int) -> int | None:
        """The first integer of an entry; None if it is missing or has another type."""
        return next(iter(self.numbers(directory, tag)), None)


@dataclass(frozen=True, slots=True)
class Metadata:
    """The EXIF directories of a photo. `order` is the byte order, as in the module struct."""

    order: str
    image: Directory
    photo: Directory
    place: Directory

    @classmethod
    def from_tiff(cls, tiff: Tiff) -> Metadata:
        """The metadata of the first directory of a file."""
        image = next(iter(tiff.directories()), {})
        return cls(tiff.order, image, tiff.sub_directory(image, EXIF), tiff.sub_directory(image, GPS))

    def to_exif(self, orientation: int | None = None) -> bytes:
        """Encode an EXIF block with time, camera, exposure, place and orientation.

        `orientation` replaces the orientation of the photo.
        """
        image = dict(_entries_with(self.image, _IMAGE_TAGS))
        if orientation is not None:
            image[ORIENTATION] = self._number("H", _SHORT, orientation)
        photo, place = (
            dict(_entries_with(self.photo, _PHOTO_TAGS)),
            dict(_entries_with(self.place, _PLACE_TAGS)),
        )
        pointers = {tag: content for tag, content in ((EXIF, photo), (GPS, place)) if content}
        # The pointers take part in the layout before their values are known.
        image |= {tag: self._number("I", _LONG, 0) for tag in pointers}
        offset = 8 + len(self._directory(image, 8))
        sub_directories = b""
        for tag, directory in pointers.items():
            image[tag] = self._number("I", _LONG, offset)
            part = self._directory(directory, offset)
            sub_directories += part
            offset += len(part)
        head = (b"II" if self.order == "<" else b"MM") + struct.pack(f"{self.order}HI", 42, 8)
        return head + self._directory(image, 8) + sub_directories

    def _number(self, code: str, kind: int, value: int) -> Entry:
        return Entry(kind, 1, struct.pack(f"{self.order}{code}", value))

    def _directory(self, directory: Directory, offset: int) -> bytes:
        """Encode a directory at `offset`, followed by its longer values."""
        values_offset = offset + 2 + 12 * len(directory) + 4
        entries, values = struct.pack(f"{self.order}H", len(directory)), b""
        for tag, entry in sorted(directory.items()):
            entries += struct.pack(f"{self.order}HHI", tag, entry.kind, entry.count)
            if len(entry.value) <= 4:
                entries += bytes(entry.value).ljust(4, b"\0")
            else:
                entries += struct.pack(f"{self.order}I", values_offset + len(values))
                values += bytes(entry.value) + b"\0" * (len(entry.value) % 2)
        return entries + b"\0\0\0\0" + values


def _entries_with(directory: Directory, tags: set[int]) -> Iterator[tuple[int, Entry]]:
    return (
        (tag, entry)
        for tag, entry in directory.items()
        if tag in tags and len(entry.value) <= _MAX_VALUE_BYTES
    )
