"""Fetches the pictures of a report, and says what each file was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from desktop.client.http.errors import NotFound
from desktop.client.session import Session
from desktop.imaging import ImageError, open_image
from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.sources.source import ImageSource
from desktop.report.content import Evidence
from shared.record.content import file_id_from_url, sha256, sha256_from_cid
from shared.record.geometry import Rect

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
    digest = pictures.digest(info) or _digest_text(info.get("ipfs_cid"))
    return Evidence(use, str(info.get("filename") or "–"), digest)


def _digest_text(content_id: object) -> str:
    try:
        return sha256_from_cid(str(content_id))
    except ValueError:
        return str(content_id or "–")


def crop_part(picture: ImageSource, region: Rect) -> QImage:
    return QImage() if region.is_empty else picture.crop(region)
