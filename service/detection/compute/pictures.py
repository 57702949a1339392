"""Loads photos as upright BGR pixels and renders the picture with its boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyvips
from numpy.typing import NDArray

from service.detection.failure import DetectionFailed
from service.detection.reference_difference.data import Pyramid, grey
from shared.images.colours import to_srgb
from shared.images.cv import cv2
from shared.images.opening import open_picture
from shared.record.entries import EntryBox

MAX_PIXELS: Final = 500_000_000
_WHOLE_PIXELS: Final = 130_000_000
_RENDERED_SIDE: Final = 2560
SHOWN_SIDE: Final = 1200
"""The least length of a picture with boxes, px; less only if the photo is smaller."""
_STRIP: Final = 256

NeededSide = Callable[[int, int], float]
"""Takes the width and height of an upright photo and returns the least px that its longer side needs."""


def full_resolution(width: int, height: int) -> float:
    """`NeededSide` for work on every pixel."""
    return math.inf


def load(
    path: Path, needed: NeededSide = full_resolution, most: int = MAX_PIXELS
) -> tuple[NDArray[np.uint8], float]:
    """The upright image as BGR uint8 (height, width, 3), and its scale: 1, or less when it was reduced.

    The decoder reduces a JPEG, but not below `needed`. An image above 130 MP is reduced while it is read. An
    image that still has more than `most` px is too large. Raises DetectionFailed.
    """
    if not path.is_file():
        raise DetectionFailed("file_lost")
    try:
        image = _open(path)
        if image.width * image.height > MAX_PIXELS:
            raise DetectionFailed("image_too_large")
        shrink = _shrink(image, needed) if image.get("vips-loader").startswith("jpegload") else 1
        if shrink > 1:
            image = _open(path, shrink=shrink)
        scale = 1 / shrink
        pixels = image.width * image.height
        if pixels > most:
            raise DetectionFailed("image_too_large")
        # Before the image is reduced: the levels are those of all pixels.
        image = to_srgb(image)
        if image.bands != 3:
            raise DetectionFailed("image_unreadable")
        if pixels > _WHOLE_PIXELS:
            smaller = float(np.sqrt(_WHOLE_PIXELS / pixels))
            image, scale = image.resize(smaller), scale * smaller
        if _orientation(image) != 1:
            # A sequential read goes from the top down, so an image that has to be turned is read first.
            image = image.copy_memory().autorot()
        pixels = np.frombuffer(image.write_to_memory(), np.uint8)
    except pyvips.Error as error:
        raise DetectionFailed("image_unreadable") from error
    except MemoryError as error:
        raise DetectionFailed("out_of_memory") from error
    return _to_bgr(pixels.reshape(image.height, image.width, 3)), scale


def _open(path: Path, **options: Any) -> Any:
    return open_picture(path, access="sequential", fail_on="truncated", **options)


def _orientation(image: Any) -> int:
    """The EXIF orientation, 1 to 8; 1 if there is none."""
    return int(image.get("orientation") or 1) if image.get_typeof("orientation") else 1


def _shrink(image: Any, needed: NeededSide) -> int:
    """The factor by which the decoder may reduce a JPEG: 8, 4, 2, or 1 for not at all.

    The factor divides both sides: then each pixel of the reduced image is a whole block of the photo,
    whatever the orientation.
    """
    sides = image.width, image.height
    least = needed(*(sides if _orientation(image) < 5 else sides[::-1]))
    for shrink in (8, 4, 2):
        if max(sides) / shrink >= least and not any(side % shrink for side in sides):
            return shrink
    return 1


def _to_bgr(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Swap red and blue in place, so that a large photo is not in memory twice."""
    for top in range(0, len(image), _STRIP):
        strip = image[top : top + _STRIP]
        strip[:] = cv2.cvtColor(strip, cv2.COLOR_RGB2BGR)
    return image


def render(photo: NDArray[np.uint8], boxes: Sequence[EntryBox]) -> bytes:
    """A JPEG of `photo` (BGR) with `boxes` drawn, its long side 2,560 px at most.

    It draws on `photo` itself, unless that is larger.
    """
    height, width = photo.shape[:2]
    scale = min(_RENDERED_SIDE / max(height, width), 1.0)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    picture = cv2.resize(photo, size, interpolation=cv2.INTER_AREA) if scale < 1 else photo
    thick = max(round(max(size) / 500), 1)
    for box in boxes:
        points = box["points"]
        corners = points["x1"], points["y1"], points["x2"], points["y2"]
        x1, y1, x2, y2 = (round(value * scale) for value in corners)
        cv2.rectangle(picture, (x1, y1), (x2 - 1, y2 - 1), (46, 46, 211), thick)
        text = f"{box['label']} {box['confidence']:.2f}"
        text_scale = max(max(size) / 1800, 0.4)
        (text_w, text_h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, text_scale, 1)
        top = y1 - text_h - 6 if y1 > text_h + 6 else y2
        cv2.rectangle(picture, (x1, top), (x1 + text_w + 6, top + text_h + 6), (46, 46, 211), -1)
        white = (255, 255, 255)
        cv2.putText(
            picture,
            text,
            (x1 + 3, top + text_h + 2),
            cv2.FONT_HERSHEY_SIMPLEX,
            text_scale,
            white,
            1,
            cv2.LINE_AA,
        )
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
    return bytes(data)


class Reference:
    """A reference image (BGR uint8) as decoded at `scale`, with its grey levels.

    The items of a record share it, so the last one stays decoded.
    """

    def __init__(self, path: str, image: NDArray[np.uint8], scale: float) -> None:
        self.path, self.image, self.scale = path, image, scale
        self.levels = Pyramid(grey(image))
