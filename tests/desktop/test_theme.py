"""The tokens of the look, and that every text can be read on its ground."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QGuiApplication, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QListView
from pytestqt.qtbot import QtBot

from desktop.theme import (
    AA,
    DARK,
    LIGHT,
    Mode,
    Theme,
    contrast,
    ink_on,
    line_px,
    mix,
    readable,
    stylesheet,
    text_font,
    text_px,
    theme_manager,
)
from shared.system.paths import resource_path

TONES = ("accent", "passed", "failed", "undecided", "dim")
BOTH = pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)


def test_contrast_matches_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#ffffff", "#ffffff") == 1


def test_mix_and_readable() -> None:
    assert mix("#ffffff", "#000000", 0.5) == "#808080"
    assert readable("#111111", "#ffffff") == "#111111"
    assert contrast(readable("#888888", "#808080"), "#808080") >= AA


@BOTH
@pytest.mark.parametrize("ground", ["bg", "panel", "raised", "field", "accent_ground"])
@pytest.mark.parametrize("ink", ["text", "dim_text", "accent_text"])
def test_text_is_readable_on_every_ground(theme: Theme, ground: str, ink: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= AA


@BOTH
@pytest.mark.parametrize("ground", ["bg", "panel", "raised"])
def test_dim_labels_are_readable(theme: Theme, ground: str) -> None:
    assert contrast(theme.dim, getattr(theme, ground)) >= AA


@BOTH
@pytest.mark.parametrize("tone", TONES)
def test_verdict_words_are_readable_on_their_pill_and_on_panels(theme: Theme, tone: str) -> None:
    for ground in (theme.ground(tone), theme.panel, theme.bg, theme.raised):
        assert contrast(theme.word(tone), ground) >= AA


@BOTH
@pytest.mark.parametrize("tone", ["accent", "passed", "failed", "undecided"])
def test_solid_colours_carry_the_ink(theme: Theme, tone: str) -> None:
    assert contrast(theme.accent_ink, theme.solid(tone)) >= AA
    assert theme.solid("accent") == theme.accent
    assert ink_on(theme.accent) == theme.accent_ink


@BOTH
def test_style_table_is_cached(theme: Theme) -> None:
    assert (theme.bg, theme.accent) == {
        "dark": ("#14171b", "#4aa3ff"),
        "light": ("#f3f5f7", "#0b6fd6"),
    }[theme.name]


@BOTH
def test_stylesheet_is_filled_and_its_drawings_exist(theme: Theme) -> None:
    sheet = stylesheet(theme)
    assert "$" not in sheet
    drawings = re.findall(r'url\("([^"]+)"\)', sheet)
    assert drawings
    for drawing in drawings:
        assert resource_path("themes", drawing.rsplit("/", 1)[1]).is_file()
    chevron = resource_path("themes", f"chevron-{theme.name}.svg").read_text(encoding="utf-8")
    tick = resource_path("themes", f"tick-{theme.name}.svg").read_text(encoding="utf-8")
    assert theme.dim in chevron
    assert theme.accent_ink in tick


@BOTH
def test_unchecked_box_of_a_list_is_visible(qtbot: QtBot, theme: Theme) -> None:
    view, model = QListView(), QStandardItemModel()
    qtbot.addWidget(view)
    item = QStandardItem("")
    item.setCheckable(True)
    model.appendRow(item)
    view.setModel(model)
    view.setStyleSheet(stylesheet(theme))
    view.resize(100, 60)
    picture = view.grab(QRect(0, 0, 40, 20)).toImage()
    colours = {
        picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())
    }
    # Its frame, as that of the check boxes.
    assert theme.faint in colours


def test_switch_changes_the_palette_and_emits_a_signal(qapp: QApplication) -> None:
    themes: list[Theme] = []
    theme_manager().set_mode(Mode.LIGHT)
    theme_manager().theme_changed.connect(themes.append)
    try:
        theme_manager().set_mode(Mode.DARK)
        assert themes == [DARK]
        assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.bg
        theme_manager().set_mode(Mode.DARK)
        assert themes == [DARK]
        theme_manager().set_mode(Mode.LIGHT)
        assert theme_manager().theme is LIGHT
    finally:
        theme_manager().theme_changed.disconnect(themes.append)
        theme_manager().set_mode(Mode.SYSTEM)


def test_hidden_widget_gets_the_theme_when_it_is_shown(qtbot: QtBot) -> None:
    theme_manager().set_mode(Mode.LIGHT)
    theme_manager().style_parts_separately()
    popup = QListView()
    qtbot.addWidget(popup)
    theme_manager().apply_to(popup, late=True)
    try:
        theme_manager().set_mode(Mode.DARK)
        assert popup.styleSheet() == stylesheet(LIGHT)
        popup.show()
        assert popup.styleSheet() == stylesheet(DARK)
    finally:
        theme_manager().set_mode(Mode.SYSTEM)


def test_the_system_is_followed_by_default(qapp: QApplication) -> None:
    theme_manager().set_mode(Mode.SYSTEM)
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert theme_manager().theme is (DARK if dark else LIGHT)


def test_there_is_one_style(qapp: QApplication) -> None:
    assert theme_manager() is theme_manager()
    assert qapp.font().pixelSize() == 13


@BOTH
@pytest.mark.parametrize("ground", ["bg", "panel", "raised", "field"])
def test_the_line_of_the_focus_is_seen(theme: Theme, ground: str) -> None:
    # WCAG 2.2, 1.4.11 and 2.4.13: three to one to what lies beside it
    assert contrast(theme.accent, getattr(theme, ground)) >= 3


@BOTH
def test_chosen_and_ticked_are_seen(theme: Theme) -> None:
    assert contrast(theme.text, theme.accent_ground) >= AA
    assert contrast(theme.accent_ink, theme.accent) >= 3


@BOTH
@pytest.mark.parametrize("ground", ["bg", "panel", "raised", "field"])
def test_disabled_controls_are_readable(theme: Theme, ground: str) -> None:
    # WCAG asks for nothing here; what is greyed out must not be taken for missing
    assert contrast(theme.faint, getattr(theme, ground)) >= 2.5


def test_sizes_of_text_follow_the_font_of_the_application(qapp: QApplication) -> None:
    theme_manager()
    before = QApplication.font()
    text = "Inspection"
    try:
        narrow = text_px(text, 13)
        assert text_px(text, 26) > 1.5 * narrow
        assert line_px(26) > 1.5 * line_px(13)
        wide = QFont(before)
        wide.setStretch(200)
        qapp.setFont(wide)
        assert text_font(13).stretch() == 200
        assert text_px(text, 13) > 1.5 * narrow
    finally:
        qapp.setFont(before)


def test_a_font_of_the_scale_may_be_changed(qapp: QApplication) -> None:
    theme_manager()
    text_font(13).setItalic(True)
    assert not text_font(13).italic()
