"""Tests that PySide keeps no references to deleted layout items."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets import FilterChips, clear_layout, remove_widget
from tests.desktop.layout_items import stale_items
from tests.narrowing import not_none


def create_nested_layout(qtbot: QtBot) -> tuple[QWidget, QVBoxLayout, list[QLabel]]:
    """Create a layout with widgets inside another layout, so that PySide has wrappers for its items."""
    whole = QWidget()
    qtbot.addWidget(whole)
    row = QVBoxLayout()
    labels = [QLabel(text, whole) for text in "abc"]
    for label in labels:
        row.addWidget(label)
    QHBoxLayout(whole).addLayout(row)
    return whole, row, labels


def process_deletions() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.mark.parametrize(
    ("take_out", "stale"),
    [
        pytest.param(lambda _row, labels: labels[1].deleteLater(), 1, id="only deleted"),
        pytest.param(lambda row, labels: remove_widget(labels[1], row), 0, id="discarded"),
        pytest.param(lambda row, _labels: clear_layout(row), 0, id="cleared"),
    ],
)
def test_removed_widget_is_deleted(
    qtbot: QtBot, take_out: Callable[[QVBoxLayout, list[QLabel]], None], stale: int
) -> None:
    """The first case shows the problem that the functions avoid."""
    _whole, row, labels = create_nested_layout(qtbot)
    before = stale_items()
    take_out(row, labels)
    process_deletions()
    assert stale_items() - before == stale


def test_cleared_layout_keeps_no_widget_of_a_nested_one(qtbot: QtBot) -> None:
    whole, _row, _labels = create_nested_layout(qtbot)
    column = not_none(whole.layout())
    before = stale_items()
    clear_layout(column)
    assert column.count() == 0
    process_deletions()
    assert whole.findChildren(QLabel) == []
    assert whole.findChildren(QVBoxLayout) == []
    assert stale_items() == before


def test_new_filters_replace_the_old_ones(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    chips = FilterChips("letters")
    chips.set_choices([("a", "A"), ("b", "B")])
    QHBoxLayout(whole).addWidget(chips)
    before = stale_items()
    chips.set_choices([("c", "C")])
    process_deletions()
    assert stale_items() == before
