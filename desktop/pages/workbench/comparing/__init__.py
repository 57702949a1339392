"""Compares reference image and photo, or two versions of a result, and aligns a photo by hand."""
