"""Converts HEIC and RAW photos to JPEG files for the upload."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from desktop.imaging.conversion import heif, raw
from desktop.imaging.conversion.jpeg import is_jpeg, with_comment
from desktop.imaging.decoding.errors import ImageError

HEIF = (".heic", ".heif", ".hif")
RAW = (".arw", ".cr2", ".cr3", ".dng", ".nef", ".nrw", ".orf", ".pef", ".raf", ".rw2", ".srw")
CONVERTED = (*HEIF, *RAW)
"""The ends of the names of files that are converted, in lower case."""

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", *CONVERTED)
"""The ends of the names of the picture files that become photos or reference images, in lower case."""

MAX_BYTES = 512 * 2**20
"""A larger file is refused: it is held in memory while it is converted."""

_converting = threading.Lock()


class PreparedUpload(NamedTuple):
    """What to upload, and the name to give it."""

    source: Path | bytes
    name: str


def for_upload(source: Path | bytes, name: str = "") -> PreparedUpload:
    """The file as the service takes it: HEIC and RAW files as JPEG, everything else as it is.

    HEIC is decoded and encoded with quality 95. Of a RAW file it is the largest embedded JPEG, not encoded
    again. Time, camera, exposure, place and orientation stay in the EXIF block; a comment names the original
    and its SHA-256, and the name is that of the original with `.jpg` appended. One file is converted at a
    time. Not for the GUI thread. Raises ImageError, OSError.
    """
    if isinstance(source, bytes):
        return PreparedUpload(source, name)
    name = name or source.name
    ending = source.suffix.lower()
    if ending not in CONVERTED:
        return PreparedUpload(source, name)
    with _converting:
        return PreparedUpload(_converted(source, ending), f"{name}.jpg")


def _converted(path: Path, ending: str) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise ImageError(
            QCoreApplication.translate(
                "imaging", "The file is larger than {n} MB. Save the photo as JPEG and add that file."
            ).format(n=MAX_BYTES // 2**20)
        )
    data = path.read_bytes()
    if is_jpeg(data):
        # Some programs convert a photo when it is shared and keep the old ending.
        jpeg, how = data, "Copied from"
    elif ending in HEIF:
        jpeg, how = heif.to_jpeg(data), "Converted from"
    else:
        jpeg, how = raw.preview(data), "Embedded preview of"
    digest = hashlib.sha256(data).hexdigest()
    return with_comment(jpeg, f"{how} {path.name}, SHA-256 {digest}")
