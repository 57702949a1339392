from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.results.history import HistoryBox, changes, event_time, longest, looked_at
from desktop.widgets import Chip
from shared.wire.history import FindingChange, HistoryEntry
from shared.wire.inspection import Item

_REGION = {"x": 0.2, "y": 0.2, "w": 0.2, "h": 0.2}


# What the panel leaves between its margins at its smallest width.
_ROOM_PX = 300


def _item(length: float | None, region: dict[str, float] | None = None) -> Item:
    """An item whose detection found one crack of `length` px, none for 0; None: never looked at."""
    entry: dict[str, Any] = {
        "isPassed": not length,
        "version": 1,
        "progress": "done",
        "provenance": {"alignment": {"homography": [[2, 0, 5], [0, 2, 5], [0, 0, 1]]}},
        "resultImage": {"boxes": []},
    }
    if length:
        points = {"x1": 10, "y1": 10, "x2": 10 + 2 * length, "y2": 14}
        entry["resultImage"]["boxes"] = [{"label": "crack", "confidence": 0.9, "points": points}]
    return Item.model_validate(
        {
            "item_id": "i",
            "item_name": "crack",
            "inspection_id": "r",
            "description": None,
            "model_id": None,
            "model_name": None,
            "model_description": None,
            "item_point": {"point": region or _REGION},
            "result": [] if length is None else [entry],
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
        }
    )


def _finding(length: float, change: str | None) -> dict[str, Any]:
    box = {"x1": 10.0, "y1": 10.0, "x2": 10 + length, "y2": 14.0}
    whole = {"label": "crack", "confidence": 0.9, "points": box, "reference": box}
    return whole | {"change": change, "growth": None}


def _entry(findings: list[dict[str, Any]], **more: Any) -> HistoryEntry:
    return HistoryEntry.model_validate(
        dict.fromkeys(HistoryEntry.model_fields)
        | {
            "item_id": "i",
            "item_name": "crack",
            "inspection_id": "r1",
            "inspection_status": "failed",
            "created_at": "2026-01-01T10:00:00Z",
            "overlap": 1.0,
            "passed": not findings,
            "verdict": "undecided",
            "findings": findings,
            "appeared": [],
        }
        | more
    )


def test_each_change_of_the_findings_is_listed_once() -> None:
    findings = [_finding(20, "unchanged"), _finding(30, "grown"), _finding(5, "unchanged")]
    entry = _entry(findings, appeared=[_finding(4, "new")])
    assert changes(entry) == [FindingChange.GROWN, FindingChange.NEW, FindingChange.UNCHANGED]
    assert longest(entry) == 30
    assert changes(_entry([_finding(20, None)])) == []
    assert longest(_entry([])) is None


def test_time_is_that_of_the_finding_or_else_of_the_verdict() -> None:
    assert event_time(_entry([])).month == 1
    assert event_time(_entry([], decided_at="2026-03-01T10:00:00Z")).month == 3
    both = _entry([], decided_at="2026-03-01T10:00:00Z", found_at="2026-02-01T10:00:00Z")
    assert event_time(both).month == 2


def test_inspections_without_result_are_left_out() -> None:
    assert not looked_at(_entry([], passed=None))
    assert looked_at(_entry([]))


def test_row_shows_result_time_and_user_and_opens_its_photo(qtbot: QtBot) -> None:
    box = HistoryBox()
    qtbot.addWidget(box)
    fields = {"found_at": "2026-02-01T10:00:00Z", "found_by": "Li", "decided_by": "Wang", "reason": "dirt"}
    box.show_rows([_entry([_finding(30, "grown")], verdict="failed", **fields)], 0.5, {"Li": "Liu"})
    text = " ".join(
        [shown.text() for shown in box.findChildren(QLabel)] + [chip.text for chip in box.findChildren(Chip)]
    )
    for word in ("15 mm", "grown", "Liu", "Wang", "dirt"):
        assert word in text
    (link,) = [button for button in box.findChildren(QPushButton) if button.objectName() != "history-trend"]
    assert "2026-02-01" in link.text()
    with qtbot.waitSignal(box.open_wanted) as opened:
        link.click()
    assert opened.args == ["r1", "i"]
    box.show_rows([], None, {})
    assert box.isHidden()


def test_long_history_is_folded_until_it_is_expanded(qtbot: QtBot) -> None:
    box = HistoryBox()
    qtbot.addWidget(box)
    entries = [_entry([_finding(30, "grown")], inspection_id=f"r{number}") for number in range(7)]
    box.show_rows(entries, 0.5, {})
    box.show()
    box.activateWindow()
    qtbot.waitUntil(box.isActiveWindow)

    def days() -> int:
        return len([link for link in box.findChildren(QPushButton) if "-01-01" in link.text()])

    def more() -> QPushButton:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        return next(link for link in box.findChildren(QPushButton, "history-more") if not link.isHidden())

    assert days() == 4
    more().click()
    assert more().hasFocus()
    assert days() == 7
    more().click()
    assert more().hasFocus()
    assert days() == 4
    assert "4" not in more().text()
    assert "7" in more().text()


def test_row_with_many_changes_fits_the_panel(qtbot: QtBot) -> None:
    findings = [_finding(4760, change) for change in ("unchanged", "grown", "gone")]
    box = HistoryBox()
    qtbot.addWidget(box)
    box.show_rows([_entry(findings, appeared=[_finding(30, None)])], None, {})
    box.show()
    assert max(text.text().count(" · ") for text in box.findChildren(QLabel)) == 3
    assert box.minimumSizeHint().width() <= _ROOM_PX
