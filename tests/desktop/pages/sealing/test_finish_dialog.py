"""Tests that long names do not widen the dialog that finishes a record."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import (
    FinishDialog,
    FinishSummary,
    UndecidedItem,
    UninspectedItem,
    WaitingItem,
)
from desktop.widgets import ElidedLabel
from shared.record.codes import InspectionGap, Verdict
from shared.record.results import Counters

LONG = "蒙皮 left wing root " * 14
COUNTERS = Counters(items=2, detected=1, judged=0, undecided=2, passed=0, failed=0)


@pytest.mark.parametrize(
    ("is_corrected", "text"), [(True, "findings corrected: decide yourself"), (False, "no model opinion")]
)
def test_item_without_an_opinion_to_accept_says_why(is_corrected: bool, text: str, qtbot: QtBot) -> None:
    item = UndecidedItem("a", 1, "rib", None, is_corrected)
    dialog = FinishDialog(FinishSummary(COUNTERS, [item], "张三"), None)
    qtbot.addWidget(dialog)
    assert text in [shown.text() for shown in dialog.findChildren(QLabel)]


@pytest.mark.parametrize("name", [LONG[:227], "w" * 227])
def test_long_names_are_elided(name: str, qtbot: QtBot) -> None:
    summary = FinishSummary(
        COUNTERS,
        [UndecidedItem("a", 1, name, Verdict.PASSED)],
        "张三",
        waiting=[WaitingItem("b", 2, name, "reason missing")],
        uninspected=[UninspectedItem("c", 3, name, next(iter(InspectionGap)))],
    )
    dialog = FinishDialog(summary, None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.width() <= 560
    labels = [label for label in dialog.findChildren(ElidedLabel) if label.text() == name]
    assert len(labels) == 2
    assert all(label.toolTip() for label in labels)
    assert all(dialog.rect().contains(label.mapTo(dialog, label.rect().bottomRight())) for label in labels)
