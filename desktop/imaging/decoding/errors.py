"""Defines the errors of reading pictures."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


class ImageError(Exception):
    """A picture cannot be read. The text tells the user why and what to do."""


class CancelledError(Exception):
    """The work was cancelled. The user needs no message."""


def damaged_file_error() -> ImageError:
    """The error of a file that is truncated or does not match its extension."""
    return ImageError(
        QCoreApplication.translate(
            "imaging",
            "The file is damaged, or its type does not match its extension. Copy it from the camera "
            "again, or save the photo as JPEG.",
        )
    )
