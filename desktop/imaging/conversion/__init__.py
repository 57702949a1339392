"""Photos in formats that the service does not store, made into JPEG before they are uploaded."""

from desktop.imaging.conversion.converted import CONVERTED, Upload, for_upload

__all__ = ["CONVERTED", "Upload", "for_upload"]
