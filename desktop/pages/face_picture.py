"""A picture of a face from a file, looked at before it is sent: the person hears what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.client.errors import TooLarge, Unsupported

MAX_BYTES = 10 * 2**20
"""The service takes pictures of faces up to this size."""


def read_face_picture(path: Path) -> bytes:
    """The bytes of a JPEG, PNG or WebP file. Raises OSError, TooLarge, Unsupported."""
    if path.stat().st_size > MAX_BYTES:
        raise TooLarge
    data = path.read_bytes()
    webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    if not (data.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")) or webp):
        raise Unsupported
    return data


def choose_face_pictures(parent: QWidget, several: bool = False) -> list[Path]:
    """Ask for a picture, or for up to five; empty when the person thought better of it."""
    kinds = QCoreApplication.translate("FacePicture", "Pictures (*.jpg *.jpeg *.png *.webp)")
    if several:
        title = QCoreApplication.translate("FacePicture", "Choose one to five pictures of your face")
        names, _ = QFileDialog.getOpenFileNames(parent, title, "", kinds)
        return [Path(name) for name in names[:5]]
    title = QCoreApplication.translate("FacePicture", "Choose a picture of your face")
    name, _ = QFileDialog.getOpenFileName(parent, title, "", kinds)
    return [Path(name)] if name else []
