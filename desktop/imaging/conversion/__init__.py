"""Converts photos in formats that the service does not store to JPEG before the upload."""

from desktop.imaging.conversion.uploads import CONVERTED, PICTURES, PreparedUpload, for_upload

__all__ = ["CONVERTED", "PICTURES", "PreparedUpload", "for_upload"]
