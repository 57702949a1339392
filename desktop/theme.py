"""Defines colours, type and spacing of the windows, light and dark, and applies them.

`theme_manager()` is the one object that knows which theme is in force. Ordinary widgets follow it by the
palette and the stylesheet; a widget that paints itself reads `theme_manager().theme` when it paints.

A stylesheet of the whole application makes Qt restyle every widget, which takes half a second. So a main
window (`ThemeManager.style_parts_separately`) has each of its parts wear the stylesheet: a change of the
theme dresses the frame at once, the page that is seen in the next turn of the event loop, and what is hidden
when it is shown next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import lru_cache
from string import Template
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget
from shiboken6 import isValid

from desktop.background.repaint import repaint_later
from desktop.localization.fonts import ui_font
from shared.paths import resource

RADIUS = 6
"""Corner radius of controls, px."""
CARD_RADIUS = 10
"""Corner radius of cards, px."""
TEXT_PX = 13
LABEL_PX = 11
ITEM_PX = 16
AA = 4.5
"""Least contrast of text to its ground, WCAG 2.2 criterion 1.4.3."""


@lru_cache(maxsize=512)
def luminance(colour: str) -> float:
    """Relative luminance (0..1) of ``#rrggbb``, as WCAG 2.2 defines it."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast ratio (1..21) of two ``#rrggbb`` colours, as WCAG 2.2 defines it."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=2048)
def mix(colour: str, ground: str, share: float) -> str:
    """`share` (0..1) of `colour` over `ground`, as ``#rrggbb``."""
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@lru_cache(maxsize=512)
def readable(colour: str, *grounds: str) -> str:
    """`colour`, moved towards white or black just far enough to be read as text on every one of `grounds`."""
    darkest = min(luminance(ground) for ground in grounds)
    goal = "#ffffff" if darkest < 0.18 else "#000000"
    for step in range(0, 101, 2):
        moved = mix(goal, colour, step / 100)
        if all(contrast(moved, ground) >= AA for ground in grounds):
            return moved
    return goal


@lru_cache(maxsize=64)
def ink_on(ground: str) -> str:
    """White or near-black, whichever is read better on the solid colour `ground`."""
    return max("#ffffff", "#0e1013", key=lambda ink: contrast(ink, ground))


@lru_cache(maxsize=64)
def _ground_for(ink: str, colour: str, goal: str) -> str:
    """`colour`, moved towards `goal` just far enough for `ink` to be read on it."""
    steps = (mix(goal, colour, step / 100) for step in range(101))
    return next(ground for ground in steps if contrast(ground, ink) >= AA)


@dataclass(frozen=True)
class Theme:
    """The colours of one theme, each ``#rrggbb``; the fields up to `canvas` are the look's own table.

    `faint` is for marks and disabled text only: it does not reach the contrast of text.
    """

    name: str
    bg: str
    panel: str
    raised: str
    line: str
    text: str
    dim: str
    faint: str
    accent: str
    accent_ground: str
    passed: str
    failed: str
    undecided: str
    canvas: str

    @property
    def dark(self) -> bool:
        """True when text is lighter than its ground."""
        return self.name == "dark"

    @property
    def field(self) -> str:
        """Ground of a text field: darker than the panel in the dark theme, raised in the light one."""
        return self.bg if self.dark else self.raised

    @property
    def accent_ink(self) -> str:
        """Text on solid accent, and on every other `solid` colour."""
        return ink_on(self.accent)

    def solid(self, tone: str) -> str:
        """The colour of `tone` as a full ground, moved just far enough for `accent_ink` to be read on it."""
        return _ground_for(self.accent_ink, getattr(self, tone), "#ffffff" if self.dark else "#000000")

    @property
    def accent_text(self) -> str:
        """Links and accent words, on any ground of the theme."""
        return readable(self.accent, self.bg, self.panel, self.raised, self.accent_ground)

    @property
    def dim_text(self) -> str:
        """Secondary text on a selected row, where plain `dim` may be too weak."""
        return readable(self.dim, self.accent_ground, self.raised)

    def ground(self, tone: str) -> str:
        """The tinted ground of a pill of `tone`: accent, passed, failed, undecided or dim."""
        if tone == "accent":
            return self.accent_ground
        if tone == "dim":
            return mix(self.dim, self.panel, 0.14)
        return mix(getattr(self, tone), self.panel, 0.16)

    def word(self, tone: str) -> str:
        """The colour of a word of `tone` (as in `ground`), read on its own ground and on panels."""
        return readable(getattr(self, tone), self.ground(tone), self.panel, self.bg, self.raised)

    def colour(self, name: str) -> QColor:
        """A token or derived colour by its name."""
        return QColor(getattr(self, name))


DARK = Theme(
    name="dark",
    bg="#14171b",
    panel="#1b1f25",
    raised="#232930",
    line="#2e353e",
    text="#e7eaee",
    dim="#96a1ae",
    faint="#66717e",
    accent="#4aa3ff",
    accent_ground="#17395c",
    passed="#3fb97a",
    failed="#ff5d57",
    undecided="#e0a63a",
    canvas="#0e1013",
)
LIGHT = Theme(
    name="light",
    bg="#f3f5f7",
    panel="#ffffff",
    raised="#f0f2f5",
    line="#dde2e8",
    text="#1a2027",
    dim="#5a6673",
    faint="#8a95a2",
    accent="#0b6fd6",
    accent_ground="#dcebfb",
    passed="#1d8a54",
    failed="#cf2f2a",
    undecided="#a8700a",
    canvas="#d9dde2",
)


class Mode(StrEnum):
    """What the person chose: a theme, or whatever the system says."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_SCHEMES = {
    Mode.SYSTEM: Qt.ColorScheme.Unknown,
    Mode.LIGHT: Qt.ColorScheme.Light,
    Mode.DARK: Qt.ColorScheme.Dark,
}


@lru_cache(maxsize=4)
def stylesheet(theme: Theme) -> str:
    """The stylesheet of all widgets: `resources/themes/walkaround.qss` filled with the tokens of `theme`."""
    values = {field.name: getattr(theme, field.name) for field in fields(theme)}
    values |= {
        "field": theme.field,
        "accent_ink": theme.accent_ink,
        "placeholder": theme.dim_text,
        "accent_text": theme.accent_text,
        "failed_text": theme.word("failed"),
        "hover": mix(theme.text, theme.raised, 0.06),
        "pressed": mix(theme.text, theme.raised, 0.12),
        "scroll": mix(theme.text, theme.panel, 0.18),
        "scroll_hover": mix(theme.text, theme.panel, 0.32),
        "drawings": resource("themes").as_posix(),
    }
    return Template(resource("themes", "walkaround.qss").read_text(encoding="utf-8")).substitute(values)


def palette(theme: Theme) -> QPalette:
    """The Qt palette of `theme`, for everything that the stylesheet does not name."""
    qt_palette = QPalette()
    role = QPalette.ColorRole
    for which, colour in {
        role.Window: theme.bg,
        role.Base: theme.panel,
        role.AlternateBase: theme.raised,
        role.Button: theme.raised,
        role.Mid: theme.line,
        role.Midlight: theme.line,
        role.Light: theme.raised,
        role.Dark: theme.line,
        role.Shadow: theme.canvas,
        role.WindowText: theme.text,
        role.Text: theme.text,
        role.ButtonText: theme.text,
        role.BrightText: theme.text,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.dim_text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.accent_ink,
        role.Accent: theme.accent,
        role.Link: theme.accent_text,
        role.LinkVisited: theme.accent_text,
    }.items():
        qt_palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        qt_palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(theme.faint))
    return qt_palette


def sized(pixels: int, bold: bool = False) -> QFont:
    """The UI font at another size of the scale (px), weight 400 or 600; for widgets that paint text."""
    return QFont(_sized(QApplication.font(), pixels, bold))


@lru_cache(maxsize=32)
def _sized(base: QFont, pixels: int, bold: bool) -> QFont:
    font = QFont(base)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def line_px(size: int, bold: bool = False) -> int:
    """The height in px of a line of text of `size` px in the UI font."""
    return _line_px(QApplication.font(), size, bold)


@lru_cache(maxsize=32)
def _line_px(base: QFont, size: int, bold: bool) -> int:
    return math.ceil(QFontMetricsF(_sized(base, size, bold)).height())


def text_px(text: str, size: int, bold: bool = False) -> float:
    """The width in px of a line of `text` of `size` px in the UI font."""
    return _text_px(QApplication.font(), text, size, bold)


@lru_cache(maxsize=2048)
def _text_px(base: QFont, text: str, size: int, bold: bool) -> float:
    return QFontMetricsF(_sized(base, size, bold)).horizontalAdvance(text)


def system_scheme() -> Qt.ColorScheme:
    """The colour scheme of the system as Qt knows it now."""
    return QGuiApplication.styleHints().colorScheme()


class ThemeManager(QObject):
    """The theme in force: follows the system's colour scheme, or a mode that the person chose."""

    themeChanged = Signal(object)  # noqa: N815 - a Qt signal
    """The new `Theme`, after the palette is in force; what is dressed late wears the old one for a moment."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._mode = Mode.SYSTEM
        self._theme = LIGHT
        self._by_parts = False
        self._worn: WeakKeyDictionary[QWidget, tuple[Theme | None, bool]] = WeakKeyDictionary()
        self._late = QTimer(self, singleShot=True, interval=0)
        self._late.timeout.connect(self._style_late)
        application.setStyle(QStyleFactory.create("Fusion"))
        application.setFont(ui_font(TEXT_PX))
        application.styleHints().colorSchemeChanged.connect(self._follow)
        self._apply(self._wanted())

    @property
    def theme(self) -> Theme:
        """The theme in force now."""
        return self._theme

    @property
    def mode(self) -> Mode:
        """What the person chose."""
        return self._mode

    def set_mode(self, mode: Mode) -> None:
        """Choose a theme, or follow the system; takes effect at once."""
        self._mode = mode
        self._application.styleHints().setColorScheme(_SCHEMES[mode])
        self._follow()

    def _wanted(self) -> Theme:
        if self._mode is Mode.SYSTEM:
            return DARK if system_scheme() is Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode is Mode.DARK else LIGHT

    def _follow(self) -> None:
        wanted = self._wanted()
        if wanted is not self._theme:
            self._apply(wanted)
            self.themeChanged.emit(wanted)

    def style_parts_separately(self) -> None:
        """From now on only the widgets passed to `apply_to` get the stylesheet."""
        self._by_parts = True
        self._style_all()

    def apply_to(self, widget: QWidget, late: bool = False) -> None:
        """Have a part of a window, with all in it, wear the theme in force from now on.

        With `late`, for what is large or seldom seen, it follows another theme in the next turn of the event
        loop, and not while it is hidden: then when it is shown, or when this is called again before.
        """
        worn = self._worn.get(widget)
        self._worn[widget] = (worn[0] if worn is not None else None, late)
        self._put_on(widget)

    def _put_on(self, widget: QWidget) -> None:
        worn, late = self._worn[widget]
        wanted = self._theme if self._by_parts else None
        if worn is not wanted:
            self._worn[widget] = (wanted, late)
            widget.setStyleSheet(stylesheet(wanted) if wanted is not None else "")

    def _style_all(self) -> None:
        whole = "" if self._by_parts else stylesheet(self._theme)
        if self._application.styleSheet() != whole:
            self._application.setStyleSheet(whole)
        for widget, (_, late) in list(self._worn.items()):
            if not isValid(widget):
                del self._worn[widget]
            elif not late:
                self._put_on(widget)
            elif not widget.isVisible():
                widget.installEventFilter(self)
        self._late.start()

    def _style_late(self) -> None:
        for widget, (_, late) in list(self._worn.items()):
            if late and isValid(widget) and widget.isVisible():
                repaint_later(widget)
                self._put_on(widget)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget):
            watched.removeEventFilter(self)
            self._put_on(watched)
        return super().eventFilter(watched, event)

    def _apply(self, theme: Theme) -> None:
        self._theme = theme
        self._application.setPalette(palette(theme))
        self._style_all()


_manager: ThemeManager | None = None


def theme_manager() -> ThemeManager:
    """The one `ThemeManager` of the running application; made, and the theme applied, at the first call.

    Raises RuntimeError when there is no QApplication yet.
    """
    global _manager
    # It is a child of the application, and deleted with it. Every paint asks for it.
    if _manager is None or not isValid(_manager):
        application = QGuiApplication.instance()
        if not isinstance(application, QApplication):
            raise RuntimeError("make the QApplication before asking for its look")
        _manager = ThemeManager(application)
    return _manager
