"""Extracts the JPEG preview that a camera stores in its RAW files.

Layouts: TIFF/EP (ISO 12234-2), Adobe's DNG 1.7, and for the makers' own parts the documentation of
ExifTool and LibRaw. Nothing here decodes raw pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from desktop.imaging.conversion.jpeg import add_exif, has_exif, picture_size
from desktop.imaging.conversion.tiff import EXIF, Directory, Metadata, Tiff, TiffError
from desktop.imaging.decoding.decoder import Cancellation, read_header, read_preview
from desktop.imaging.decoding.errors import ImageError, damaged_file_error

MIN_PREVIEW_PX = 640
"""Minimum longer side of a preview in px. Smaller ones show too little for an inspection."""

_STRIPS, _STRIP_BYTES, _COMPRESSION, _PHOTOMETRIC = 0x111, 0x117, 0x103, 0x106
_JPEG, _JPEG_BYTES, _PANASONIC_JPEG = 0x201, 0x202, 0x2E
_JPEG_COMPRESSIONS = (6, 7)
_RAW_PIXELS = (32803, 34892)
"""Photometric interpretations of the pixels of a sensor."""

_MAKER_NOTE, _OLYMPUS_CAMERA, _OLYMPUS_PREVIEW, _OLYMPUS_PREVIEW_BYTES = 0x927C, 0x2020, 0x101, 0x102
_OLYMPUS = {b"OLYMPUS\0": 12, b"OM SYSTEM\0": 16}
"""The first bytes of a maker note, and the offset of its directory."""

_FUJI = b"FUJIFILMCCD-RAW"
_FUJI_PREVIEW = 84
_CANON = b"ftypcrx "
_CANON_METADATA = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
_TRACK = (b"mdia", b"minf", b"stbl")

Part = tuple[int, int]
"""The offset and the length of a part of the file, in bytes."""


def preview(data: bytes) -> bytes:
    """Extract the largest embedded JPEG of a RAW file, with the EXIF block of the camera.

    Raises ImageError when there is none of `MIN_PREVIEW_PX`, and when the file is damaged.
    """
    try:
        parts, metadata = _find_previews(data)
        jpeg, largest_area = b"", 0
        for start, size in parts:
            if start + size > len(data):
                raise damaged_file_error()
            part = data[start : start + size]
            width, height = picture_size(part) or (0, 0)
            if max(width, height) >= MIN_PREVIEW_PX and width * height > largest_area:
                jpeg, largest_area = part, width * height
    except (TiffError, struct.error) as error:
        raise damaged_file_error() from error
    if not jpeg:
        raise ImageError(
            QCoreApplication.translate(
                "imaging",
                "The preview in this RAW file is missing or too small. Save the photo as JPEG with "
                "the camera's software and add that file.",
            )
        )
    _check_jpeg(jpeg)
    return jpeg if metadata is None or has_exif(jpeg) else add_exif(jpeg, metadata.to_exif())


def _check_jpeg(jpeg: bytes) -> None:
    # For a small preview, decoding an eighth of the pixels reads the file to its end.
    try:
        read_preview(jpeg, read_header(jpeg), 64, Cancellation())
    except ImageError as error:
        raise damaged_file_error() from error


def _find_previews(data: bytes) -> tuple[Iterator[Part], Metadata | None]:
    """The parts of a RAW file that may be JPEG previews, and its metadata."""
    if data.startswith(_FUJI):
        return iter([struct.unpack_from(">II", data, _FUJI_PREVIEW)]), None
    if data[4:12] == _CANON:
        return _canon_previews(data)
    tiff = Tiff(data)
    return _tiff_previews(tiff), Metadata.from_tiff(tiff)


def _tiff_previews(tiff: Tiff) -> Iterator[Part]:
    directories = tiff.directories()
    for directory in directories:
        start, size = tiff.number(directory, _JPEG), tiff.number(directory, _JPEG_BYTES)
        if start and size:
            yield start, size
        panasonic_jpeg = directory.get(_PANASONIC_JPEG)
        if panasonic_jpeg is not None:
            yield panasonic_jpeg.start, len(panasonic_jpeg.value)
        starts, sizes = tiff.numbers(directory, _STRIPS), tiff.numbers(directory, _STRIP_BYTES)
        is_jpeg_data = tiff.number(directory, _COMPRESSION) in _JPEG_COMPRESSIONS
        if (
            is_jpeg_data
            and len(starts) == len(sizes) == 1
            and tiff.number(directory, _PHOTOMETRIC) not in _RAW_PIXELS
        ):
            yield starts[0], sizes[0]
    yield from _olympus_previews(tiff, directories)


def _olympus_previews(tiff: Tiff, directories: list[Directory]) -> Iterator[Part]:
    note = tiff.sub_directory(directories[0], EXIF).get(_MAKER_NOTE) if directories else None
    for beginning, offset in _OLYMPUS.items():
        if note is not None and note.value[: len(beginning)] == beginning:
            # Offsets count from the start of the note.
            camera = tiff.number(tiff.read(offset, note.start)[0], _OLYMPUS_CAMERA)
            settings = tiff.read(camera, note.start)[0] if camera else {}
            start, size = (tiff.number(settings, tag) for tag in (_OLYMPUS_PREVIEW, _OLYMPUS_PREVIEW_BYTES))
            if start and size:
                yield note.start + start, size


def _canon_previews(data: bytes) -> tuple[Iterator[Part], Metadata | None]:
    """The previews and the metadata of a CR3 file.

    The first sample of one of the tracks is a JPEG. The EXIF data is in three boxes.
    """
    movie = next(iter(_boxes(data).get(b"moov", [])), b"")
    parts: list[Part] = []
    for table in _boxes(movie).get(b"trak", []):
        for name in _TRACK:
            table = next(iter(_boxes(table).get(name, [])), b"")
        boxes = _boxes(table)
        sizes, starts = (next(iter(boxes.get(name, [])), b"") for name in (b"stsz", b"co64"))
        if sizes and starts:
            # The table has one size for all samples, or 0 and a size for each sample.
            size = struct.unpack_from(">I", sizes, 4)[0] or struct.unpack_from(">I", sizes, 12)[0]
            parts.append((struct.unpack_from(">Q", starts, 8)[0], size))
    metadata = [box[16:] for box in _boxes(movie).get(b"uuid", []) if box.startswith(_CANON_METADATA)]
    return iter(parts), _canon_metadata(metadata[0]) if metadata else None


def _canon_metadata(box: bytes) -> Metadata | None:
    parts = _boxes(box)
    blocks = [Tiff(parts[name][0]) if name in parts else None for name in (b"CMT1", b"CMT2", b"CMT4")]
    main_block = blocks[0]
    if main_block is None:
        return None
    metadata = [
        next(iter(block.directories()), {}) if block is not None and block.order == main_block.order else {}
        for block in blocks
    ]
    return Metadata(main_block.order, *metadata)


def _boxes(data: bytes) -> dict[bytes, list[bytes]]:
    """The contents of consecutive boxes (ISO/IEC 14496-12) by their type."""
    boxes: dict[bytes, list[bytes]] = {}
    offset = 0
    while offset + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, offset)
        head = 8
        if size == 1 and offset + 16 <= len(data):
            size, head = struct.unpack_from(">Q", data, offset + 8)[0], 16
        elif size == 0:
            size = len(data) - offset
        if size < head or offset + size > len(data):
            break
        boxes.setdefault(kind, []).append(data[offset + head : offset + size])
        offset += size
    return boxes
