"""Builds a font for tests, for machines without a font that has Chinese characters."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._g_l_y_f import Glyph

from shared.system.paths import program_folder

FAMILY = "Walkaround Test"
_EM = 1000
_CELL = 200
_FIRST_CHINESE = 0x2E80


@cache
def chinese_characters() -> str:
    """All Chinese characters and punctuation marks of the project's texts."""
    letters: set[str] = set()
    for folder, kind in (("desktop", "*.py"), ("service", "*.py"), ("tests", "*.py"), ("resources", "*.ts")):
        for path in (program_folder() / folder).rglob(kind):
            letters |= {letter for letter in path.read_text("utf-8") if ord(letter) >= _FIRST_CHINESE}
    return "".join(sorted(letter for letter in letters if ord(letter) < 0xFFF0))


def build_font(characters: Iterable[str], family: str = FAMILY, ascent: int = 1160) -> bytes:
    """A TrueType font with these characters. A glyph is 4 x 4 squares, one for each bit of the code."""
    codes = sorted({ord(letter) for letter in characters} | {ord(" ")})
    names = {code: f"u{code:04X}" for code in codes}
    glyphs = {".notdef": _squares(0xFFFF), **{names[code]: _squares(code) for code in codes}}
    glyphs[names[ord(" ")]] = _squares(0)
    font = FontBuilder(_EM, isTTF=True)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap(names)
    font.setupGlyf(glyphs)
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (_EM, 0)))
    font.setupHorizontalHeader(ascent=ascent, descent=-288)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    # The bits of simplified Chinese, by which a system selects the font.
    font.setupOS2(
        sTypoAscender=880,
        sTypoDescender=-120,
        usWinAscent=ascent,
        usWinDescent=288,
        fsType=0,
        ulUnicodeRange2=1 << 27,
        ulCodePageRange1=1 << 18,
    )
    font.setupPost()
    buffer = BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def write_font_config(folder: Path, font: bytes) -> Path:
    """Write to `folder` the configuration (FONTCONFIG_FILE) of a system whose only font is `font`."""
    fonts = folder / "fonts"
    fonts.mkdir()
    (fonts / "only.ttf").write_bytes(font)
    config = folder / "fonts.conf"
    config.write_text(
        f"<fontconfig><dir>{fonts}</dir><cachedir>{folder / 'font-cache'}</cachedir></fontconfig>", "utf-8"
    )
    return config


def _squares(bits: int) -> Glyph:
    pen = TTGlyphPen(None)
    for bit in range(16):
        if bits >> bit & 1:
            x, y = 100 + bit % 4 * _CELL, bit // 4 * _CELL
            pen.moveTo((x, y))
            for corner in ((x, y + _CELL), (x + _CELL, y + _CELL), (x + _CELL, y)):
                pen.lineTo(corner)
            pen.closePath()
    return pen.glyph()
