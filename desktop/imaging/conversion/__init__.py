"""Converts photos in formats that the service does not store to JPEG before the upload."""

from desktop.imaging.conversion.uploads import (
    CONVERTED_SUFFIXES,
    PICTURE_SUFFIXES,
    PreparedUpload,
    prepare_upload,
)

__all__ = ["CONVERTED_SUFFIXES", "PICTURE_SUFFIXES", "PreparedUpload", "prepare_upload"]
