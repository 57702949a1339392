"""Finds the place of the reference region in a photo, to a fraction of a pixel."""
