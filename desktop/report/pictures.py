"""Fetches the pictures of a report, and says what each file was.

Makes the pictures of the pages of failed findings: reference, photo and difference at the same place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QTransform

from desktop.client.http.errors import NotFound
from desktop.client.session import Session
from desktop.imaging import ImageError, open_image
from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.sources.cut import Matrix, map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.report.content import Evidence, FailedFinding
from shared.record.content import file_id_from_url, sha256, sha256_from_cid
from shared.record.findings import Finding
from shared.record.geometry import Rect, rect_from_corners

# A crop is printed about 42 mm wide, which makes about 200 dots per inch.
CROP_PX = 340

_FINDING_COLOUR = QColor("#cf2f2a")


def outline_finding(image: QImage, box: QRectF, share: float) -> None:
    """Outline `box` (px) on the image, in a line of this share of its longer side, and at least 1 px.

    The line lies between white ones, so that it shows on every surface and in grey print.
    """
    thickness = max(max(image.width(), image.height()) * share, 1)
    painter = QPainter(image)
    for colour, times in (QColor("white"), 2), (_FINDING_COLOUR, 1):
        painter.setPen(QPen(colour, thickness * times))
        painter.drawRect(box)
    painter.end()


class Pictures:
    """Fetches pictures from the service and keeps the last few open."""

    MAX_OPEN = 3

    def __init__(self, session: Session, files: Mapping[str, str] | None = None) -> None:
        """Create a cache. `files` are those of `Content`."""
        self._session = session
        self._files = files
        self._sources: dict[str, ImageSource | None] = {}
        self._digests: dict[str, str] = {}
        self._last_crop: tuple[ImageSource, Rect, QImage, float] | None = None

    def digest(self, info: Mapping[str, object] | None) -> str | None:
        """The SHA-256 of the content that `get` fetched for a fileInfo; None if it fetched nothing.

        The content ID in an item was sent by a client and may belong to another file.
        """
        return self._digests.get(str((info or {}).get("download_url")))

    def get(self, info: Mapping[str, object] | None) -> ImageSource | None:
        """The picture of a fileInfo; None if there is no file or it is not a picture."""
        url = (info or {}).get("download_url")
        if not isinstance(url, str) or not url:
            return None
        if url not in self._sources:
            if len(self._sources) >= self.MAX_OPEN:
                self._sources.pop(next(iter(self._sources)))
            try:
                self._sources[url] = self._fetch(url)
            except (NotFound, ImageError):
                self._sources[url] = None
        return self._sources[url]

    def scaled_crop(self, picture: ImageSource, part: Rect) -> tuple[QImage, float]:
        """Crop `part` (px of the picture), scaled down to at most `CROP_PX`.

        Returns a copy to draw on, and how many of its px one px of the picture takes. The last crop is
        cached, because items that share a photo and have no alignment all show the whole photo.
        """
        if self._last_crop is None or self._last_crop[0] is not picture or self._last_crop[1] != part:
            crop = crop_part(picture, part)
            image = shrink_image(crop, CROP_PX)
            self._last_crop = picture, part, image, image.width() / crop.width() if crop.width() else 1.0
        return QImage(self._last_crop[2]), self._last_crop[3]

    def _fetch(self, url: str) -> ImageSource | None:
        """Fetch a picture; None if its content is not the sealed content. Raises ClientError, ImageError."""
        sealed_digest = None if self._files is None else self._files.get(file_id_from_url(url) or "")
        if sealed_digest is not None:
            # Set before fetching: the evidence lists a sealed file even if it no longer exists.
            self._digests[url] = sealed_digest
        data = self._session.files.fetch(url)
        digest = sha256(data)
        if self._files is not None and digest != sealed_digest:
            return None
        self._digests[url] = digest
        return open_image(data)


@dataclass(frozen=True, slots=True)
class MarkedPicture:
    """A picture that regions are marked on; `of_item` if it belongs to one item and not to the record."""

    picture: ImageSource
    mm_per_pixel: float | None = None
    of_item: bool = False


def evidence_row(use: str, info: Mapping[str, object], pictures: Pictures) -> Evidence:
    """The evidence row of a file whose picture was fetched.

    For a file that no longer exists, the row shows the digest or content ID that the item names.
    """
    digest = pictures.digest(info) or digest_text(info.get("ipfs_cid"))
    return Evidence(use, str(info.get("filename") or "–"), digest)


def digest_text(content_id: object) -> str:
    """The SHA-256 of a content id, or the content id itself if it has another form."""
    try:
        return sha256_from_cid(str(content_id))
    except ValueError:
        return str(content_id or "–")


def crop_part(picture: ImageSource, region: Rect) -> QImage:
    return QImage() if region.is_empty else picture.crop(region)


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
