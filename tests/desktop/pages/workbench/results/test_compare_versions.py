"""Two versions of a result side by side."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.results.compare_versions import CompareVersions, facts
from desktop.pages.workbench.results.pairing import VersionSide, pairings
from shared.record.entries import Entry, EntryAlignment, EntryBox, EntryCorners, Provenance
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, SAME, STAIN, add_result

SHIFTED = [[1.0, 0.0, 500.0], [0.0, 1.0, 300.0], [0.0, 0.0, 1.0]]


def entry(*boxes: EntryBox, photo: str = "a", homography: list[list[float]] | None = None) -> Entry:
    alignment: EntryAlignment | None = None if homography is None else {"homography": homography}
    return {
        "inputImage": {"ipfs_cid": photo},
        "resultImage": {"boxes": list(boxes)},
        "provenance": {"alignment": alignment},
    }


def move_box(box: EntryBox, x: float, y: float) -> EntryBox:
    at = box["points"]
    points: EntryCorners = {"x1": at["x1"] + x, "y1": at["y1"] + y, "x2": at["x2"] + x, "y2": at["y2"] + y}
    return {**box, "points": points}


def within(first: Entry, second: Entry) -> list[VersionSide]:
    return [pairing.within for pairing in pairings(first, second)]


def test_findings_at_the_same_place_are_the_same_whatever_they_are_called() -> None:
    dent: EntryBox = {**move_box(CRACK, 4, 2), "label": "dent"}
    assert within(entry(CRACK, STAIN), entry(dent)) == [VersionSide.RELABELLED, VersionSide.FIRST]
    assert within(entry(CRACK), entry(move_box(CRACK, 3, 0), STAIN)) == [VersionSide.BOTH, VersionSide.SECOND]
    assert within(entry(), entry()) == []


def test_a_finding_is_the_same_as_one_other_only() -> None:
    assert within(entry(CRACK, CRACK), entry(CRACK)) == [VersionSide.BOTH, VersionSide.FIRST]


def test_findings_of_two_photos_are_matched_on_the_reference_image() -> None:
    first = entry(CRACK, photo="a", homography=SAME)
    second = entry(move_box(CRACK, 500, 300), photo="b", homography=SHIFTED)
    assert within(first, second) == [VersionSide.BOTH]
    assert within(first, entry(CRACK, photo="b", homography=SHIFTED)) == [
        VersionSide.FIRST,
        VersionSide.SECOND,
    ]
    assert within(first, entry(CRACK, photo="b")) == [VersionSide.FIRST, VersionSide.SECOND]


def test_facts_of_a_version_are_shown() -> None:
    origin: Provenance = {
        "model_id": "m1",
        "model_name": "skin",
        "model_version": 3,
        "finished_at": "2026-11-20T10:00:00Z",
        "thresholds": {"min_confidence": 0.25},
    }
    text = facts({"provenance": origin, "isPassed": False})
    assert text.startswith("skin v3 · 2026-11-")
    assert text.endswith(" · ≥ 0.25 · Failed")
    assert facts({}) == ""


@pytest.fixture
def dialog(workbench: WorkbenchDriver, qtbot: QtBot) -> CompareVersions:
    """An item with a version of the model and one that a person corrected."""
    record_id = make_record(workbench.session, REGION[:1])
    item_id = workbench.session.items.all(record_id)[0].item_id
    add_result(workbench.session, item_id)
    dent: EntryBox = {**STAIN, "points": {"x1": 500, "y1": 200, "x2": 540, "y2": 240}, "label": "dent"}
    with_correction = [{**box, "origin": "person", "accepted": True} for box in (CRACK, dent)]
    workbench.session.items.correct(item_id, 1, with_correction)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.context.commands.run("item.versions")
    versions_dialog = workbench.page.findChild(CompareVersions)
    assert versions_dialog is not None
    qtbot.waitUntil(lambda: all(side.view.source is not None for side in versions_dialog.sides))
    return versions_dialog


def test_both_versions_are_on_view_and_move_together(dialog: CompareVersions) -> None:
    first, second = dialog.sides
    assert [box.label for box in first.view.boxes] == ["crack", "stain"]
    assert [box.highlighted for box in first.view.boxes] == [False, True]
    assert [box.label for box in second.view.boxes] == ["crack", "dent"]
    assert [row.within for row in dialog.table.rows_model.rows()] == [
        VersionSide.BOTH,
        VersionSide.FIRST,
        VersionSide.SECOND,
    ]
    first.view.set_viewport(2.0, 400, 300)
    assert second.view.viewport.scale == 2.0
    assert second.view.viewport.to_image(second.view.width() / 2, 0)[0] == pytest.approx(400, abs=1)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_chosen_finding_is_shown_where_it_is(dialog: CompareVersions) -> None:
    dialog.table.select_row(2)
    second = dialog.sides[1].view
    assert second.viewport.to_image(second.width() / 2, second.height() / 2) == pytest.approx((520, 220), 1)
    assert dialog.sides[1].view.boxes[1].highlighted
    dialog.accept()


def test_version_can_be_compared_with_itself_or_another(dialog: CompareVersions) -> None:
    first, second = dialog.sides
    assert [first.versions.itemText(place)[:11] for place in range(2)] == ["Version 1 /", "Version 2 /"]
    second.versions.setCurrentIndex(0)
    dialog.show_versions()
    assert {row.within for row in dialog.table.rows_model.rows()} == {VersionSide.BOTH}
    dialog.accept()


def test_single_version_is_reported(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session, REGION[:1]), qtbot.waitUntil)
    toasts: list[str] = []
    workbench.page.toast.connect(toasts.append)
    workbench.context.commands.run("item.versions")
    assert toasts == ["This item has fewer than two versions to compare."]
    assert workbench.page.findChild(CompareVersions) is None
