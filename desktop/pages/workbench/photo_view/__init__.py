"""Shows the photo of the inspection in place of the reference image, where its findings are corrected."""

from desktop.pages.workbench.photo_view.canvas import PhotoCanvas
from desktop.pages.workbench.photo_view.photo_view import PhotoView
from desktop.pages.workbench.photo_view.view_choice import ViewChoice

__all__ = ["PhotoCanvas", "PhotoView", "ViewChoice"]
