"""Tests the pager of a table."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from desktop.widgets import Pager
from desktop.widgets.table import page_numbers
from shared.wire.common import Pagination


@pytest.mark.parametrize(
    ("page", "pages", "offered"),
    [
        (1, 1, [1]),
        (1, 3, [1, 2, 3]),
        (1, 20, [1, 2, 3, 20]),
        (10, 20, [1, 8, 9, 10, 11, 12, 20]),
        (20, 20, [1, 18, 19, 20]),
    ],
)
def test_neighbouring_pages_and_both_ends_have_buttons(page: int, pages: int, offered: list[int]) -> None:
    assert page_numbers(page, pages) == offered


def test_number_requests_its_page(qtbot: QtBot) -> None:
    pager = Pager()
    qtbot.addWidget(pager)
    pager.show()
    pager.show_pagination(Pagination(current_page=2, page_size=25, total=260, total_pages=11))
    row = pager.findChildren(QAbstractButton)
    buttons = {button.text(): button for button in row if button.text()}
    assert list(buttons) == ["1", "2", "3", "4", "11"]
    qtbot.waitUntil(lambda: all(button.isVisible() for button in buttons.values()))
    assert [text for text, button in buttons.items() if button.isChecked()] == ["2"]
    with qtbot.waitSignal(pager.page_requested) as signal:
        buttons["11"].click()
    assert signal.args == [11]
    # The current page stays marked until another one is loaded.
    assert not buttons["11"].isChecked()
