"""The one list of picture formats that the service stores, detection reads and the desktop opens."""

from __future__ import annotations

from typing import Final

ENDINGS: Final = {
    "image/jpeg": (".jpg", ".jpeg", ".jfif"),
    "image/png": (".png",),
    "image/webp": (".webp",),
    "image/tiff": (".tif", ".tiff"),
    "image/bmp": (".bmp",),
}
"""MIME type -> endings of file names, the usual one first."""
IMAGE_TYPES: Final = frozenset(ENDINGS)
SUFFIXES: Final = tuple(ending for endings in ENDINGS.values() for ending in endings)

HEAD_BYTES: Final = 16
"""The first bytes of a file, which `picture_type` needs."""

# First bytes -> type. Sources: the specifications of the formats.
_MAGIC: Final = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
)
# Two letters are not enough to recognise a bitmap, so the size of its header must be valid as well.
_BMP_HEADERS: Final = frozenset(size.to_bytes(2, "little") for size in (12, 40, 56, 64, 108, 124))

# HEIF (ISO/IEC 23008-12), AVIF and Canon's CR3 are in the same container.
_HEIF_BRANDS: Final = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_PICTURE_BRANDS: Final = frozenset((*_HEIF_BRANDS, b"avif", b"avis", b"crx "))
_OLD_QUICKTIME: Final = (b"moov", b"mdat", b"wide", b"free", b"skip")


def picture_type(head: bytes) -> str | None:
    """Return the MIME type of a picture by its first `HEAD_BYTES`; None for any other file."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[:2] == b"BM" and head[14:16] in _BMP_HEADERS:
        return "image/bmp"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def film_type(head: bytes) -> str | None:
    """Return the MIME type of a film in AVI, MP4 or MOV by its first `HEAD_BYTES`; None for any other file.

    Source: the first atom of a file, ISO/IEC 14496-12 and Apple's QuickTime file format.
    """
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return "video/x-msvideo"
    if head[4:8] == b"ftyp" and head[8:12] not in _PICTURE_BRANDS:
        return "video/quicktime" if head[8:12] == b"qt  " else "video/mp4"
    return "video/quicktime" if head[4:8] in _OLD_QUICKTIME else None


def is_heif(head: bytes) -> bool:
    """Return True for the first `HEAD_BYTES` of a HEIC photo."""
    return head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS


def is_picture_name(name: str, suffixes: tuple[str, ...] = SUFFIXES) -> bool:
    """Return True for the name of a picture. `._IMG.JPG` is none: macOS keeps attributes of IMG.JPG in it."""
    return name.lower().endswith(suffixes) and not name.startswith("._")
