"""Differences explained by the memory of a region, below the findings of an item and on its pictures."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.finding_layer import FindingBox
from desktop.pages.workbench.memory.contents import ExplainedDifference
from desktop.pages.workbench.memory.window import MemoryDialog
from desktop.widgets import Button
from shared.record.entries import item_entries
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, add_result
from tests.narrowing import not_none

PHOTOS = ["f1", "f2", "f3"]


def suppressed_box(x: float, alone: float) -> dict[str, Any]:
    points = {"x1": x, "y1": 240, "x2": x + 30, "y2": 270}
    box = {"label": "stain", "confidence": alone, "points": points}
    return {"box": box, "score": 0.12, "score_alone": alone, "photos": PHOTOS}


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page at an item with a finding, and two differences that the memory explains."""
    record_id = make_record(workbench.session, REGION)
    first, second = workbench.session.items.all(record_id)
    add_result(
        workbench.session,
        first.item_id,
        resultImage={"boxes": [CRACK]},
        memory={"photos": 4, "sha256": "0" * 64},
        suppressed=[suppressed_box(360, 0.7), suppressed_box(300, 0.9)],
    )
    add_result(workbench.session, second.item_id)
    workbench.open(record_id, qtbot.waitUntil)

    def is_pair_aligned() -> bool:
        pair = workbench.page.photos.pairing.finding_pair
        return pair is not None and pair.aligned

    qtbot.waitUntil(is_pair_aligned)
    return workbench


def reasons(boxes: tuple[FindingBox, ...]) -> list[float]:
    return [box.rect.x for box in boxes if box.reason]


def button(desk: WorkbenchDriver, qtbot: QtBot, name: str, at: int = 0) -> Button:
    box = desk.page.inspector.explained

    def visible() -> list[Button]:
        return [widget for widget in box.findChildren(Button, name) if widget.isVisible()]

    qtbot.waitUntil(lambda: len(visible()) > at)
    return visible()[at]


def test_line_shows_the_number_of_explained_findings_and_a_click_shows_them(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = desk.page
    box = page.inspector.explained
    assert box.isVisible()
    assert box.fold.text() == "2 known variation(s) not reported"
    views = (
        page.canvas.view._finding_layer,
        page.canvas.compare._findings,
        page.inspector.photo.pane._findings,
    )
    assert [reasons(view.boxes) for view in views] == [[], [], []]
    box.fold.click()
    assert [reasons(view.boxes) for view in views] == [[300, 360]] * 3
    assert [finding.label for finding in page.inspector.findings.shown_findings] == ["crack"]
    # They cannot be chosen and corrected.
    assert len(not_none(page.canvas.compare.tool).rects) == 1  # type: ignore[attr-defined]
    box.fold.click()
    assert [reasons(view.boxes) for view in views] == [[], [], []]


def test_they_are_on_the_photo_and_only_on_that_of_the_item(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.inspector.explained.fold.click()
    page.canvas.photo_view.show(True)
    layer = page.canvas.photo._finding_layer
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None and reasons(layer.boxes) == [300, 360])
    page.items.go_to(page.open_record.rows[1].item_id)
    qtbot.waitUntil(lambda: page.inspector.explained.isHidden())
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None and not reasons(layer.boxes))
    page.items.go_to(page.open_record.rows[0].item_id)
    # A user who comes back to an item sees its findings first.
    assert not page.inspector.explained.is_open


def test_the_reason_is_the_tooltip_of_the_box(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.inspector.explained.fold.click()
    inside = QPoint(*(round(value) for value in page.canvas.view.viewport.to_view(315, 255)))
    outside = QPoint(*(round(value) for value in page.canvas.view.viewport.to_view(345, 200)))
    reason = page.canvas.view._finding_layer.reason_at(inside.x(), inside.y(), page.canvas.view.viewport)
    assert "seen in 3 passed photo(s)" in reason
    assert "0.90" in reason
    assert "0.12" in reason
    assert (
        page.canvas.view._finding_layer.reason_at(outside.x(), outside.y(), page.canvas.view.viewport) == ""
    )
    QApplication.sendEvent(
        page.canvas.view, QHelpEvent(QEvent.Type.ToolTip, inside, page.canvas.view.mapToGlobal(inside))
    )
    assert "seen in 3 passed photo(s)" in QToolTip.text()
    QToolTip.hideText()


def test_one_is_reported_as_a_finding_and_undone(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.inspector.explained.fold.click()
    button(desk, qtbot, "explained-report").click()
    assert [(finding.label, finding.is_drawn) for finding in page.inspector.findings.shown_findings] == [
        ("stain", True),
        ("crack", False),
    ]
    assert page.inspector.explained.fold.text() == "1 known variation(s) not reported"
    assert page.inspector.explained.is_open
    assert page.canvas.undoing is not None
    desk.context.commands.run("edit.undo")
    assert [finding.label for finding in page.inspector.findings.shown_findings] == ["crack"]
    assert page.inspector.explained.fold.text() == "2 known variation(s) not reported"
    desk.context.commands.run("edit.redo")
    page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    item = desk.session.items.get(page.open_record.rows[0].item_id).value
    stored = item_entries(item)[-1]
    boxes = not_none(stored.get("resultImage"))["boxes"]
    assert [box["points"]["x1"] for box in boxes] == [300, 300]
    qtbot.waitUntil(lambda: page.inspector.explained.fold.text() == "1 known variation(s) not reported")


def test_the_right_button_on_the_photo_reports_the_one_below(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.inspector.explained.fold.click()
    page.canvas.photo_view.show(True)
    qtbot.waitUntil(
        lambda: page.canvas.photo.source is not None and bool(page.canvas.photo._finding_layer.boxes)
    )
    at = QPoint(*(round(value) for value in page.canvas.photo.viewport.to_view(375, 255)))
    page.canvas.photo.customContextMenuRequested.emit(at)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = menu.actions()[0]
    assert action.text() == "Report as finding"
    action.trigger()
    menu.close()
    drawn = [finding.box.x for finding in page.inspector.findings.shown_findings if finding.is_drawn]
    assert drawn == [360]


def test_the_memory_opens_for_the_difference(
    desk: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences: list[ExplainedDifference | None] = []
    monkeypatch.setattr(MemoryDialog, "read", lambda self: differences.append(self._difference))
    desk.page.inspector.explained.fold.click()
    button(desk, qtbot, "explained-memory", 1).click()
    (dialog,) = desk.page.findChildren(MemoryDialog)
    (difference,) = differences
    assert not_none(difference).files == tuple(PHOTOS)
    # The photo lies on the reference image as it is.
    where = not_none(not_none(difference).where)
    assert (where.x, where.y, where.w, where.h) == pytest.approx((360, 240, 30, 30))
    with qtbot.waitSignal(dialog.destroyed):
        dialog.accept()


def test_sealed_record_shows_explained_findings_but_accepts_no_report(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = desk.page
    page.inspector.explained.fold.click()
    page.inspector.explained.set_editable(False)
    assert not button(desk, qtbot, "explained-report").isEnabled()
    assert button(desk, qtbot, "explained-memory").isEnabled()
