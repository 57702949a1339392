"""Decodes `faceInfo` to upright pixels, after checking format and size in the header.

A picture must be JPEG, PNG or WebP by its first bytes, with at most `MAX_BYTES` and, by its header, at most
`MAX_PIXELS`. It is never written to a disk.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from shared.limits import MAX_FACE_PICTURE_BYTES, MAX_FACE_PICTURE_PIXELS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pixels: TypeAlias = "NDArray[np.uint8]"

MAX_BYTES = MAX_FACE_PICTURE_BYTES
MAX_BASE64_LENGTH = MAX_BYTES * 4 // 3 + 4096
MAX_PIXELS = MAX_FACE_PICTURE_PIXELS
MIN_SIDE = 64
# Progressive JPEGs decode once per scan; encoders write about ten.
MAX_SCANS = 64
# A picture whose longer side is twice this is decoded at a reduced size, which is enough for a face.
ENOUGH_SIDE = 1600

_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]{1,40}(?:;[^;,]{0,80}){0,4};base64,", re.IGNORECASE)
_LINE_BREAKS = str.maketrans("", "", "\r\n\t ")


class PictureFault(StrEnum):
    """Why a picture was refused."""

    NOT_BASE64 = "not_base64"
    TOO_LARGE = "too_large"
    FORMAT = "format"
    TOO_MANY_PIXELS = "too_many_pixels"
    TOO_SMALL = "too_small"
    DAMAGED = "damaged"


class BadPicture(ValueError):  # noqa: N818 - says what is bad
    """Raised for a picture that is refused; `fault` is the reason. Contains nothing of the picture."""

    def __init__(self, fault: PictureFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a picture: format, stored size in px, EXIF orientation 1..8."""

    format: str
    width: int
    height: int
    orientation: int = 1


def picture_bytes(face_info: str) -> bytes:
    """Decode a raw Base64 text or a ``data:image/...;base64,`` URL to bytes.

    Raises BadPicture: NOT_BASE64, TOO_LARGE.
    """
    if len(face_info) > MAX_BASE64_LENGTH:
        raise BadPicture(PictureFault.TOO_LARGE)
    match = _DATA_URL.match(face_info)
    text = face_info[match.end() :] if match else face_info
    text = text.translate(_LINE_BREAKS)
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise BadPicture(PictureFault.NOT_BASE64) from None
    if len(data) > MAX_BYTES:
        raise BadPicture(PictureFault.TOO_LARGE)
    return data


def read_header(data: bytes) -> Header:
    """Read format, size and orientation from the header, and check that the file is complete.

    Raises BadPicture: FORMAT, DAMAGED.
    """
    try:
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg(data)
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return _png(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
    except (struct.error, IndexError):
        raise BadPicture(PictureFault.DAMAGED) from None
    raise BadPicture(PictureFault.FORMAT)


def decode(data: bytes) -> Pixels:
    """Decode the upright picture, uint8 (height, width, 3) in BGR.

    A picture whose longer side exceeds 2 x `ENOUGH_SIDE` is reduced to about that size. Raises BadPicture.
    """
    if len(data) > MAX_BYTES:
        raise BadPicture(PictureFault.TOO_LARGE)
    header = read_header(data)
    if header.width * header.height > MAX_PIXELS:
        raise BadPicture(PictureFault.TOO_MANY_PIXELS)
    if min(header.width, header.height) < MIN_SIDE:
        raise BadPicture(PictureFault.TOO_SMALL)
    longer = max(header.width, header.height)
    if longer > 2 * ENOUGH_SIDE and header.format != "jpeg":
        return _upright(_decode_reduced(data), header.orientation)
    # Only the face process decodes. The service imports the errors; it saves the 10 MB that OpenCV takes, and
    # starts sooner without NumPy.
    import numpy as np

    from shared.images.cv import cv2

    flag = cv2.IMREAD_COLOR
    if longer >= 4 * ENOUGH_SIDE:
        flag = cv2.IMREAD_REDUCED_COLOR_4
    elif longer >= 2 * ENOUGH_SIDE:
        flag = cv2.IMREAD_REDUCED_COLOR_2
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flag | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        image = None
    if image is None:
        raise BadPicture(PictureFault.DAMAGED)
    return _upright(image, header.orientation)


def _decode_reduced(data: bytes) -> Pixels:
    # OpenCV needs 290 MB for a PNG or WebP of 50 MP; libvips reduces it while reading and needs 70 to 130 MB.
    import pyvips

    # Disables loaders that libvips marks as unsafe for foreign files, and its cache, which would keep pixels.
    pyvips.block_untrusted_set(True)
    pyvips.cache_set_max(0)
    side = 2 * ENOUGH_SIDE
    try:
        small = pyvips.Image.thumbnail_buffer(data, side, height=side, size="down", no_rotate=True)
        if small.hasalpha():
            small = small.flatten()
        rgb: Pixels = small.colourspace("srgb").numpy()
    except pyvips.Error:
        raise BadPicture(PictureFault.DAMAGED) from None
    return rgb[:, :, ::-1].copy()


def _upright(image: Pixels, orientation: int) -> Pixels:
    # EXIF 2.32, tag 0x0112: the sides of the stored picture that are the upright row 0 and column 0.
    rotate = {
        2: lambda: image[:, ::-1],
        3: lambda: image[::-1, ::-1],
        4: lambda: image[::-1],
        5: lambda: image.transpose(1, 0, 2),
        6: lambda: image.transpose(1, 0, 2)[:, ::-1],
        7: lambda: image.transpose(1, 0, 2)[::-1, ::-1],
        8: lambda: image.transpose(1, 0, 2)[::-1],
    }.get(orientation)
    return rotate().copy() if rotate else image


def _jpeg(data: bytes) -> Header:
    position, orientation, size = 2, 1, (0, 0)
    while True:
        if data[position] != 0xFF:
            raise BadPicture(PictureFault.DAMAGED)
        while data[position] == 0xFF:
            position += 1
        marker = data[position]
        position += 1
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            continue
        if marker == 0xD9:
            raise BadPicture(PictureFault.DAMAGED)
        (length,) = struct.unpack_from(">H", data, position)
        if length < 2:
            raise BadPicture(PictureFault.DAMAGED)
        if marker == 0xE1 and data[position + 2 : position + 8] == b"Exif\0\0":
            orientation = _exif_orientation(data[position + 8 : position + length])
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, position + 3)
            size = (width, height)
        elif marker == 0xDA:
            break
        position += length
    # A truncated picture has no end marker after its data; OpenCV would fill the rest with grey.
    is_complete = data.rfind(b"\xff\xd9") > position
    if 0 in size or not is_complete or data.count(b"\xff\xda", position) > MAX_SCANS:
        raise BadPicture(PictureFault.DAMAGED)
    return Header("jpeg", *size, orientation)


def _png(data: bytes) -> Header:
    width = height = 0
    orientation, has_pixels, has_end = 1, False, False
    for kind, start, length in _chunks(data, 8, ">I4s", size_first=True, trailer=4, pad_to_even=False):
        if kind == b"IHDR":
            width, height = struct.unpack_from(">II", data, start)
        elif kind == b"eXIf":
            orientation = _exif_orientation(data[start : start + length])
        elif kind == b"IDAT":
            has_pixels = True
        elif kind == b"IEND":
            has_end = True
            break
    if not (width and height and has_pixels and has_end):
        raise BadPicture(PictureFault.DAMAGED)
    return Header("png", width, height, orientation)


def _webp(data: bytes) -> Header:
    (riff,) = struct.unpack_from("<I", data, 4)
    if riff + 8 > len(data) + 1:
        raise BadPicture(PictureFault.DAMAGED)
    width = height = 0
    orientation = 1
    for kind, start, length in _chunks(data, 12, "<4sI", size_first=False, trailer=0, pad_to_even=True):
        if kind == b"VP8X":
            width = 1 + int.from_bytes(data[start + 4 : start + 7], "little")
            height = 1 + int.from_bytes(data[start + 7 : start + 10], "little")
        elif kind == b"VP8 ":
            # RFC 6386, 9.1: 14 bits each behind a 3-byte tag and the start code.
            dimensions = struct.unpack_from("<HH", data, start + 6)
            width, height = max(width, dimensions[0] & 0x3FFF), max(height, dimensions[1] & 0x3FFF)
        elif kind == b"VP8L":
            (bits,) = struct.unpack_from("<I", data, start + 1)
            width, height = max(width, 1 + (bits & 0x3FFF)), max(height, 1 + (bits >> 14 & 0x3FFF))
        elif kind == b"EXIF":
            raw = data[start : start + length]
            orientation = _exif_orientation(raw.removeprefix(b"Exif\0\0"))
    if not (width and height):
        raise BadPicture(PictureFault.DAMAGED)
    return Header("webp", width, height, orientation)


def _chunks(
    data: bytes, position: int, layout: str, *, size_first: bool, trailer: int, pad_to_even: bool
) -> Iterator[tuple[bytes, int, int]]:
    # Yields the chunks of PNG and RIFF as (kind, start of the content, length); a truncated chunk is a fault.
    while position + 8 <= len(data):
        first, second = struct.unpack_from(layout, data, position)
        length, kind = (first, second) if size_first else (second, first)
        if position + 8 + length + trailer > len(data):
            raise BadPicture(PictureFault.DAMAGED)
        yield kind, position + 8, length
        position += 8 + length + trailer + (length & 1 if pad_to_even else 0)


def _exif_orientation(tiff: bytes) -> int:
    # TIFF 6.0: byte order, offset of the first directory, entries of 12 bytes. Broken EXIF counts as none.
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return 1
    try:
        (directory,) = struct.unpack_from(order + "I", tiff, 4)
        (count,) = struct.unpack_from(order + "H", tiff, directory)
        for index in range(count):
            tag, kind, _, value = struct.unpack_from(order + "HHIH", tiff, directory + 2 + 12 * index)
            if tag == 0x0112 and kind == 3:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1
