"""Draws the parts of a PDF page: text, pills, pictures, QR codes.

Makes the Chinese text of a PDF that Qt wrote searchable.

Fonts share one glyph between an ideograph and the radical that looks like it (飞 U+98DE and ⻜ U+2EDC). Qt
maps a glyph back to the lowest code point, so copied text and searches get the radical. This module appends a
revision of the PDF's ToUnicode maps that names the ideographs. The pages do not change.
"""

from __future__ import annotations

import io
import re
import unicodedata

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QTextOption

from desktop.background.threads import yield_interpreter
from desktop.localization.fonts import MissingGlyphsError, find_missing_characters
from shared.record.codes import Status

# The layout is in points: A4 with 15 mm margins.
PAGE_W, PAGE_H, MARGIN, FOOTER = 595.0, 842.0, 42.5, 28.0
WIDTH = PAGE_W - 2 * MARGIN
_BAND_PX = 96
"""Height in px of the bands in which a large picture is painted."""
_BAND_OVERLAP_PX = 8
"""How many px of the next band each band includes. Bands that only met would show a line between them on a
screen.
"""

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

# Qt draws a glyph for each of these characters, but no font has one.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def paint_in_bands(painter: QPainter, place: QRectF, image: QImage) -> None:
    """Paint a large picture band by band, and let other threads of Python run in between.

    None runs while Qt compresses a picture for a PDF.
    """
    scale = place.height() / image.height()
    for top in range(0, image.height(), _BAND_PX):
        band = image.copy(0, top, image.width(), min(_BAND_PX + _BAND_OVERLAP_PX, image.height() - top))
        painter.drawImage(
            QRectF(place.x(), place.y() + top * scale, place.width(), band.height() * scale), band
        )
        yield_interpreter()


class Drawing:
    """Draws parts of a page with one painter, whose unit is the point."""

    def __init__(self, painter: QPainter) -> None:
        self.painter = painter
        self._drawable: set[tuple[bool, str]] = set()

    def font(self, size: float, bold: bool = False) -> QFont:
        """The font of the report at `size` points."""
        font = QFont(self.painter.font())
        # The painter is scaled to points, so one pixel of the font is one point of the page.
        font.setPixelSize(round(size))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        # The glyphs of ligatures and of a locale's digits map to no character, so a search would not find
        # them.
        for feature in ("liga", "locl"):
            font.setFeature(QFont.Tag(feature), 0)
        return font

    def _drawable_text(self, text: str, font: QFont) -> str:
        """Replace the control characters of `text`.

        Raises MissingGlyphsError for a character without glyph.
        """
        drawn = _CONTROL_CHARACTERS.sub(" ", text)
        new = {(font.bold(), character) for character in drawn} - self._drawable
        missing_characters = find_missing_characters("".join(sorted(character for _, character in new)), font)
        if missing_characters:
            raise MissingGlyphsError(missing_characters)
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
        """Draw `text` into a box, wrapped to its width. Raises MissingGlyphsError."""
        font = self.font(size, bold)
        self.painter.setFont(font)
        self.painter.setPen(colour)
        drawn = self._drawable_text(text, font)
        self.painter.drawText(QRectF(x, y, width, height), drawn, _wrapped(align))

    def line(self, x: float, y: float, width: float, text: str, size: float, colour: QColor) -> None:
        """Draw `text` in one line: a line break is a space, and what is too long is elided in the middle.

        Raises MissingGlyphsError.
        """
        font = self.font(size)
        self.painter.setFont(font)
        one_line = self._drawable_text(" ".join(text.split()), font)
        metrics = self.painter.fontMetrics()
        if metrics.horizontalAdvance(one_line) > width:
            one_line = metrics.elidedText(one_line, Qt.TextElideMode.ElideMiddle, int(width))
        self.text(x, y, width + 1, one_line, size, colour)

    def height(self, width: float, text: str, size: float = 9, bold: bool = False) -> float:
        """The height of `text` wrapped to `width`, both in points. Raises MissingGlyphsError."""
        if not text:
            return 0.0
        font = self.font(size, bold)
        self.painter.setFont(font)
        drawn = self._drawable_text(text, font)
        return self.painter.boundingRect(QRectF(0, 0, width, 4000), drawn, _wrapped()).height()

    def pill_at_right(self, y: float, text: str, colour: QColor) -> None:
        """Draw a pill that ends at the right margin."""
        self.pill(PAGE_W - MARGIN - self.pill_width(text), y, text, colour)

    def pill_width(self, text: str) -> float:
        """The width in points of a pill with `text`."""
        self.painter.setFont(self.font(9, True))
        return self.painter.fontMetrics().horizontalAdvance(text) + 14.0

    def pill(self, x: float, y: float, text: str, colour: QColor) -> float:
        """Draw a pill with `text`. Returns its width in points."""
        width = self.pill_width(text)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        self.painter.drawRoundedRect(QRectF(x, y, width, 16), 8, 8)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.text(x, y + 2, width, text, 9, QColor("#ffffff"), True, align=Qt.AlignmentFlag.AlignHCenter)
        return width

    def picture(self, x: float, y: float, width: float, image: QImage) -> None:
        """Draw `image` in a frame of 96 points in height, or the text "No image" if it is null."""
        frame = QRectF(x, y, width, 96)
        self.painter.fillRect(frame, GROUND)
        if image.isNull():
            no_image = QCoreApplication.translate("Report", "No image")
            self.text(x, y + 42, width, no_image, 8, DIM, align=Qt.AlignmentFlag.AlignHCenter)
            return
        scale = min(frame.width() / image.width(), frame.height() / image.height())
        place = QRectF(0, 0, image.width() * scale, image.height() * scale)
        place.moveCenter(frame.center())
        self.painter.drawImage(place, image)
        yield_interpreter()

    def qr(self, x: float, y: float, modules: list[list[bool]]) -> None:
        """Draw a QR code of `modules`, `QR_SIDE` points wide."""
        side = QR_SIDE / len(modules)
        # Without antialiasing: smoothed edges would leave lines between the modules.
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for row, dark in enumerate(modules):
            for column, is_dark in enumerate(dark):
                if is_dark:
                    self.painter.fillRect(
                        QRectF(x + column * side, y + row * side, side, side), QColor("#000000")
                    )
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def value_size(value: str) -> float:
    """The font size of a value in points: smaller for one long word, such as an ID."""
    return 9 if " " in value or len(value) < 30 else 7


def _wrapped(align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft) -> QTextOption:
    """Breaks lines between words, and in a word only where it is wider than the line, such as a hash."""
    option = QTextOption(align)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return option


# The radicals of U+2E80..2EFF that are written as characters of their own, with their ideographs.
# Source: Unicode's EquivalentUnifiedIdeograph property. (Those of U+2F00..2FDF have a compatibility mapping.)
_IDEOGRAPHS = dict(
    zip(
        map(ord, "⺟⺠⻁⻄⻅⻆⻉⻋⻑⻓⻔⻗⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻯⻰⻳"),
        map(ord, "母民虎西见角贝车長长门雨青韦页风飞食马骨鬼鱼鸟卤麦黄黾齐齿竜龙龟"),
        strict=True,
    )
)
_FIRST_RADICAL, _LAST_RADICAL = 0x2E80, 0x2FDF
_CODE_POINT = re.compile(rb"<([0-9a-fA-F]{4})>")


def make_searchable(pdf: bytes) -> bytes:
    """Append a revision to `pdf` whose ToUnicode maps contain ideographs instead of radicals."""
    # Imported here because it loads 20 MB of modules that are needed only for writing a report.
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import NameObject, StreamObject

    writer = PdfWriter(io.BytesIO(pdf), incremental=True)
    reader = PdfReader(io.BytesIO(pdf))
    seen_fonts: set[int] = set()
    for page in writer.pages:
        for reference in page["/Resources"].get("/Font", {}).values():  # type: ignore[attr-defined]
            font = reference.get_object()
            number = getattr(reference, "idnum", id(font))
            if number in seen_fonts or "/ToUnicode" not in font:
                continue
            seen_fonts.add(number)
            old = font["/ToUnicode"].get_data()
            new = _CODE_POINT.sub(_ideograph, old)
            if new != old:
                stream = StreamObject()
                stream.set_data(new)
                font[NameObject("/ToUnicode")] = writer._add_object(stream.flate_encode())
    if reader.trailer.get("/ID") is not None:
        writer._ID = reader.trailer["/ID"]  # type: ignore[assignment]
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()


def _ideograph(match: re.Match[bytes]) -> bytes:
    code = int(match.group(1), 16)
    if not _FIRST_RADICAL <= code <= _LAST_RADICAL:
        return match.group()
    plain = _IDEOGRAPHS.get(code) or ord(unicodedata.normalize("NFKC", chr(code))[0])
    return b"<%04x>" % plain
