"""Defines colours, type and spacing of the windows, light and dark, and applies them.

`theme_manager()` knows the current theme. Ordinary widgets follow it by the palette and the stylesheet; a
widget that paints itself reads `theme_manager().theme` when it paints.

A stylesheet of the whole application makes Qt restyle every widget, which takes half a second. So a main
window (`ThemeManager.style_parts_separately`) sets the stylesheet on each of its parts: a change of the theme
restyles the frame at once, the visible page in the next turn of the event loop, and hidden parts when they
are shown next.

Computes colours, as ``#rrggbb``, that are readable on each other.
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
from shared.system.paths import resource_path

AA = 4.5
"""Minimum contrast of text to its ground, WCAG 2.2 criterion 1.4.3."""


@lru_cache(maxsize=512)
def luminance(colour: str) -> float:
    """Return the relative luminance (0..1) of ``#rrggbb``, as WCAG 2.2 defines it."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio (1..21) of two ``#rrggbb`` colours, as WCAG 2.2 defines it."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=2048)
def mix(colour: str, ground: str, share: float) -> str:
    """Blend `share` (0..1) of `colour` over `ground`; returns ``#rrggbb``."""
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@lru_cache(maxsize=512)
def readable(colour: str, *grounds: str) -> str:
    """Shift `colour` towards white or black until its contrast as text on all `grounds` is at least AA."""
    darkest = min(luminance(ground) for ground in grounds)
    goal = "#ffffff" if darkest < 0.18 else "#000000"
    for step in range(0, 101, 2):
        moved = mix(goal, colour, step / 100)
        if all(contrast(moved, ground) >= AA for ground in grounds):
            return moved
    return goal


@lru_cache(maxsize=64)
def ink_on(ground: str) -> str:
    """Return white or near-black, whichever has more contrast to `ground`."""
    return max("#ffffff", "#0e1013", key=lambda ink: contrast(ink, ground))


@lru_cache(maxsize=64)
def ground_for(ink: str, colour: str, goal: str) -> str:
    """Shift `colour` towards `goal` until the contrast of `ink` on it is at least AA."""
    steps = (mix(goal, colour, step / 100) for step in range(101))
    return next(ground for ground in steps if contrast(ground, ink) >= AA)


RADIUS = 6
"""Corner radius of controls, px."""
CARD_RADIUS = 10
"""Corner radius of cards, px."""
TEXT_PX = 13
LABEL_PX = 11
ITEM_PX = 16


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
        """Return the colour of `tone` as a solid ground on which `accent_ink` is readable."""
        return ground_for(self.accent_ink, getattr(self, tone), "#ffffff" if self.dark else "#000000")

    @property
    def accent_text(self) -> str:
        """Links and accent words, on any ground of the theme."""
        return readable(self.accent, self.bg, self.panel, self.raised, self.accent_ground)

    @property
    def dim_text(self) -> str:
        """Secondary text on a selected row, where plain `dim` may be too weak."""
        return readable(self.dim, self.accent_ground, self.raised)

    def ground(self, tone: str) -> str:
        """Return the tinted ground of a pill of `tone`: accent, passed, failed, undecided or dim."""
        if tone == "accent":
            return self.accent_ground
        if tone == "dim":
            return mix(self.dim, self.panel, 0.14)
        return mix(getattr(self, tone), self.panel, 0.16)

    def word(self, tone: str) -> str:
        """Return the text colour of `tone`, readable on the `ground` of that tone and on panels."""
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
    """The user's choice: a theme, or that of the system."""

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
        "drawings": resource_path("themes").as_posix(),
    }
    return Template(resource_path("themes", "walkaround.qss").read_text(encoding="utf-8")).substitute(values)


def palette(theme: Theme) -> QPalette:
    """The Qt palette of `theme`, for everything that the stylesheet does not name."""
    qt_palette = QPalette()
    role = QPalette.ColorRole
    for colour_role, colour in {
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
        qt_palette.setColor(colour_role, QColor(colour))
    for colour_role in (role.WindowText, role.Text, role.ButtonText):
        qt_palette.setColor(QPalette.ColorGroup.Disabled, colour_role, QColor(theme.faint))
    return qt_palette


def text_font(pixels: int, bold: bool = False) -> QFont:
    """Return the UI font in `pixels`, of weight 400 or 600, for widgets that paint text."""
    return QFont(_resize_font(QApplication.font(), pixels, bold))


@lru_cache(maxsize=32)
def _resize_font(base: QFont, pixels: int, bold: bool) -> QFont:
    font = QFont(base)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def line_px(size: int, bold: bool = False) -> int:
    """Return the height in px of a line of text of `size` px in the UI font."""
    return _line_px(QApplication.font(), size, bold)


@lru_cache(maxsize=32)
def _line_px(base: QFont, size: int, bold: bool) -> int:
    return math.ceil(QFontMetricsF(_resize_font(base, size, bold)).height())


def text_px(text: str, size: int, bold: bool = False) -> float:
    """Return the width in px of `text` in `size` px of the UI font."""
    return _text_px(QApplication.font(), text, size, bold)


@lru_cache(maxsize=2048)
def _text_px(base: QFont, text: str, size: int, bold: bool) -> float:
    return QFontMetricsF(_resize_font(base, size, bold)).horizontalAdvance(text)


def system_scheme() -> Qt.ColorScheme:
    """The colour scheme of the system as Qt knows it now."""
    return QGuiApplication.styleHints().colorScheme()


class ThemeManager(QObject):
    """Applies the current theme, which follows the system's colour scheme or the mode that the user chose."""

    theme_changed = Signal(object)
    """The new `Theme`, after the palette is set; parts with `late` still have the old stylesheet."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._mode = Mode.SYSTEM
        self._theme = LIGHT
        self._styles_parts = False
        self._styled_widgets: WeakKeyDictionary[QWidget, tuple[Theme | None, bool]] = WeakKeyDictionary()
        self._late_timer = QTimer(self, singleShot=True, interval=0)
        self._late_timer.timeout.connect(self._style_late_widgets)
        application.setStyle(QStyleFactory.create("Fusion"))
        application.setFont(ui_font(TEXT_PX))
        application.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        self._apply(self._effective_theme())

    @property
    def theme(self) -> Theme:
        """The theme in force now."""
        return self._theme

    @property
    def mode(self) -> Mode:
        """The user's choice."""
        return self._mode

    def set_mode(self, mode: Mode) -> None:
        """Choose a theme, or follow the system; takes effect at once."""
        self._mode = mode
        self._application.styleHints().setColorScheme(_SCHEMES[mode])
        self._on_scheme_changed()

    def _effective_theme(self) -> Theme:
        if self._mode is Mode.SYSTEM:
            return DARK if system_scheme() is Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode is Mode.DARK else LIGHT

    def _on_scheme_changed(self) -> None:
        theme = self._effective_theme()
        if theme is not self._theme:
            self._apply(theme)
            self.theme_changed.emit(theme)

    def style_parts_separately(self) -> None:
        """From now on only the widgets passed to `apply_to` get the stylesheet."""
        self._styles_parts = True
        self._style_all()

    def apply_to(self, widget: QWidget, late: bool = False) -> None:
        """Set the stylesheet of the theme on a part of a window, now and after each change of the theme.

        With `late`, for large or seldom visible parts, a change is applied in the next turn of the event
        loop, or for a hidden part when it is shown or this is called again.
        """
        styled = self._styled_widgets.get(widget)
        self._styled_widgets[widget] = (styled[0] if styled is not None else None, late)
        self._style_widget(widget)

    def _style_widget(self, widget: QWidget) -> None:
        current, late = self._styled_widgets[widget]
        target = self._theme if self._styles_parts else None
        if current is not target:
            self._styled_widgets[widget] = (target, late)
            widget.setStyleSheet(stylesheet(target) if target is not None else "")

    def _style_all(self) -> None:
        sheet = "" if self._styles_parts else stylesheet(self._theme)
        if self._application.styleSheet() != sheet:
            self._application.setStyleSheet(sheet)
        for widget, (_, late) in list(self._styled_widgets.items()):
            if not isValid(widget):
                del self._styled_widgets[widget]
            elif not late:
                self._style_widget(widget)
            elif not widget.isVisible():
                widget.installEventFilter(self)
        self._late_timer.start()

    def _style_late_widgets(self) -> None:
        for widget, (_, late) in list(self._styled_widgets.items()):
            if late and isValid(widget) and widget.isVisible():
                repaint_later(widget)
                self._style_widget(widget)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget):
            watched.removeEventFilter(self)
            self._style_widget(watched)
        return super().eventFilter(watched, event)

    def _apply(self, theme: Theme) -> None:
        self._theme = theme
        self._application.setPalette(palette(theme))
        self._style_all()


_manager: ThemeManager | None = None


def theme_manager() -> ThemeManager:
    """Return the `ThemeManager` of the running application, made at the first call, which applies the theme.

    Raises RuntimeError when there is no QApplication yet.
    """
    global _manager
    # It is a child of the application and deleted with it.
    if _manager is None or not isValid(_manager):
        application = QGuiApplication.instance()
        if not isinstance(application, QApplication):
            raise RuntimeError("make the QApplication before asking for its look")
        _manager = ThemeManager(application)
    return _manager
