"""Gives the font of the interface and finds characters that no installed font has."""

from __future__ import annotations

import unicodedata

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetrics

FONT_PACKAGE = "fonts-noto-cjk"
"""The package of Debian and Ubuntu with a Chinese font."""

_HAN_FAMILIES = ["Microsoft YaHei UI", "PingFang SC", "Noto Sans CJK SC", "Source Han Sans SC"]
_FALLBACK_FAMILIES = ["Inter", "Noto Sans", "Open Sans", "Noto Sans CJK SC", "DejaVu Sans"]
_QT_LAST_RESORTS = {"DejaVu Sans", "DejaVu Math TeX Gyre", "Bitstream Vera Sans", "Nimbus Sans"}
"""The families that Qt uses on a system without a configured UI font."""
_CHINESE_SAMPLE = "检查记录，通过"

# Unicode categories of control, format and separator characters, which need no glyph of a font.
_CATEGORIES_WITHOUT_GLYPH = {"Cc", "Cf", "Zl", "Zp", "Zs"}
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)


class MissingGlyphsError(Exception):
    """Raised when no font of this computer has these `characters`."""

    def __init__(self, characters: str) -> None:
        super().__init__(" ".join(f"U+{ord(character):04X}" for character in characters))
        self.characters = characters

    @property
    def chinese(self) -> bool:
        """Whether a Chinese font would have at least one of them."""
        return any(unicodedata.name(character, "").startswith("CJK ") for character in self.characters)


def ui_font(size: int) -> QFont:
    """Return the system's UI font at `size` px, with simplified forms preferred for Chinese characters.

    A bare X server has no configured UI font, and Qt falls back to a dated wide one; then the first installed
    family of `_FALLBACK_FAMILIES` is used.
    """
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    family = font.family()
    if QFontInfo(font).family() in _QT_LAST_RESORTS:
        installed = set(QFontDatabase.families())
        family = next((name for name in _FALLBACK_FAMILIES if name in installed), family)
    font.setFamilies([family, *(name for name in _HAN_FAMILIES if name != family)])
    font.setPixelSize(size)
    return font


def find_missing_characters(text: str, font: QFont) -> str:
    """Return the characters of `text`, each once, that neither `font` nor its fallback fonts have."""
    metrics = QFontMetrics(font)
    return "".join(
        character
        for character in dict.fromkeys(text)
        if unicodedata.category(character) not in _CATEGORIES_WITHOUT_GLYPH
        and ord(character) not in _VARIATION_SELECTORS
        and not metrics.inFontUcs4(ord(character))
    )


def shows_chinese() -> bool:
    """Whether a font for Chinese is installed. Needs a QGuiApplication."""
    return not find_missing_characters(_CHINESE_SAMPLE, ui_font(16))
