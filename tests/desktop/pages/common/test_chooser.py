"""The field that finds an entry by a part of its name."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from desktop.pages.common.forms.chooser import PAGE_SIZE, SearchCombo
from tests.narrowing import not_none


def test_typing_a_part_of_a_name_finds_it_at_the_service(qtbot: QtBot) -> None:
    searches: list[str] = []

    def find(text: str, page: int) -> list[tuple[str, str]]:
        searches.append(text)
        return [("a1", "B-1234 Boeing")] if text == "boe" else []

    chooser = SearchCombo("Aircraft", find)
    qtbot.addWidget(chooser)
    chooser.show()
    chooser.show_choice(("a9", "B-9999"))
    assert chooser.selected_id() == "a9"
    chooser.activateWindow()
    chooser.setFocus()
    not_none(chooser.lineEdit()).selectAll()
    qtbot.keyClicks(chooser.lineEdit(), "boe")
    with pytest.raises(ValueError, match="nothing"):
        chooser.selected_id()
    qtbot.waitUntil(lambda: not_none(not_none(chooser.completer()).popup()).isVisible())
    assert searches == ["", "boe"]
    assert not_none(chooser.lineEdit()).text() == "boe"
    not_none(not_none(chooser.completer()).popup()).hide()
    chooser.setEditText("B-1234 Boeing")
    assert chooser.selected_id() == "a1"
    typed = chooser.typed_choice()
    other = SearchCombo("Aircraft", find)
    qtbot.addWidget(other)
    other.show_choice(None)
    other.restore_choice(typed)
    assert other.selected_id() == "a1"
    other.setEditText("")
    assert other.selected_id() is None


def test_click_in_the_empty_field_offers_the_choices_and_typing_goes_on(qtbot: QtBot) -> None:
    chooser = SearchCombo("Task", lambda _text, _page: [("t1", "Wing"), ("t2", "Tail")])
    qtbot.addWidget(chooser)
    chooser.show()
    chooser.show_choice(None)
    qtbot.waitUntil(lambda: chooser.count() == 2)
    line, popup = not_none(chooser.lineEdit()), not_none(not_none(chooser.completer()).popup())
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    assert popup.isVisible()
    assert popup.model().rowCount() == 2
    qtbot.keyClicks(popup, "ta")
    assert line.text() == "ta"
    popup.hide()
    chooser.show_choice(("t1", "Wing"))
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    assert not popup.isVisible()


def test_open_list_loads_the_picture_of_each_row_once(qtbot: QtBot) -> None:
    red = QImage(64, 48, QImage.Format.Format_RGB32)
    red.fill(QColor("#ff0000"))
    requested: list[str] = []

    def picture(value: str) -> QImage:
        requested.append(value)
        return red

    chooser = SearchCombo(
        "Reference image", lambda _text, _page: [("r1", "Left"), ("r2", "Right")], picture=picture
    )
    qtbot.addWidget(chooser)
    chooser.show()
    chooser.show_choice(None)
    qtbot.waitUntil(lambda: chooser.count() == 2)
    assert requested == []

    def is_painted() -> bool:
        image = chooser.view().viewport().grab().toImage()
        spots = (image.pixelColor(20, 18), image.pixelColor(20, 54))
        return all(spot.name() == "#ff0000" for spot in spots)

    chooser.showPopup()
    chooser.hidePopup()
    chooser.showPopup()
    qtbot.waitUntil(is_painted)
    chooser.hidePopup()
    assert sorted(requested) == ["r1", "r2"]


def test_the_end_of_the_list_brings_more(qtbot: QtBot) -> None:
    every = [(str(number), f"plane {number}") for number in range(2 * PAGE_SIZE + 10)]

    def find(text: str, page: int) -> list[tuple[str, str]]:
        return every[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]

    chooser = SearchCombo("Aircraft", find)
    qtbot.addWidget(chooser)
    chooser.show()
    chooser.show_choice(None)
    qtbot.waitUntil(lambda: chooser.count() == PAGE_SIZE)
    chooser.showPopup()
    for expected in (2 * PAGE_SIZE, len(every), len(every)):
        bar = chooser.view().verticalScrollBar()
        bar.setValue(0)
        bar.setValue(bar.maximum())

        def has_rows(number: int = expected) -> bool:
            return chooser.count() == number

        qtbot.waitUntil(has_rows)
    chooser.hidePopup()
    with qtbot.waitSignal(chooser.choice_changed):
        chooser.setCurrentIndex(len(every) - 1)
        chooser.activated.emit(len(every) - 1)
    assert chooser.selected_id() == every[-1][0]
    assert chooser.currentText() == "plane 109"


def test_of_two_of_one_name_the_chosen_one_counts(qtbot: QtBot) -> None:
    chooser = SearchCombo("Aircraft", lambda _text, _page: [("1", "B-1234"), ("2", "B-1234")])
    qtbot.addWidget(chooser)
    chooser.show_choice(None)
    qtbot.waitUntil(lambda: chooser.count() == 2)
    chooser.setCurrentIndex(1)
    assert chooser.selected_id() == "2"
    chooser.refresh()
    qtbot.wait(50)
    assert chooser.selected_id() == "2"
