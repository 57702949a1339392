"""HEIC and RAW files made on the spot."""

from __future__ import annotations

import ctypes
import io
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from desktop.imaging.conversion.heif import LIBRARY
from tests.pictures import Array

WHEN, MAKER, MODEL = "2026:03:04 05:06:07", "Walkaround", "Camera 7"
_POINTER = ctypes.c_void_p


class _Error(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int), ("subcode", ctypes.c_int), ("message", ctypes.c_char_p))


def scene(width: int, height: int) -> Array:
    """Red at the top left, green at the top right, blue at the bottom left, white at the bottom right."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[: height // 2, : width // 2] = (220, 20, 20)
    picture[: height // 2, width // 2 :] = (20, 200, 20)
    picture[height // 2 :, : width // 2] = (20, 20, 220)
    picture[height // 2 :, width // 2 :] = (240, 240, 240)
    return picture


def jpeg(pixels: Array, exif: bytes = b"") -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=95, exif=exif)
    return out.getvalue()


def exif_block(orientation: int) -> bytes:
    """`Exif`, and a TIFF file with maker, model, orientation and time."""
    exif = Image.Exif()
    exif[0x10F], exif[0x110], exif[0x112] = MAKER, MODEL, orientation
    exif.get_ifd(0x8769)[0x9003] = WHEN
    return exif.tobytes()


def heic(path: Path, pixels: Array, orientation: int = 1, icc: bytes = b"") -> Path:
    """A HEIC file by the encoder of the system's libheif; skips the test where there is none.

    `pixels` (height, width, 3 or 4): red, green, blue and alpha.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        pytest.skip("this computer has no libheif")
    if not library.heif_have_encoder_for_format(1):
        pytest.skip("libheif has no encoder for HEVC here")

    def call(name: str, *arguments: object) -> None:
        function = getattr(library, name)
        function.restype = _Error
        error = function(*arguments)
        assert error.code == 0, f"{name}: {error.message}"

    library.heif_context_alloc.restype = _POINTER
    library.heif_image_get_plane.restype = _POINTER
    height, width, bands = pixels.shape
    # heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA
    chroma = 10 if bands == 3 else 11
    context, encoder, image, handle = _POINTER(library.heif_context_alloc()), *(_POINTER() for _ in range(3))
    call("heif_context_get_encoder_for_format", context, 1, ctypes.byref(encoder))
    call("heif_encoder_set_lossy_quality", encoder, 90)
    call("heif_image_create", width, height, 1, chroma, ctypes.byref(image))
    call("heif_image_add_plane", image, 10, width, height, 8)
    if icc:
        call("heif_image_set_raw_color_profile", image, b"prof", icc, ctypes.c_size_t(len(icc)))
    stride = ctypes.c_int()
    plane = library.heif_image_get_plane(image, 10, ctypes.byref(stride))
    for row, line in enumerate(pixels):
        ctypes.memmove(plane + row * stride.value, line.tobytes(), bands * width)
    call("heif_context_encode_image", context, image, encoder, None, ctypes.byref(handle))
    exif = exif_block(orientation)
    call("heif_context_add_exif_metadata", context, handle, exif, len(exif))
    call("heif_context_write_to_file", context, str(path).encode())
    library.heif_image_handle_release(handle)
    library.heif_image_release(image)
    library.heif_encoder_release(encoder)
    library.heif_context_free(context)
    return path


# --- RAW ----------------------------------------------------------------------------------------------

Value = int | str | bytes | Sequence[int]


def raw(
    preview: bytes, orientation: int = 1, order: str = "<", *, small: bytes = b"", **more: Value
) -> bytes:
    """A TIFF as Nikon and Adobe lay out: maker, model and time in the first directory, with sensor pixels;
    `small` as its thumbnail and `preview` in a directory below. `more` is put into the latter.
    """
    exif: dict[int, Value] = {0x9003: WHEN, 0x8827: [400]}
    below: dict[int, Value] = {0xFE: [1], 0x103: [6], 0x201: 0, 0x202: len(preview)}
    below |= {int(tag.removeprefix("tag"), 16): value for tag, value in more.items()}
    first: dict[int, Value] = {
        0x10F: MAKER,
        0x110: MODEL,
        0x112: [orientation],
        0x132: WHEN,
        0x14A: 0,
        0x8769: 0,
    }
    first |= {0x201: 0, 0x202: len(small)} if small else {}
    at = 8
    sizes = [len(directory(each, 0, order)) for each in (first, exif, below)]
    exif_at, below_at = at + sizes[0], at + sizes[0] + sizes[1]
    small_at = below_at + sizes[2]
    first |= {0x14A: below_at, 0x8769: exif_at} | ({0x201: small_at} if small else {})
    if 0x201 in below:
        below[0x201] = small_at + len(small)
    head = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", 42, 8)
    return (
        head
        + directory(first, at, order)
        + directory(exif, exif_at, order)
        + directory(below, below_at, order)
        + small
        + preview
    )


def directory(entries: Mapping[int, Value], at: int, order: str = "<", base: int = 0) -> bytes:
    """A directory of TIFF at `at`: text, bytes, a long, or a list of shorts."""
    table, values = struct.pack(f"{order}H", len(entries)), b""
    values_at = at + 2 + 12 * len(entries) + 4 - base
    for tag, value in sorted(entries.items()):
        if isinstance(value, str):
            kind, count, held = 2, len(value) + 1, value.encode() + b"\0"
        elif isinstance(value, bytes):
            kind, count, held = 7, len(value), value
        elif isinstance(value, int):
            kind, count, held = 4, 1, struct.pack(f"{order}I", value)
        else:
            kind, count, held = 3, len(value), struct.pack(f"{order}{len(value)}H", *value)
        table += struct.pack(f"{order}HHI", tag, kind, count)
        if len(held) > 4:
            table += struct.pack(f"{order}I", values_at + len(values))
            values += held + b"\0" * (len(held) % 2)
        else:
            table += held.ljust(4, b"\0")
    return table + bytes(4) + values


def tiff(entries: Mapping[int, Value]) -> bytes:
    """A TIFF file of one directory."""
    return b"II" + struct.pack("<HI", 42, 8) + directory(entries, 8)


def fuji(preview: bytes) -> bytes:
    """A RAF file: a head that says where the JPEG is."""
    head = b"FUJIFILMCCD-RAW 0201".ljust(84, b"\0") + struct.pack(">II", 160, len(preview))
    return head.ljust(160, b"\0") + preview + bytes(1000)


def panasonic(preview: bytes) -> bytes:
    """An RW2 file: the whole JPEG is the value of an entry."""
    return b"II" + struct.pack("<HI", 0x55, 8) + directory({0x2E: preview, 0x10F: MAKER}, 8)


def olympus(preview: bytes) -> bytes:
    """An ORF file: the maker note says where the JPEG is, counted from its own start."""
    camera_at = 12 + 2 + 12 + 4
    settings: dict[int, Value] = {0x101: 0, 0x102: len(preview)}
    settings[0x101] = camera_at + len(directory(settings, 0))
    note = (
        b"OLYMPUS\0II\x03\0" + directory({0x2020: camera_at}, 12) + directory(settings, camera_at) + preview
    )
    exif_at = 8 + len(directory({0x10F: MAKER, 0x8769: 0}, 8))
    first = directory({0x10F: MAKER, 0x8769: exif_at}, 8)
    return b"IIRO" + struct.pack("<I", 8) + first + directory({0x9003: WHEN, 0x927C: note}, exif_at)


def canon(preview: bytes, orientation: int) -> bytes:
    """A CR3 file: boxes as in films, the first track is the JPEG, the second one has sensor pixels."""
    metadata = box(b"CMT1", tiff({0x10F: MAKER, 0x110: MODEL, 0x112: [orientation]}))
    metadata += box(b"CMT2", tiff({0x9003: WHEN}))
    uuid = box(b"uuid", bytes.fromhex("85c0b687820f11e08111f4ce462b6a48") + metadata)
    pixels = bytes(3000)

    def track(start: int, size: int) -> bytes:
        table = box(b"stsz", struct.pack(">III", 0, size, 1)) + box(b"co64", struct.pack(">IIQ", 0, 1, start))
        return box(b"trak", box(b"tkhd", b"") + box(b"mdia", box(b"minf", box(b"stbl", table))))

    head = box(b"ftyp", b"crx \0\0\0\1crx isom")
    before = len(head) + len(box(b"moov", uuid + track(0, 0) + track(0, 0))) + 8
    film = box(b"moov", uuid + track(before, len(preview)) + track(before + len(preview), len(pixels)))
    return head + film + box(b"mdat", preview + pixels)


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content
