"""Uploads photos and builds the pair of a region in reference image and photo.

Not for the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage

from desktop.background.workers import ProgressReport
from desktop.canvas.views.alignment import AlignedPair, align_crop
from desktop.client import Session
from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.decoding.pixels import decode_thumbnail
from desktop.imaging.sources.cut import ImageCrop, is_large, map_rect, original_crop, preview_crop
from desktop.imaging.sources.source import ImageSource
from desktop.record.loading import fetch_photo
from shared.record.geometry import Rect

LONGEST_PX = 1600
"""Longer side of a reference crop that is laid on the photo, px."""

_MARGIN = 0.08
_THUMB_PX = 128


@dataclass(frozen=True, slots=True)
class PhotoRef:
    """Where to get a photo: by its id, or by the address that a result entry names."""

    file_id: str = ""
    content_id: str | None = None
    url: str | None = None


def padded_region(region: Rect, width: int, height: int) -> Rect:
    """A region with a margin, inside the picture."""
    margin = _MARGIN * max(region.w, region.h)
    grown = Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin)
    return grown.clamp(width, height)


def make_pair(
    report: ProgressReport,
    session: Session,
    source: ImageSource | None,
    region: Rect | None,
    photo: PhotoRef,
    homography: list[list[float]] | None,
) -> AlignedPair:
    """The reference crop of `region` and the photo laid on it; `homography` brings reference to photo px.

    Reports 0..1 while the photo is fetched, and for a large photo the pair that its preview gives. Without a
    homography the preview is fitted into the region, without a region the photo stands on both sides.
    Raises ClientError, ImageError, OSError.
    """
    picture = fetch_photo(report, session, photo.content_id, photo.file_id, photo.url)
    try:
        return _pair(report, source, region, picture, homography)
    finally:
        picture.cancel()


def _pair(
    report: ProgressReport,
    source: ImageSource | None,
    region: Rect | None,
    photo: ImageSource,
    homography: list[list[float]] | None,
) -> AlignedPair:
    if source is None or region is None or region.is_empty:
        whole = original_crop(photo, Rect(0, 0, *photo.size)) or preview_crop(photo)
        return replace(align_crop(_shrink(whole.image)[0], whole, None), to_reference=None)
    place = padded_region(region, *source.size)
    crop, scale = _shrink(source.crop(place))
    # The crop may be smaller than the original: its px, and its corner, are brought back first.
    back = np.array([[1 / scale, 0.0, place.x], [0.0, 1 / scale, place.y], [0.0, 0.0, 1.0]])
    mapping = None if homography is None else np.asarray(homography, np.float64) @ back

    def lay_out(cut: ImageCrop) -> AlignedPair:
        try:
            pair = align_crop(crop, cut, mapping)
        except ValueError:
            pair = align_crop(crop, cut, None)
        return replace(pair, to_reference=back @ pair.to_reference)

    part = None if homography is None else map_rect(place, np.asarray(homography, np.float64))
    if part is not None and is_large(photo):
        # The px of the original take a while.
        report(lay_out(preview_crop(photo)))
    sharp = None if part is None else original_crop(photo, part)
    report.check()
    pair = None if sharp is None else lay_out(sharp)
    return pair if pair is not None and pair.aligned else lay_out(preview_crop(photo))


def _shrink(image: QImage) -> tuple[QImage, float]:
    small = shrink_image(image, LONGEST_PX)
    return small, small.width() / image.width()


def thumbnail(session: Session, file_id: str) -> QImage:
    """A small picture of a file, about `_THUMB_PX` px. Raises ClientError."""
    return decode_thumbnail(session.files.thumbnail(file_id, _THUMB_PX))


def jpeg(image: QImage) -> bytes:
    """The picture as a JPEG file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.convertToFormat(QImage.Format.Format_RGB888).save(buffer, "JPEG", 95)  # type: ignore[call-overload]
    return bytes(data.data())
