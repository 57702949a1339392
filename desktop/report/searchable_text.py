"""Makes the Chinese text of a PDF that Qt wrote searchable.

Fonts share one glyph between an ideograph and the radical that looks like it (飞 U+98DE and ⻜ U+2EDC). Qt
maps a glyph back to the lowest code point, so copied text and searches get the radical. This module appends a
revision of the PDF's ToUnicode maps that names the ideographs. The pages do not change.
"""

from __future__ import annotations

import io
import re
import unicodedata

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
