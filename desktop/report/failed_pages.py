"""Makes the pictures of the pages of failed findings: reference, photo and difference at the same place."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QTransform

from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.sources.cut import Matrix, map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.report.content import FailedFinding
from desktop.report.pictures import outline_finding
from shared.record.findings import Finding
from shared.record.geometry import Rect, rect_from_corners

# A picture is printed at most 180 mm wide, which makes about 250 dots per inch.
FULL_PX = 1800
_MARGIN = 0.75
"""The surroundings of a finding on each side, as a share of its longer side."""
_LEAST_PX = 160


def make_failed_findings(
    number: int,
    name: str,
    findings: Sequence[Finding],
    reference: ImageSource | None,
    photo: ImageSource | None,
    homography: Sequence[Sequence[float]] | None,
) -> list[FailedFinding]:
    """The pictures of each finding of a failed item. `homography`: reference px -> photo px, 3 x 3."""
    if photo is None:
        return []
    return [_failed_finding(number, name, finding, reference, photo, homography) for finding in findings]


def _failed_finding(
    number: int,
    name: str,
    finding: Finding,
    reference: ImageSource | None,
    photo: ImageSource,
    homography: Sequence[Sequence[float]] | None,
) -> FailedFinding:
    part = _whole(_surroundings(finding.box).clamp(*photo.size))
    image = _framed(photo.crop(part), part, finding.box)
    if reference is None or homography is None:
        return FailedFinding(number, name, finding, QImage(), shrink_image(image, FULL_PX), QImage())
    to_reference = np.linalg.inv(np.asarray(homography, np.float64))
    mapped = map_rect(part, to_reference)
    place = None if mapped is None else _whole(mapped).clamp(*reference.size)
    if place is None or place.is_empty:
        return FailedFinding(number, name, finding, QImage(), shrink_image(image, FULL_PX), QImage())
    cut = reference.crop(place)
    warped = _warp(cut, place, part, np.asarray(homography, np.float64))
    difference = _difference(photo.crop(part), warped)
    pictures = (warped, image, difference)
    return FailedFinding(number, name, finding, *(shrink_image(picture, FULL_PX) for picture in pictures))


def _surroundings(box: Rect) -> Rect:
    """The box with a margin, twice as wide as high, as the pictures on the page are."""
    margin = max(box.w, box.h) * _MARGIN
    height = max(box.h + 2 * margin, (box.w + 2 * margin) / 2, _LEAST_PX)
    left, top = box.x + box.w / 2 - height, box.y + (box.h - height) / 2
    return rect_from_corners(left, top, left + 2 * height, top + height)


def _whole(rect: Rect) -> Rect:
    """`rect` extended to whole px, so that a crop begins exactly there."""
    return rect_from_corners(
        math.floor(rect.x), math.floor(rect.y), math.ceil(rect.right), math.ceil(rect.bottom)
    )


def _framed(image: QImage, part: Rect, box: Rect) -> QImage:
    framed = image.convertToFormat(QImage.Format.Format_RGB32)
    outline_finding(framed, QRectF(box.x - part.x, box.y - part.y, box.w, box.h), 1 / 300)
    return framed


def _warp(image: QImage, place: Rect, part: Rect, homography: Matrix) -> QImage:
    """The cut of the reference image, at `place` of it, as the photo shows it at `part`."""
    transform = QTransform(*homography.T.ravel())
    moved = QTransform.fromTranslate(place.x, place.y) * transform
    moved *= QTransform.fromTranslate(-part.x, -part.y)
    warped = QImage(round(part.w), round(part.h), QImage.Format.Format_RGB32)
    warped.fill(Qt.GlobalColor.black)
    painter = QPainter(warped)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setTransform(moved)
    painter.drawImage(0, 0, image)
    painter.end()
    return warped


def _difference(photo: QImage, reference: QImage) -> QImage:
    """The difference in brightness, black where there is none, after the exposures were evened."""
    first, second = _grey(photo), _grey(reference)
    height, width = min(first.shape[0], second.shape[0]), min(first.shape[1], second.shape[1])
    first, second = first[:height, :width], second[:height, :width]
    spread = second.std()
    evened = (second - second.mean()) * (first.std() / spread if spread > 1 else 1.0) + first.mean()
    absolute = np.clip(2 * np.abs(first - evened), 0, 255).astype(np.uint8)
    data = np.ascontiguousarray(absolute)
    return QImage(data.data, width, height, width, QImage.Format.Format_Grayscale8).copy()


def _grey(image: QImage) -> NDArray[np.float32]:
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), grey.bytesPerLine())
    return rows[:, : grey.width()].astype(np.float32)
