"""Defines the colours of the canvas. The page passes those of its theme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor

from desktop.canvas.model.regions import RegionState


@dataclass(frozen=True, slots=True)
class CanvasColours:
    """Colours as ``#rrggbb``. The defaults are the light theme; `DARK_COLOURS` is the dark one."""

    canvas: str = "#d9dde2"
    panel: str = "#ffffff"
    raised: str = "#f0f2f5"
    line: str = "#dde2e8"
    text: str = "#1a2027"
    dim: str = "#5a6673"
    accent: str = "#0b6fd6"
    passed: str = "#1d8a54"
    failed: str = "#cf2f2a"
    undecided: str = "#a8700a"

    def state_colour(self, state: RegionState) -> QColor:
        """The colour of a region that is not selected."""
        match state:
            case RegionState.PASSED:
                return QColor(self.passed)
            case RegionState.FAILED:
                return QColor(self.failed)
            case RegionState.UNDECIDED:
                return QColor(self.undecided)
            case RegionState.NONE:
                return QColor(self.dim)


DARK_COLOURS = CanvasColours(
    canvas="#0e1013",
    panel="#1b1f25",
    raised="#232930",
    line="#2e353e",
    text="#e7eaee",
    dim="#96a1ae",
    accent="#4aa3ff",
    passed="#3fb97a",
    failed="#ff5d57",
    undecided="#e0a63a",
)


def theme_colours(dark: bool) -> CanvasColours:
    """The colours of the dark theme, or of the light one."""
    return DARK_COLOURS if dark else CanvasColours()


_INK, _WHITE = QColor("#0e1013"), QColor("#ffffff")
_MIN_CONTRAST = 4.5


@lru_cache(maxsize=64)
def _chip_colours(rgb: int) -> tuple[QColor, QColor]:
    colour = QColor.fromRgb(rgb)
    ground = QColor(colour)
    for _ in range(3):
        if contrast(ground, _WHITE) >= _MIN_CONTRAST:
            return ground, _WHITE
        ground = ground.darker(104)
    return colour, _INK


def chip_colours(colour: QColor) -> tuple[QColor, QColor]:
    """Background and text colour for a chip of this colour, with a contrast of at least 4.5 (WCAG 2.2, AA).

    The text is white if the colour, slightly darkened, is dark enough, else dark.
    """
    return _chip_colours(colour.rgb())


def contrast(first: QColor, second: QColor) -> float:
    """Contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
