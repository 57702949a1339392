"""Crops a picture: first from the preview, then from the original's pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from desktop.imaging.sources.local import WHOLE_LIMIT
from desktop.imaging.sources.source import ImageSource
from shared.record.geometry import Rect

Matrix = npt.NDArray[np.float64]

_MARGIN = 4.0


@dataclass(frozen=True, slots=True)
class ImageCrop:
    """A part or a reduced image of a picture of `size` px. `from_picture` (3 x 3) maps px of the picture to
    it."""

    image: QImage
    from_picture: Matrix
    size: tuple[int, int]


def is_large(source: ImageSource) -> bool:
    """Whether the picture is too large for memory and is shown by its preview and tiles."""
    width, height = source.size
    return width * height > WHOLE_LIMIT


def preview_crop(source: ImageSource) -> ImageCrop:
    """The preview of the whole picture. Raises ImageError."""
    width, height = source.size
    image = source.preview()
    return ImageCrop(image, np.diag([image.width() / width, image.height() / height, 1.0]), source.size)


def original_crop(source: ImageSource, rect: Rect) -> ImageCrop | None:
    """The pixels of the original that `rect` covers, with a small margin. Raises ImageError.

    None if the rectangle is outside the picture or has more than `WHOLE_LIMIT` px.
    """
    grown = Rect(rect.x - _MARGIN, rect.y - _MARGIN, rect.w + 2 * _MARGIN, rect.h + 2 * _MARGIN)
    part = grown.clamp(*source.size)
    if part.is_empty or part.area > WHOLE_LIMIT:
        return None
    left, top = np.floor(part.x), np.floor(part.y)
    image = source.crop(part)
    return ImageCrop(image, np.array([[1.0, 0.0, -left], [0.0, 1.0, -top], [0.0, 0.0, 1.0]]), source.size)


def map_rect(rect: Rect, mapping: Matrix) -> Rect | None:
    """The bounding rectangle of `rect` mapped by a 3 x 3 homography; None if a corner is mapped to
    infinity."""
    places = (rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)
    corners = np.array([(x, y, 1.0) for x, y in places])
    points = corners @ mapping.T
    if not (np.all(points[:, 2] > 1e-9) or np.all(points[:, 2] < -1e-9)):
        return None
    flat = points[:, :2] / points[:, 2:]
    (left, top), (right, bottom) = flat.min(axis=0), flat.max(axis=0)
    return Rect(float(left), float(top), float(right - left), float(bottom - top))
