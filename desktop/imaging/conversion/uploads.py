"""Converts HEIC and RAW photos to JPEG files for the upload."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from desktop.imaging.conversion import heif, raw
from desktop.imaging.conversion.jpeg import add_comment, is_jpeg
from desktop.imaging.decoding.errors import ImageError
from shared.images.formats import HEAD_BYTES, SUFFIXES, is_heif

HEIF = (".heic", ".heif", ".hif")
RAW = (".arw", ".cr2", ".cr3", ".dng", ".nef", ".nrw", ".orf", ".pef", ".raf", ".rw2", ".srw")
CONVERTED_SUFFIXES = (*HEIF, *RAW)
"""The suffixes of files that are converted, in lower case."""

PICTURE_SUFFIXES = (*SUFFIXES, *CONVERTED_SUFFIXES)
"""The suffixes of files that can become photos or reference images, in lower case."""

MAX_BYTES = 512 * 2**20
"""Maximum size of a file, which is held in memory while it is converted."""

_conversion_lock = threading.Lock()


class PreparedUpload(NamedTuple):
    """The content to upload and its file name."""

    source: Path | bytes
    name: str


def prepare_upload(source: Path | bytes, name: str = "") -> PreparedUpload:
    """Convert HEIC and RAW files to JPEG for the upload. Other files are not changed.

    HEIC is encoded again with quality 95. The result of a RAW file is its largest embedded JPEG. Time,
    camera, exposure, place and orientation stay in the EXIF block. A comment names the original and its
    SHA-256. The name is that of the original, with `.jpg` appended unless it has
    the suffix of a JPEG already. One file is converted at a time. Blocking:
    call it off the GUI thread. Raises ImageError, OSError.
    """
    if isinstance(source, bytes):
        return PreparedUpload(source, name)
    name = name or source.name
    suffix = source.suffix.lower()
    if suffix in CONVERTED_SUFFIXES:
        name = f"{name}.jpg"
    elif _is_heif(source):
        # Phones and messengers give HEIC photos the suffix of a JPEG.
        suffix = HEIF[0]
    else:
        return PreparedUpload(source, name)
    with _conversion_lock:
        return PreparedUpload(_convert(source, suffix), name)


def _is_heif(path: Path) -> bool:
    with path.open("rb") as file:
        return is_heif(file.read(HEAD_BYTES))


def _convert(path: Path, suffix: str) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise ImageError(
            QCoreApplication.translate(
                "imaging", "The file is larger than {n} MB. Save the photo as JPEG and add that file."
            ).format(n=MAX_BYTES // 2**20)
        )
    data = path.read_bytes()
    if is_jpeg(data):
        # Some programs convert a shared photo to JPEG and keep the old suffix.
        jpeg, origin = data, "Copied from"
    elif suffix in HEIF:
        jpeg, origin = heif.to_jpeg(data), "Converted from"
    else:
        jpeg, origin = raw.preview(data), "Embedded preview of"
    digest = hashlib.sha256(data).hexdigest()
    return add_comment(jpeg, f"{origin} {path.name}, SHA-256 {digest}")
