"""Tests labels, progress bars and the columns of tables."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.theme import Mode, theme_manager
from desktop.widgets import (
    Column,
    ElidedLabel,
    IconButton,
    ProgressBar,
    Table,
    escape_tooltip,
    label,
    wrap_button_text,
)
from tests.desktop.widgets.kit import find_colours


def test_progress_has_the_accent_colour_until_it_is_complete(qtbot: QtBot, mode: Mode) -> None:
    bar = ProgressBar("Progress")
    bar.resize(90, 5)
    qtbot.addWidget(bar)
    bar.setValue(40)
    assert theme_manager().theme.accent in find_colours(bar.grab().toImage())
    bar.setValue(100)
    assert theme_manager().theme.accent not in find_colours(bar.grab().toImage())
    assert theme_manager().theme.dim in find_colours(bar.grab().toImage())


def test_plain_text_stays_plain(qtbot: QtBot) -> None:
    plain = label("<b>not markup</b>")
    qtbot.addWidget(plain)
    assert plain.textFormat() == Qt.TextFormat.PlainText


def test_the_columns_of_a_table_grow_and_shrink_together(qtbot: QtBot) -> None:
    table: Table[str] = Table("Things", [Column("Name", str, stretch=True), Column("Type", str, 100)])
    qtbot.addWidget(table)
    table.resize(260, 200)
    table.show()
    assert table.columnWidth(1) == 70
    table.resize(400, 200)
    qtbot.waitUntil(lambda: table.columnWidth(1) == 100)
    table.resize(1200, 200)
    qtbot.waitUntil(lambda: table.columnWidth(1) > 250)
    assert table.columnWidth(0) > 2 * table.columnWidth(1)
    assert table.columnWidth(0) + table.columnWidth(1) == table.viewport().width()


def test_markup_in_tooltips_is_escaped(qtbot: QtBot) -> None:
    # Qt interprets a tooltip that looks like HTML, and loads pictures that it names.
    name = "<img src='file:///etc/hostname'> <b>0.5 < 1</b> &amp;  twice"

    def plain_text(tooltip: str) -> str:
        document = QTextDocument()
        document.setHtml(tooltip)
        return document.toPlainText()

    table: Table[str] = Table("Things", [Column("Name", str, 60)])
    line, button = ElidedLabel(name), IconButton("ruler", name)
    for widget in (table, line, button):
        qtbot.addWidget(widget)
    table.show_rows([name])
    line.resize(40, 20)
    line.setText(name)
    assert plain_text(table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)) == name
    assert plain_text(line.toolTip()) == name
    assert plain_text(button.toolTip()) == name
    assert escape_tooltip("A & B") == "A & B"


@pytest.mark.parametrize(
    "text", ["A name of several words, none of them long", "没有空格的很长的名称" * 3, "one"]
)
def test_wrapped_text_is_complete_and_within_its_width(qtbot: QtBot, text: str) -> None:
    metrics = QFontMetrics(QApplication.font())
    lines = wrap_button_text(text, metrics, 120).split("\n")
    assert all(metrics.horizontalAdvance(line) <= 120 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert (len(lines) > 1) == (metrics.horizontalAdvance(text) > 120)
    assert wrap_button_text("R & D\nx", metrics, 120) == "R && D\nx"
