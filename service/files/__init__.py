"""Uploaded files: stored by content, delivered whole, cropped, as thumbnails or tiles, and collected."""
