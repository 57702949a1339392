"""The canvas widgets: picture view, region canvas and comparison of a reference and a photo."""
