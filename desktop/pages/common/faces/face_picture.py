"""Reads a picture of a face from a file and checks it before it is sent."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice
from PySide6.QtWidgets import QWidget

from desktop.client.http.errors import TooLarge, Unsupported
from desktop.imaging.decoding.decoder import Cancellation, read_header, read_preview, shrink_image
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.decoding.pixels import to_qimage
from desktop.pages.common.files.file_dialogs import Purpose, open_file, open_files
from shared.images.formats import SUFFIXES

MAX_BYTES = 64 * 2**20
"""Larger files are refused."""

# Smaller files are sent unchanged: five of them in Base64 stay below the 16 MB limit of a request.
_UNCHANGED_BYTES = 2 * 2**20
# Larger pictures are scaled to this longer side: at quality 92 even noise stays below `_UNCHANGED_BYTES`.
_MAX_SIDE_PX = 1600
_QUALITY = 92


def read_face_picture(path: Path) -> bytes:
    """Read a JPEG, PNG or WebP file for sending; a large picture is scaled down and rotated upright.

    Raises OSError, TooLarge, Unsupported.
    """
    if path.stat().st_size > MAX_BYTES:
        raise TooLarge
    data = path.read_bytes()
    webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    if not (data.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")) or webp):
        raise Unsupported
    return data if len(data) <= _UNCHANGED_BYTES else _reduce(data)


def _reduce(data: bytes) -> bytes:
    cancellation = Cancellation()
    try:
        pixels = read_preview(data, read_header(data), _MAX_SIDE_PX, cancellation)
    except ImageError as error:
        raise Unsupported from error
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    shrink_image(to_qimage(pixels), _MAX_SIDE_PX).save(buffer, "JPEG", _QUALITY)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def choose_face_pictures(parent: QWidget, several: bool = False) -> list[Path]:
    """Ask for one picture, or with `several` for up to five; empty if the dialog was cancelled."""
    patterns = " ".join(f"*{suffix}" for suffix in SUFFIXES)
    kinds = QCoreApplication.translate("FacePicture", "Images ({patterns})").format(patterns=patterns)
    if several:
        title = QCoreApplication.translate("FacePicture", "Select one to five photos of your face")
        return open_files(parent, title, kinds, Purpose.FACES)[:5]
    title = QCoreApplication.translate("FacePicture", "Select a photo of your face")
    path = open_file(parent, title, kinds, Purpose.FACES)
    return [] if path is None else [path]
