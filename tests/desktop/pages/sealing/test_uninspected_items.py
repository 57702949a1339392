"""Tests the list of passed items that were not inspected completely."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import FinishDialog, FinishSummary, UninspectedItem, UninspectedItems
from shared.record.codes import InspectionGap
from shared.record.results import Counters
from tests.desktop.children import child

ITEMS = [
    UninspectedItem("a", 1, "前缘", InspectionGap.NO_PHOTO),
    UninspectedItem("b", 3, "铆钉", InspectionGap.NOT_DETECTED),
    UninspectedItem(
        "c",
        4,
        "口盖",
        InspectionGap.INCOMPLETE_COVERAGE,
        {"inspected": 0.749, "ignored": 0.0, "required": 0.95},
    ),
]


def open_dialog(qtbot: QtBot, *items: UninspectedItem) -> FinishDialog:
    counters = Counters(items=4, detected=2, judged=4, passed=4)
    dialog = FinishDialog(FinishSummary(counters, (), "张三", uninspected=items), None)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_dialog_lists_what_each_passed_item_lacks(qtbot: QtBot) -> None:
    dialog = open_dialog(qtbot, *ITEMS)
    texts = [label.text() for label in child(dialog, UninspectedItems).findChildren(QLabel)]
    assert "3 passed item(s) were not inspected completely." in texts
    assert texts[-9:] == [
        *("1", "前缘", "no photo"),
        *("3", "铆钉", "not detected"),
        *("4", "口盖", "74% of the region inspected"),
    ]
    assert dialog.confirm_button.isEnabled()


def test_link_leads_to_the_first_item(qtbot: QtBot) -> None:
    dialog = open_dialog(qtbot, *ITEMS[1:])
    wanted: list[str] = []
    dialog.go_to_item_requested.connect(wanted.append)
    button = dialog.findChild(QAbstractButton, "finish-go-to-uninspected")
    assert button is not None
    button.click()
    assert wanted == ["b"]
    assert not dialog.isVisible()


def test_dialog_of_an_inspected_record_has_no_list(qtbot: QtBot) -> None:
    assert open_dialog(qtbot).findChild(UninspectedItems) is None
