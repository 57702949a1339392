"""Paints over a photo how unusual it looks beside the photos that passed."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QRectF
from PySide6.QtGui import QImage, QImageReader, QPainter, qGray, qRgba

from desktop.canvas.model.viewport import Viewport
from shared.record.entries import EntryAppearance
from shared.record.geometry import Rect

_MAX_SIDE: Final = 256
"""The largest picture that is read; those of the service have 20 px a side."""
_LIMIT: Final = 128
"""Grey level of the limit of a passed photo."""
_FAINT: Final = 64
"""Grey level from which heat is painted."""
_OPAQUE: Final = 170


class HeatLayer:
    """The heat of the photo on the canvas: yellow below the limit of a passed photo, red above."""

    def __init__(self) -> None:
        self.is_shown = False
        self._image: QImage | None = None
        self._heat = ""
        self._section: tuple[float, ...] = ()

    @property
    def has_heat(self) -> bool:
        """Whether there is anything to show."""
        return self._image is not None

    def set_appearance(self, appearance: EntryAppearance | None) -> None:
        """Take the heat of a photo; None if it was not compared by its appearance."""
        heat = "" if appearance is None else appearance.get("heat", "")
        section = () if appearance is None else appearance.get("section", ())
        if heat != self._heat:
            self._heat, self._image = heat, _read(heat)
        self._section = tuple(section) if len(section) == 4 else (0, 0, 1, 1)

    def paint(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint the heat if it is to be shown."""
        if self._image is None or not self.is_shown:
            return
        x, y, w, h = self._section
        width, height = viewport.image_width, viewport.image_height
        at = viewport.rect_to_view(Rect(x * width, y * height, w * width, h * height))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(at.x, at.y, at.w, at.h), self._image)
        painter.restore()


def _read(heat: str) -> QImage | None:
    """The picture in colours; None if it cannot be read."""
    buffer = QBuffer()
    buffer.setData(QByteArray.fromBase64(QByteArray(heat.encode("ascii", "replace"))))
    reader = QImageReader(buffer, QByteArray(b"png"))
    size = reader.size()
    if size.isEmpty() or max(size.width(), size.height()) > _MAX_SIDE:
        return None
    grey = reader.read()
    if grey.isNull():
        return None
    image = QImage(grey.size(), QImage.Format.Format_ARGB32)
    for row in range(grey.height()):
        for column in range(grey.width()):
            image.setPixel(column, row, _colour(qGray(grey.pixel(column, row))))
    return image


def _colour(level: int) -> int:
    above = min(max(level - _FAINT, 0) / (_LIMIT - _FAINT), 1.0)
    return qRgba(230, 180 if level < _LIMIT else 30, 20, round(_OPAQUE * above))
