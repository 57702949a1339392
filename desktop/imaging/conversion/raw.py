"""Extracts the JPEG preview that a camera stores in its RAW files.

Layouts: TIFF/EP (ISO 12234-2), Adobe's DNG 1.7, and for the makers' own parts the documentation of
ExifTool and LibRaw. Nothing here decodes raw pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from desktop.imaging.conversion.errors import damaged
from desktop.imaging.conversion.jpeg import has_exif, picture_size, with_exif
from desktop.imaging.conversion.tiff import EXIF, Directory, Metadata, Tiff, TiffError
from desktop.imaging.decoding.decoder import Cancellation, read_header, read_preview
from desktop.imaging.decoding.errors import ImageError

SMALLEST_PX = 640
"""Longer side of a preview that is taken; smaller ones show too little to be judged."""

_STRIPS, _STRIP_BYTES, _COMPRESSION, _PHOTOMETRIC = 0x111, 0x117, 0x103, 0x106
_JPEG, _JPEG_BYTES, _PANASONIC_JPEG = 0x201, 0x202, 0x2E
_JPEG_COMPRESSIONS = (6, 7)
_RAW_PIXELS = (32803, 34892)
"""Photometric interpretations of the pixels of a sensor."""

_MAKER_NOTE, _OLYMPUS_CAMERA, _OLYMPUS_PREVIEW, _OLYMPUS_PREVIEW_BYTES = 0x927C, 0x2020, 0x101, 0x102
_OLYMPUS = {b"OLYMPUS\0": 12, b"OM SYSTEM\0": 16}
"""How a maker note begins, and where its directory is."""

_FUJI = b"FUJIFILMCCD-RAW"
_FUJI_PREVIEW = 84
_CANON = b"ftypcrx "
_CANON_METADATA = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
_TRACK = (b"mdia", b"minf", b"stbl")

Part = tuple[int, int]
"""Where something is in the file, and how many bytes it has."""


def preview(data: bytes) -> bytes:
    """The largest embedded JPEG of a RAW file, with an EXIF block of the camera.

    Raises ImageError when there is none of `SMALLEST_PX`, and when the file is damaged.
    """
    try:
        parts, metadata = _parts(data)
        jpeg, most = b"", 0
        for start, size in parts:
            if start + size > len(data):
                raise damaged()
            part = data[start : start + size]
            width, height = picture_size(part) or (0, 0)
            if max(width, height) >= SMALLEST_PX and width * height > most:
                jpeg, most = part, width * height
    except (TiffError, struct.error) as error:
        raise damaged() from error
    if not jpeg:
        raise ImageError(
            QCoreApplication.translate(
                "imaging",
                "The preview in this RAW file is missing or too small. Save the photo as JPEG with "
                "the camera's software and add that file.",
            )
        )
    _refuse_damaged(jpeg)
    return jpeg if metadata is None or has_exif(jpeg) else with_exif(jpeg, metadata.written())


def _refuse_damaged(jpeg: bytes) -> None:
    # Small, so that an eighth of the pixels suffices to read the file to its end.
    try:
        read_preview(jpeg, read_header(jpeg), 64, Cancellation())
    except ImageError as error:
        raise damaged() from error


def _parts(data: bytes) -> tuple[Iterator[Part], Metadata | None]:
    """Where JPEG files may be in a RAW file, and what the file says of the photo apart from them."""
    if data.startswith(_FUJI):
        return iter([struct.unpack_from(">II", data, _FUJI_PREVIEW)]), None
    if data[4:12] == _CANON:
        return _of_canon(data)
    tiff = Tiff(data)
    return _of_tiff(tiff), Metadata.of(tiff)


def _of_tiff(tiff: Tiff) -> Iterator[Part]:
    directories = tiff.directories()
    for directory in directories:
        start, size = tiff.number(directory, _JPEG), tiff.number(directory, _JPEG_BYTES)
        if start and size:
            yield start, size
        whole = directory.get(_PANASONIC_JPEG)
        if whole is not None:
            yield whole.start, len(whole.value)
        starts, sizes = tiff.numbers(directory, _STRIPS), tiff.numbers(directory, _STRIP_BYTES)
        encoded = tiff.number(directory, _COMPRESSION) in _JPEG_COMPRESSIONS
        if (
            encoded
            and len(starts) == len(sizes) == 1
            and tiff.number(directory, _PHOTOMETRIC) not in _RAW_PIXELS
        ):
            yield starts[0], sizes[0]
    yield from _of_olympus(tiff, directories)


def _of_olympus(tiff: Tiff, directories: list[Directory]) -> Iterator[Part]:
    note = tiff.below(directories[0], EXIF).get(_MAKER_NOTE) if directories else None
    for beginning, offset in _OLYMPUS.items():
        if note is not None and note.value[: len(beginning)] == beginning:
            # Offsets count from the start of the note.
            camera = tiff.number(tiff.read(offset, note.start)[0], _OLYMPUS_CAMERA)
            settings = tiff.read(camera, note.start)[0] if camera else {}
            start, size = (tiff.number(settings, tag) for tag in (_OLYMPUS_PREVIEW, _OLYMPUS_PREVIEW_BYTES))
            if start and size:
                yield note.start + start, size


def _of_canon(data: bytes) -> tuple[Iterator[Part], Metadata | None]:
    """A CR3 file: the first sample of each track, one of which is a JPEG, and its EXIF in three boxes."""
    film = next(iter(_boxes(data).get(b"moov", [])), b"")
    parts: list[Part] = []
    for table in _boxes(film).get(b"trak", []):
        for name in _TRACK:
            table = next(iter(_boxes(table).get(name, [])), b"")
        boxes = _boxes(table)
        sizes, starts = (next(iter(boxes.get(name, [])), b"") for name in (b"stsz", b"co64"))
        if sizes and starts:
            # One size for all samples, or 0 and a size for each.
            size = struct.unpack_from(">I", sizes, 4)[0] or struct.unpack_from(">I", sizes, 12)[0]
            parts.append((struct.unpack_from(">Q", starts, 8)[0], size))
    metadata = [box[16:] for box in _boxes(film).get(b"uuid", []) if box.startswith(_CANON_METADATA)]
    return iter(parts), _canon_metadata(metadata[0]) if metadata else None


def _canon_metadata(box: bytes) -> Metadata | None:
    parts = _boxes(box)
    blocks = [Tiff(parts[name][0]) if name in parts else None for name in (b"CMT1", b"CMT2", b"CMT4")]
    first = blocks[0]
    if first is None:
        return None
    metadata = [
        next(iter(block.directories()), {}) if block is not None and block.order == first.order else {}
        for block in blocks
    ]
    return Metadata(first.order, *metadata)


def _boxes(data: bytes) -> dict[bytes, list[bytes]]:
    """The contents of the boxes side by side (ISO/IEC 14496-12), by their type."""
    boxes: dict[bytes, list[bytes]] = {}
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        head = 8
        if size == 1 and at + 16 <= len(data):
            size, head = struct.unpack_from(">Q", data, at + 8)[0], 16
        elif size == 0:
            size = len(data) - at
        if size < head or at + size > len(data):
            break
        boxes.setdefault(kind, []).append(data[at + head : at + size])
        at += size
    return boxes
