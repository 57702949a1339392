"""Crops the region to photograph out of the reference image, and provides hints for moving the camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QImage

from desktop.camera import GuideHint, RegionGuide
from desktop.camera.sources import Frame
from desktop.imaging.sources.cut import is_large, preview_crop
from desktop.imaging.sources.source import ImageSource
from shared.record.geometry import Rect

_MARGIN = 0.5
"""Margin around the region that helps to find it, as a share of its longer side."""
_LONGEST_PX = 960


@dataclass(frozen=True, slots=True)
class CaptureTarget:
    """The region of an item on the reference image, upright px of it."""

    name: str
    source: ImageSource
    region: Rect


@dataclass(frozen=True, slots=True)
class PreparedTarget:
    """The overlay for the camera picture, and the guide that finds the region in frames."""

    ghost: QImage
    guide: RegionGuide


def prepare(target: CaptureTarget) -> PreparedTarget | None:
    """Create the overlay and the guide of a region; None for a region outside the picture.

    Blocking: call it off the GUI thread. Raises ImageError.
    """
    size = target.source.size
    region = target.region.clamp(*size)
    if region.is_empty:
        return None
    margin = _MARGIN * max(region.w, region.h)
    around = Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin)
    around = around.clamp(*size)
    if is_large(target.source):
        # The pixels of the preview suffice: the camera's picture is scaled down, too.
        whole = preview_crop(target.source)
        factor = whole.image.width() / size[0]
        image = whole.image
        left, top = 0.0, 0.0
        if max(around.w, around.h) * factor < _LONGEST_PX:
            image, factor, left, top = target.source.crop(around), 1.0, around.x, around.y
    else:
        image, factor, left, top = target.source.crop(around), 1.0, around.x, around.y
    left, top = float(np.floor(left)), float(np.floor(top))
    region = Rect((region.x - left) * factor, (region.y - top) * factor, region.w * factor, region.h * factor)
    if image.width() > _LONGEST_PX or image.height() > _LONGEST_PX:
        small = image.scaled(
            QSize(_LONGEST_PX, _LONGEST_PX),
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        factor = small.width() / image.width()
        image = small
        region = Rect(region.x * factor, region.y * factor, region.w * factor, region.h * factor)
    x, y = round(region.x), round(region.y)
    ghost = image.copy(x, y, max(1, round(region.w)), max(1, round(region.h)))
    return PreparedTarget(ghost, RegionGuide(_frame(image), region))


def _frame(image: QImage) -> Frame:
    """Convert pixels to the format of a camera."""
    plain = image.convertToFormat(QImage.Format.Format_BGR888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()


def hint_text(hint: GuideHint) -> str:
    """The hint, in a few words."""
    match hint:
        case GuideHint.SEARCH:
            return QCoreApplication.translate("CaptureDialog", "Point the camera at the region")
        case GuideHint.DARK:
            return QCoreApplication.translate("CaptureDialog", "Too dark: more light is needed")
        case GuideHint.CLOSER:
            return QCoreApplication.translate("CaptureDialog", "Closer")
        case GuideHint.FARTHER:
            return QCoreApplication.translate("CaptureDialog", "Farther away")
        case GuideHint.ROTATE_LEFT:
            return QCoreApplication.translate("CaptureDialog", "Rotate camera to the left")
        case GuideHint.ROTATE_RIGHT:
            return QCoreApplication.translate("CaptureDialog", "Rotate camera to the right")
        case GuideHint.LEFT:
            return QCoreApplication.translate("CaptureDialog", "Move left")
        case GuideHint.RIGHT:
            return QCoreApplication.translate("CaptureDialog", "Move right")
        case GuideHint.UP:
            return QCoreApplication.translate("CaptureDialog", "Move up")
        case GuideHint.DOWN:
            return QCoreApplication.translate("CaptureDialog", "Move down")
        case GuideHint.STILL:
            return QCoreApplication.translate("CaptureDialog", "Hold still: not sharp yet")
        case GuideHint.GOOD:
            return QCoreApplication.translate("CaptureDialog", "Sharp now: hold still")
