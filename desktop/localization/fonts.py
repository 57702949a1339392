"""Gives the font of the interface and finds characters that no installed font has."""

from __future__ import annotations

import unicodedata

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetrics

PACKAGE = "fonts-noto-cjk"
"""The package of Debian and Ubuntu that brings Chinese characters."""

_HAN_FAMILIES = ["Microsoft YaHei UI", "PingFang SC", "Noto Sans CJK SC", "Source Han Sans SC"]
_FALLBACK_FAMILIES = ["Inter", "Noto Sans", "Open Sans", "Noto Sans CJK SC", "DejaVu Sans"]
_UGLY_DEFAULTS = {"DejaVu Sans", "DejaVu Math TeX Gyre", "Bitstream Vera Sans", "Nimbus Sans"}
"""What a system without a configured UI font resolves to."""
_CHINESE = "检查记录，通过"

# Controls, formats and spaces have no glyph of their own, or Qt makes one up.
_WITHOUT_GLYPH = {"Cc", "Cf", "Zl", "Zp", "Zs"}
_VARIATIONS = range(0xFE00, 0xFE10)


class MissingGlyphsError(Exception):
    """No font of this computer has these `characters`."""

    def __init__(self, characters: str) -> None:
        super().__init__(" ".join(f"U+{ord(character):04X}" for character in characters))
        self.characters = characters

    @property
    def chinese(self) -> bool:
        """True when a Chinese font would bring at least one of them."""
        return any(unicodedata.name(character, "").startswith("CJK ") for character in self.characters)


def ui_font(size: int) -> QFont:
    """The system's UI font at `size` px, with the simplified forms preferred for Chinese characters.

    A bare X server names no UI font and falls back to a wide screen font of the nineties; there the first
    installed of a few current ones is taken.
    """
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    family = font.family()
    if QFontInfo(font).family() in _UGLY_DEFAULTS:
        installed = set(QFontDatabase.families())
        family = next((name for name in _FALLBACK_FAMILIES if name in installed), family)
    font.setFamilies([family, *(name for name in _HAN_FAMILIES if name != family)])
    font.setPixelSize(size)
    return font


def missing(text: str, font: QFont) -> str:
    """The characters of `text` that neither `font` nor any font that Qt falls back to has, each once."""
    metrics = QFontMetrics(font)
    return "".join(
        character
        for character in dict.fromkeys(text)
        if unicodedata.category(character) not in _WITHOUT_GLYPH
        and ord(character) not in _VARIATIONS
        and not metrics.inFontUcs4(ord(character))
    )


def shows_chinese() -> bool:
    """True when there is a font for Chinese. Needs a QGuiApplication."""
    return not missing(_CHINESE, ui_font(16))
