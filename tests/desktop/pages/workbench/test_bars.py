"""Tests that a bar over the canvas has a shadow below it, wherever it goes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.bars import FloatingBar

BELOW = 4
"""px below the bar, where its shadow is darkest."""


@pytest.fixture
def canvas(qtbot: QtBot) -> QWidget:
    """A white widget."""
    widget = QWidget()
    qtbot.addWidget(widget)
    colours = widget.palette()
    colours.setColor(QPalette.ColorRole.Window, QColor("white"))
    widget.setPalette(colours)
    widget.setAutoFillBackground(True)
    widget.resize(400, 300)
    return widget


def _bar(canvas: QWidget, top: int) -> FloatingBar:
    bar = FloatingBar(canvas, top)
    bar.setFixedSize(120, 40)
    bar.reposition()
    return bar


def _grey(canvas: QWidget, place: QPoint) -> int:
    ratio = canvas.devicePixelRatio()
    return canvas.grab().toImage().pixelColor(place * ratio).value()


def test_shadow_is_darkest_directly_below_the_bar(canvas: QWidget) -> None:
    bar = _bar(canvas, 60)
    canvas.show()
    below, under_left = (
        QPoint(200, bar.geometry().bottom() + BELOW),
        QPoint(bar.x() - 2, bar.geometry().center().y()),
    )
    assert _grey(canvas, below) < 225
    assert _grey(canvas, below) < _grey(canvas, under_left) < 250
    assert _grey(canvas, QPoint(10, 10)) == 255


def test_shadow_moves_and_hides_with_the_bar(canvas: QWidget) -> None:
    bar = _bar(canvas, 60)
    canvas.show()
    below = QPoint(200, bar.geometry().bottom() + BELOW)
    bar.move(bar.x(), 160)
    moved = QPoint(200, bar.geometry().bottom() + BELOW)
    assert _grey(canvas, below) == 255
    assert _grey(canvas, moved) < 225
    bar.hide()
    assert _grey(canvas, moved) == 255
    bar.show()
    assert _grey(canvas, moved) < 225


def test_shadow_stays_above_the_canvas_and_below_the_bar(canvas: QWidget) -> None:
    bar = _bar(canvas, 60)
    page = QWidget(canvas)
    page.setAutoFillBackground(True)
    page.setGeometry(canvas.rect())
    canvas.show()
    below = QPoint(200, bar.geometry().bottom() + BELOW)
    page.raise_()
    plain = _grey(canvas, QPoint(10, 10))
    assert _grey(canvas, below) == plain
    bar.raise_()
    assert _grey(canvas, below) < plain - 30


def test_shadow_takes_no_click_from_the_canvas(canvas: QWidget) -> None:
    bar = _bar(canvas, 60)
    canvas.show()
    assert canvas.childAt(200, bar.geometry().bottom() + BELOW) is None
    assert canvas.childAt(bar.geometry().center()) is bar
