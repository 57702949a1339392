"""Today's photo in the place of the reference image: looked at, and its findings corrected there."""

from desktop.pages.workbench.photo_view.canvas import PhotoCanvas
from desktop.pages.workbench.photo_view.photo_view import PhotoView

__all__ = ["PhotoCanvas", "PhotoView"]
