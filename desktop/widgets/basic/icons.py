"""Renders the icons of the program, SVG files in `resources/icons`, in any colour and size."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.theme import theme_manager
from shared.system.paths import resource_path

ICON_PX = 18
_SCALES = (1.0, 1.25, 1.5, 2.0, 3.0)


@lru_cache(maxsize=128)
def _read_svg(name: str) -> str:
    return resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def render_icon(name: str, colour: str, pixels: int) -> QImage:
    """Render the icon `name` as a square image of `pixels` device pixels, with lines in `colour`
    (``#rrggbb``).

    Raises FileNotFoundError if the icon does not exist.
    """
    renderer = QSvgRenderer(QByteArray(_read_svg(name).replace("currentColor", colour).encode()))
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return image


def icon(name: str, colour: str | None = None, size: int = ICON_PX) -> QIcon:
    """Create the icon `name` with `size` px in `colour` or the text colour of the theme; grey if disabled.

    An icon keeps its colours. Create a new one on `theme_manager().theme_changed`.
    """
    theme = theme_manager().theme
    result = QIcon()
    modes = ((QIcon.Mode.Normal, colour or theme.text), (QIcon.Mode.Disabled, theme.faint))
    for mode, ink in modes:
        for scale in _SCALES:
            pixmap = QPixmap.fromImage(render_icon(name, ink, round(size * scale)))
            pixmap.setDevicePixelRatio(scale)
            result.addPixmap(pixmap, mode)
    return result


def paint_icon(painter: QPainter, name: str, colour: str, rect: QRectF) -> None:
    """Paint the icon `name` in `colour` into the square `rect` (logical px), sharp on any device."""
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    painter.drawImage(rect, render_icon(name, colour, max(1, round(rect.width() * ratio))))
