"""Tests the layout in rows that wrap."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets import FlowLayout


class Block(QWidget):
    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self._size = QSize(width, height)

    def sizeHint(self) -> QSize:
        return self._size

    def set_size(self, width: int, height: int) -> None:
        self._size = QSize(width, height)
        self.updateGeometry()


def show_flow(qtbot: QtBot, width: int, *sizes: tuple[int, int]) -> tuple[QWidget, list[Block]]:
    whole = QWidget()
    qtbot.addWidget(whole)
    row = FlowLayout(whole, spacing=10)
    blocks = [Block(*size) for size in sizes]
    for block in blocks:
        row.addWidget(block)
    whole.resize(width, 200)
    whole.show()
    return whole, blocks


def widget_positions(blocks: list[Block]) -> list[tuple[int, int]]:
    return [(block.x(), block.y()) for block in blocks]


def test_widgets_that_fit_are_in_one_row(qtbot: QtBot) -> None:
    whole, blocks = show_flow(qtbot, 220, (100, 20), (100, 20))
    assert widget_positions(blocks) == [(0, 0), (110, 0)]
    assert whole.heightForWidth(220) == 20
    assert whole.sizeHint() == QSize(210, 20)


def test_further_widgets_are_in_the_next_row(qtbot: QtBot) -> None:
    whole, blocks = show_flow(qtbot, 215, (100, 20), (100, 30), (100, 20))
    # Centred vertically in its row, which has the height of the highest widget.
    assert widget_positions(blocks) == [(0, 5), (110, 0), (0, 40)]
    assert whole.heightForWidth(215) == 60


def test_hidden_widget_takes_no_space(qtbot: QtBot) -> None:
    _whole, blocks = show_flow(qtbot, 215, (100, 20), (100, 20), (100, 20))
    blocks[0].hide()
    qtbot.waitUntil(lambda: widget_positions(blocks)[1:] == [(0, 0), (110, 0)])


def test_too_wide_widget_gets_the_available_width(qtbot: QtBot) -> None:
    _whole, blocks = show_flow(qtbot, 60, (100, 20), (30, 20))
    assert [block.width() for block in blocks] == [60, 30]


def test_height_changes_if_a_widget_grows_or_disappears(qtbot: QtBot) -> None:
    whole, blocks = show_flow(qtbot, 210, (100, 20), (100, 20))
    assert whole.heightForWidth(210) == 20
    blocks[0].set_size(150, 30)
    qtbot.waitUntil(lambda: widget_positions(blocks) == [(0, 0), (0, 40)])
    layout = whole.layout()
    assert layout is not None
    assert (whole.heightForWidth(210), layout.sizeHint(), layout.minimumSize().height()) == (
        60,
        QSize(260, 30),
        30,
    )
    layout.takeAt(0)
    assert (layout.heightForWidth(210), layout.sizeHint(), layout.minimumSize().height()) == (
        20,
        QSize(100, 20),
        20,
    )
