"""The canvas: reference image, photo and comparison, with tools, regions and drawn findings."""
