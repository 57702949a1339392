"""Defines the errors of photos that cannot be converted."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.imaging.decoding.errors import ImageError


def damaged_file_error() -> ImageError:
    """The error of a file that is truncated or does not match its extension."""
    return ImageError(
        QCoreApplication.translate(
            "imaging",
            "The file is damaged, or its type does not match its extension. Copy it from the camera "
            "again, or save the photo as JPEG.",
        )
    )
