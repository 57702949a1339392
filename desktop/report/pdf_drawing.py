"""Draws the parts of a PDF page: text with the font's glyphs only, pills, pictures, QR codes."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from desktop.localization.fonts import MissingGlyphsError, missing
from shared.codes import Status

# The layout is in points: A4 with 15 mm margins.
PAGE_W, PAGE_H, MARGIN, FOOTER = 595.0, 842.0, 42.5, 28.0
WIDTH = PAGE_W - 2 * MARGIN
_BAND_PX = 160
"""Height of the band of a large picture that is painted at once."""
_OVERLAP_PX = 8
"""So much of the next band comes with each: edges that only met would leave a line of paper on a screen."""

INK, DIM, LINE, GROUND = QColor("#1a2027"), QColor("#5a6673"), QColor("#dde2e8"), QColor("#f3f5f7")
ACCENT = QColor("#0b6fd6")
OUTCOME = {True: QColor("#1d8a54"), False: QColor("#cf2f2a"), None: QColor("#a8700a")}
STATUS = {
    Status.PASSED: OUTCOME[True],
    Status.FAILED: OUTCOME[False],
    Status.IN_PROGRESS: ACCENT,
    Status.NOT_STARTED: DIM,
    Status.CANCELLED: DIM,
}

QR_SIDE = 84.0

# Qt draws a glyph for each of them, and there is none.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def paint_in_bands(painter: QPainter, place: QRectF, image: QImage) -> None:
    """Paint a large picture a band at a time: while Qt packs one into a PDF, no other thread runs."""
    scale = place.height() / image.height()
    for top in range(0, image.height(), _BAND_PX):
        band = image.copy(0, top, image.width(), min(_BAND_PX + _OVERLAP_PX, image.height() - top))
        painter.drawImage(
            QRectF(place.x(), place.y() + top * scale, place.width(), band.height() * scale), band
        )


class Drawing:
    """Draws with one painter, whose unit is the point."""

    def __init__(self, painter: QPainter) -> None:
        self.painter = painter
        self._drawable: set[tuple[bool, str]] = set()

    def font(self, size: float, bold: bool = False) -> QFont:
        """The font of the report at `size` points."""
        font = QFont(self.painter.font())
        # Points of the page, not of the device: the painter is scaled already.
        font.setPixelSize(round(size))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        # Ligatures and the digits of a locale are glyphs without a character: no search finds the text.
        for feature in ("liga", "locl"):
            font.setFeature(QFont.Tag(feature), 0)
        return font

    def _drawable_text(self, text: str, font: QFont) -> str:
        """`text` as it is drawn, without control characters. Raises MissingGlyphsError."""
        drawn = _CONTROLS.sub(" ", text)
        new = {(font.bold(), character) for character in drawn} - self._drawable
        lacking = missing("".join(sorted(character for _, character in new)), font)
        if lacking:
            raise MissingGlyphsError(lacking)
        self._drawable |= new
        return drawn

    def text(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        size: float = 9,
        colour: QColor = INK,
        bold: bool = False,
        height: float = 4000,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        """Write `text` into a box, in as many lines as it needs. Raises MissingGlyphsError."""
        font = self.font(size, bold)
        self.painter.setFont(font)
        self.painter.setPen(colour)
        flags = (
            int(align.value) | int(Qt.TextFlag.TextWordWrap.value) | int(Qt.TextFlag.TextWrapAnywhere.value)
        )
        self.painter.drawText(QRectF(x, y, width, height), flags, self._drawable_text(text, font))

    def height(self, width: float, text: str, size: float = 9, bold: bool = False) -> float:
        """How high `text` is in a box of `width`. Raises MissingGlyphsError."""
        if not text:
            return 0.0
        font = self.font(size, bold)
        self.painter.setFont(font)
        flags = int(Qt.TextFlag.TextWordWrap.value) | int(Qt.TextFlag.TextWrapAnywhere.value)
        return self.painter.boundingRect(
            QRectF(0, 0, width, 4000), flags, self._drawable_text(text, font)
        ).height()

    def pill_at_right(self, y: float, text: str, colour: QColor) -> None:
        """A pill that ends at the right margin."""
        self.pill(PAGE_W - MARGIN - self.pill_width(text), y, text, colour)

    def pill_width(self, text: str) -> float:
        """How wide the pill with `text` is."""
        self.painter.setFont(self.font(9, True))
        return self.painter.fontMetrics().horizontalAdvance(text) + 14.0

    def pill(self, x: float, y: float, text: str, colour: QColor) -> float:
        """A pill with `text`; gives its width."""
        width = self.pill_width(text)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        self.painter.drawRoundedRect(QRectF(x, y, width, 16), 8, 8)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.text(x, y + 2, width, text, 9, QColor("#ffffff"), True, align=Qt.AlignmentFlag.AlignHCenter)
        return width

    def picture(self, x: float, y: float, width: float, image: QImage) -> None:
        """`image` in a frame of 96 points, or the words that there is none."""
        frame = QRectF(x, y, width, 96)
        self.painter.fillRect(frame, GROUND)
        if image.isNull():
            none = QCoreApplication.translate("Report", "No image")
            self.text(x, y + 42, width, none, 8, DIM, align=Qt.AlignmentFlag.AlignHCenter)
            return
        scale = min(frame.width() / image.width(), frame.height() / image.height())
        place = QRectF(0, 0, image.width() * scale, image.height() * scale)
        place.moveCenter(frame.center())
        self.painter.drawImage(place, image)

    def qr(self, x: float, y: float, modules: list[list[bool]]) -> None:
        """A QR code of `modules`, `QR_SIDE` points wide."""
        side = QR_SIDE / len(modules)
        # Each module a whole number of dots apart: edges that are smoothed leave lines between them.
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for row, dark in enumerate(modules):
            for column, filled in enumerate(dark):
                if filled:
                    self.painter.fillRect(
                        QRectF(x + column * side, y + row * side, side, side), QColor("#000000")
                    )
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def value_size(value: str) -> float:
    """Smaller type for a value that is one long word, such as an id."""
    return 9 if " " in value or len(value) < 30 else 7
