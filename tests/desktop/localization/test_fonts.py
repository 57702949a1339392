"""Fonts: what a computer lacks is seen before anything is written or shown, and said with what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.app.application import build_pages
from desktop.app.window import MainWindow
from desktop.context import Context
from desktop.localization import fonts, language
from desktop.localization.fonts import MissingGlyphsError, find_missing_characters, ui_font
from desktop.localization.language import Language
from desktop.messages.error_messages import sentence
from desktop.report import pdf
from desktop.widgets import Button, Chip, FilterChips, SearchField, StatusBar, Table, key_hint
from desktop.widgets.table import Column
from shared.system.paths import program_command, program_folder
from tests.desktop.report.test_report import report
from tests.fonts import build_font, write_font_config

NOWHERE = "\ue123"
"""A character of the private area: no font has it."""


@pytest.fixture
def no_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without a Chinese font, as far as the program can tell."""
    for module in (fonts, language):
        monkeypatch.setattr(module, "shows_chinese", lambda: False)


@pytest.fixture
def tall_font(qapp: QApplication) -> Iterator[str]:
    """The UI is written in a font whose letters are as wide as high, and its lines nearly twice as high."""
    letters = "".join(chr(code) for code in range(33, 127))
    number = QFontDatabase.addApplicationFontFromData(QByteArray(build_font(letters, "Tall", ascent=1600)))
    before = qapp.font()
    font = ui_font(theme.TEXT_PX)
    font.setFamilies(["Tall"])
    qapp.setFont(font)
    yield "Tall"
    qapp.setFont(before)
    QFontDatabase.removeApplicationFont(number)


def test_missing_characters_are_reported_except_those_without_glyph(qapp: QApplication) -> None:
    font = ui_font(13)
    assert find_missing_characters("Aé检 \n\t\u200b\u3000\ufe0f", font) == ""
    assert find_missing_characters(f"A{NOWHERE}B{NOWHERE}", font) == NOWHERE


@pytest.mark.parametrize("place", ["title", "evidence", "made_by", "item"])
def test_a_report_with_a_character_of_no_font_is_not_written(
    qtbot: QtBot, tmp_path: Path, place: str
) -> None:
    whole = report(2)
    if place == "item":
        whole = replace(whole, items=(replace(whole.items[0], reason=f"a {NOWHERE}"),))
    elif place == "evidence":
        whole = replace(whole, evidence=(replace(whole.evidence[0], name=NOWHERE),))
    else:
        texts: dict[str, Any] = {place: NOWHERE}
        whole = replace(whole, **texts)
    with pytest.raises(MissingGlyphsError) as caught:
        pdf.write(whole, tmp_path / "report.pdf")
    assert caught.value.characters == NOWHERE
    assert list(tmp_path.iterdir()) == []


def test_control_characters_leave_no_gap_in_a_report(qtbot: QtBot, tmp_path: Path) -> None:
    pdf.write(report(1, title="Left\x07 \x00wing"), tmp_path / "report.pdf")
    text = "".join(page.extract_text() for page in PdfReader(tmp_path / "report.pdf").pages)
    assert "Left" in text
    assert "wing" in text
    assert "\x00" not in text


def test_the_sentence_names_the_package_or_the_characters() -> None:
    assert "fonts-noto-cjk" in sentence(MissingGlyphsError("检"))
    assert "U+E123" in sentence(MissingGlyphsError(NOWHERE))
    assert "HTML" in sentence(MissingGlyphsError(NOWHERE))


def test_without_a_chinese_font_the_program_is_english_and_names_the_package(
    context: Context, no_chinese: None, qtbot: QtBot
) -> None:
    context.preferences.change(language="zh_CN")
    spoken = Language()
    spoken.use("zh_CN")
    window = MainWindow(context, build_pages(context, lambda _url: None))
    qtbot.addWidget(window)
    try:
        assert spoken.code == "en"
        assert not window.font_banner.isHidden()
        assert "fonts-noto-cjk" in window.font_banner.text()
    finally:
        context.closing.emit()
        spoken.end()


def test_with_a_font_no_message_is_shown(context: Context, qtbot: QtBot) -> None:
    context.preferences.change(language="zh_CN")
    window = MainWindow(context, build_pages(context, lambda _url: None))
    qtbot.addWidget(window)
    assert window.font_banner.isHidden()
    context.closing.emit()


def bare_environment(folder: Path) -> dict[str, str]:
    letters = "".join(chr(code) for code in range(33, 127)) + "–×·…"
    return {
        **os.environ,
        "FONTCONFIG_FILE": str(write_font_config(folder, build_font(letters))),
        "QT_QPA_PLATFORM": "offscreen",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="the fonts of a system are chosen by fontconfig there")
def test_the_doctor_of_a_computer_without_a_chinese_font_names_the_package(tmp_path: Path) -> None:
    run = subprocess.run(
        program_command("doctor", "--data-dir", str(tmp_path / "data")),
        cwd=program_folder(),
        env=bare_environment(tmp_path),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    (line,) = [line for line in run.stdout.splitlines() if "font" in line]
    assert line.startswith("warn")
    assert "fonts-noto-cjk" in line
    # The service's part is there too.
    assert "database" in run.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the fonts of a system are chosen by fontconfig there")
def test_check_reports_a_missing_chinese_font_for_the_pdf(tmp_path: Path) -> None:
    """The check and the PDF of Qt agree: what is said to be there is written, the rest would be NUL."""
    script = """
import io, sys
from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QGuiApplication, QPainter, QPdfWriter
from desktop.localization.fonts import find_missing_characters, shows_chinese, ui_font
from pypdf import PdfReader
application = QGuiApplication([])
font = ui_font(12)
assert not shows_chinese()
for text in ("Report", "检查", "a×b", "é"):
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    painter = QPainter(writer)
    painter.setFont(font)
    painter.drawText(QRectF(0, 0, 4000, 400), 0, text)
    painter.end()
    written = PdfReader(io.BytesIO(bytes(buffer.data().data()))).pages[0].extract_text()
    assert bool(find_missing_characters(text, font)) is ("\\x00" in written), (text, written)
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=program_folder(),
        env={**bare_environment(tmp_path), "PYTHONPATH": str(program_folder())},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_controls_are_as_large_as_their_text_in_any_font(qtbot: QtBot, tall_font: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    line, small = theme.line_px(theme.TEXT_PX), theme.line_px(theme.LABEL_PX)
    assert line > 24
    search, bar, hint = SearchField("Find a thing of this name", parent), StatusBar(parent), key_hint("Tab")
    hint.setParent(parent)
    chips = FilterChips("Filters", parent)
    chips.set_choices([("all", "All 3")])
    table = Table("Things", [Column("Name", str, second_line=str)], parent=parent)
    assert Button("Save", keys="S", parent=parent).sizeHint().height() >= line
    assert Chip("Failed", "failed", parent).sizeHint().height() >= small
    assert chips.findChildren(QWidget)[0].sizeHint().height() >= theme.line_px(theme.TEXT_PX - 1)
    assert bar.sizeHint().height() >= small
    assert hint.height() >= small
    assert search.sizeHint().width() > search.fontMetrics().horizontalAdvance(search.placeholderText())
    assert table.verticalHeader().defaultSectionSize() >= line + small
