"""Finds where the reference region lies in a photo, to a fraction of a pixel."""
