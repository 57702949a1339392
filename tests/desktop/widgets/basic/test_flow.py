"""A row of controls that goes on in the next line."""

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


def flow(qtbot: QtBot, width: int, *sizes: tuple[int, int]) -> tuple[QWidget, list[Block]]:
    whole = QWidget()
    qtbot.addWidget(whole)
    row = FlowLayout(whole, spacing=10)
    blocks = [Block(*size) for size in sizes]
    for block in blocks:
        row.addWidget(block)
    whole.resize(width, 200)
    whole.show()
    return whole, blocks


def places(blocks: list[Block]) -> list[tuple[int, int]]:
    return [(block.x(), block.y()) for block in blocks]


def test_what_has_room_stands_in_one_line(qtbot: QtBot) -> None:
    whole, blocks = flow(qtbot, 220, (100, 20), (100, 20))
    assert places(blocks) == [(0, 0), (110, 0)]
    assert whole.heightForWidth(220) == 20
    assert whole.sizeHint() == QSize(210, 20)


def test_the_rest_goes_on_in_the_next_line(qtbot: QtBot) -> None:
    whole, blocks = flow(qtbot, 215, (100, 20), (100, 30), (100, 20))
    # In the middle of its line, which is as high as the highest.
    assert places(blocks) == [(0, 5), (110, 0), (0, 40)]
    assert whole.heightForWidth(215) == 60


def test_what_is_hidden_takes_no_room(qtbot: QtBot) -> None:
    _whole, blocks = flow(qtbot, 215, (100, 20), (100, 20), (100, 20))
    blocks[0].hide()
    qtbot.waitUntil(lambda: places(blocks)[1:] == [(0, 0), (110, 0)])


def test_one_that_is_too_wide_gets_the_width_there_is(qtbot: QtBot) -> None:
    _whole, blocks = flow(qtbot, 60, (100, 20), (30, 20))
    assert [block.width() for block in blocks] == [60, 30]


def test_one_that_grows_or_goes_changes_the_height(qtbot: QtBot) -> None:
    whole, blocks = flow(qtbot, 210, (100, 20), (100, 20))
    assert whole.heightForWidth(210) == 20
    blocks[0].set_size(150, 30)
    qtbot.waitUntil(lambda: places(blocks) == [(0, 0), (0, 40)])
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
