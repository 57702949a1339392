"""Findings that a person corrects at the workbench, and photos that a person aligns."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_tools import map_point
from desktop.client import Session
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.record.edits import journal_path
from shared.ids import new_id
from shared.images.cv import cv2
from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry, EntryBox, item_entries
from shared.samples import View
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver, make_record, store_detections
from tests.desktop.pages.workbench.driver import workbench_driver as at_desk
from tests.narrowing import not_none
from tests.pictures import panel_image, panel_photo

REGION = ((0.3, 0.3, 0.3, 0.3), (0.65, 0.3, 0.2, 0.2))
CRACK: EntryBox = {
    "label": "crack",
    "confidence": 0.9,
    "points": {"x1": 300, "y1": 230, "x2": 340, "y2": 260},
}
STAIN: EntryBox = {
    "label": "stain",
    "confidence": 0.4,
    "points": {"x1": 360, "y1": 260, "x2": 400, "y2": 300},
}
SAME = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def jpeg(view: View | None = None) -> bytes:
    """A photo of the panel. Each call gives another content, as `picture` does."""
    taken = panel_image(WIDTH, HEIGHT, 1) if view is None else panel_photo(WIDTH, HEIGHT, 1, view)[0]
    return bytes(cv2.imencode(".jpg", taken)[1]) + new_id().encode()


def add_result(session: Session, item_id: str, **more: Any) -> None:
    """Add a photo with a detection's result to an item."""
    stored = session.files.upload(jpeg(), "today.jpg")
    session.items.add_photo(item_id, stored.file_id)
    item = session.items.get(item_id).value
    entry = {
        "inputImage": {"download_url": stored.download_url, "ipfs_cid": stored.ipfs_cid},
        "resultImage": {"boxes": [CRACK, STAIN]},
        "isPassed": False,
        "progress": "done",
        "version": len(item.result) + 1,
        "provenance": {"alignment": {"homography": SAME, "error_px": 0.4, "inliers": 50}},
        **more,
    }
    store_detections(session, item_id, *item_entries(item), cast(Entry, entry))


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page at an item with two findings in a photo that lies on the reference as it is."""
    record_id = make_record(workbench.session, REGION)
    add_result(workbench.session, workbench.session.items.all(record_id)[0].item_id)
    workbench.open(record_id, qtbot.waitUntil)

    def is_pair_aligned() -> bool:
        pair = workbench.page.photos.pairing.finding_pair
        return pair is not None and pair.aligned

    qtbot.waitUntil(is_pair_aligned)
    return workbench


def entries(desk: WorkbenchDriver, number: int = 0) -> list[dict[str, Any]]:
    item = desk.session.items.all(desk.page.open_record.record_id)[number]
    return [entry.model_dump(mode="json") for entry in item.result]


def verdict(desk: WorkbenchDriver) -> str:
    item = desk.session.items.all(desk.page.open_record.record_id)[0]
    return results.current_verdict(item_entries(item)).value


def labels(desk: WorkbenchDriver) -> list[str]:
    return [finding.label for finding in desk.page.inspector.findings.shown_findings]


def on_photo(view: CompareView, desk: WorkbenchDriver, x: float, y: float) -> QPoint:
    """Where a px of the photo is on the large compare view, side by side."""
    pair = desk.page.photos.pairing.pair
    assert pair is not None
    left, top = view.viewport.to_view(*map_point(pair.mapping, x, y))
    return QPointF(left + (view.width() + 2) // 2, top).toPoint()


def drag(view: CompareView, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, (start + end) / 2)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)


def test_changes_gather_until_they_are_saved_as_a_new_version(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    findings_list = page.inspector.findings.list
    assert not page.inspector.correction.save.isVisible()
    QTest.mouseClick(findings_list, Qt.MouseButton.LeftButton, pos=QPoint(8, 12))
    assert page.inspector.findings.shown_findings[0].accepted
    page.canvas.shown_findings.choose(1)
    findings_list.setFocus()
    QTest.keyClick(findings_list, Qt.Key.Key_F2)
    editor = page.inspector.findings.findChild(LabelEditor)
    assert editor is not None
    editor.setEditText("oil leak")
    field = editor.lineEdit()
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert labels(desk) == ["crack", "oil leak"]
    assert page.inspector.correction.save.isVisible()
    assert len(entries(desk)) == 1
    QTest.mouseClick(page.inspector.correction.save, Qt.MouseButton.LeftButton)
    assert not page.inspector.correction.save.isVisible()
    qtbot.waitUntil(lambda: desk.saved)
    first, second = entries(desk)
    assert first["resultImage"]["boxes"] == [CRACK, STAIN]
    assert second["version"] == 2
    assert second["correction"]["of_version"] == 1
    assert [box["accepted"] for box in second["resultImage"]["boxes"]] == [True, True]
    assert second["inputImage"] == first["inputImage"]
    assert second["provenance"]["alignment"] == first["provenance"]["alignment"]
    assert page.inspector.photo.version.text() == "Version 2 / 2"
    assert labels(desk) == ["crack", "oil leak"]


def test_steps_can_be_undone_before_and_after_saving(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.canvas.shown_findings.choose(0)
    page.inspector.findings.list.setFocus()
    assert desk.context.commands.run("edit.delete")
    assert labels(desk) == ["stain"]
    assert len(page.open_record.rows) == 2
    desk.context.commands.run("edit.undo")
    assert labels(desk) == ["crack", "stain"]
    desk.context.commands.run("edit.redo")
    assert labels(desk) == ["stain"]
    page.results.correcting.remove(0)
    page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    assert page.open_record.item is not None
    assert page.open_record.item.passed is True
    desk.context.commands.run("edit.undo")
    assert labels(desk) == ["crack", "stain"]
    qtbot.waitUntil(lambda: desk.saved and len(entries(desk)) == 3)
    assert [entry["isPassed"] for entry in entries(desk)] == [False, True, False]


def test_correction_withdraws_a_verdict_and_undo_restores_it(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    desk.context.commands.run("item.fail")
    qtbot.waitUntil(lambda: desk.saved)
    page.results.correcting.remove(1)
    page.results.correcting.save()
    assert page.open_record.rows[0].status == "undecided"
    qtbot.waitUntil(lambda: desk.saved)
    assert verdict(desk) == "undecided"
    desk.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: desk.saved)
    assert page.open_record.rows[0].status == "failed"
    assert verdict(desk) == "failed"


def test_a_notice_says_that_a_correction_ended_the_verdict(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    notices: list[str] = []
    desk.page.results.correcting.notice.connect(notices.append)
    desk.context.commands.run("item.fail")
    desk.page.results.correcting.remove(1)
    assert notices == []

    desk.page.results.correcting.save()

    assert notices == ["The verdict of item 1 ended, because its findings changed. Decide again."]


@pytest.mark.parametrize(("given", "kept"), [(Verdict.FAILED, "failed"), (Verdict.PASSED, "undecided")])
def test_only_a_fail_stays_when_findings_are_accepted_and_graded(
    desk: WorkbenchDriver, qtbot: QtBot, given: Verdict, kept: str
) -> None:
    page = desk.page
    page.results.changes.decide(given, "as seen")
    qtbot.waitUntil(lambda: desk.saved)
    page.results.correcting.accept(0)
    page.results.correcting.save()

    assert page.open_record.rows[0].status == kept
    qtbot.waitUntil(lambda: desk.saved)
    assert verdict(desk) == kept
    assert page.open_record.rows[0].status == kept
    desk.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: desk.saved)
    assert verdict(desk) == given


def test_a_notice_says_that_an_acceptance_was_withdrawn(desk: WorkbenchDriver) -> None:
    notices: list[str] = []
    correcting = desk.page.results.correcting
    correcting.notice.connect(notices.append)

    correcting.accept(0)
    assert notices == []
    correcting.accept(0)

    assert notices == ["The finding is no longer accepted."]


def test_changes_to_findings_that_are_not_saved_are_counted_in_the_top_bar(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = desk.page
    assert page.top.mark.text() == "All saved"
    page.results.correcting.accept(0)
    page.results.correcting.remove(1)
    assert page.top.mark.text() == "2 change(s) not saved"
    page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    qtbot.waitUntil(lambda: page.top.mark.text() == "All saved")


def test_leaving_the_item_saves_the_correction(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.results.correcting.accept(0)
    desk.context.commands.run("item.next")
    assert not page.open_record.drafts.all()
    qtbot.waitUntil(lambda: desk.saved)
    assert entries(desk)[-1]["resultImage"]["boxes"][0]["accepted"] is True


def test_boxes_are_moved_resized_and_drawn_on_the_photo(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.canvas.comparing.show(True)
    view = page.canvas.compare
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=on_photo(view, desk, 320, 245))
    assert page.inspector.findings.list.current == 0
    drag(view, on_photo(view, desk, 320, 245), on_photo(view, desk, 330, 265))
    moved = page.inspector.findings.shown_findings[0].box
    assert (moved.w, moved.h) == (40, 30)
    assert abs(moved.x - 310) <= 1
    assert abs(moved.y - 250) <= 1
    drag(view, on_photo(view, desk, moved.right, moved.bottom), on_photo(view, desk, 380, 300))
    resized = page.inspector.findings.shown_findings[0].box
    assert (resized.x, resized.y) == (moved.x, moved.y)
    assert abs(resized.right - 380) <= 1
    page.inspector.correction.draw.setChecked(True)
    drag(view, on_photo(view, desk, 420, 200), on_photo(view, desk, 450, 240))
    drawn = page.inspector.findings.shown_findings[0]
    assert (drawn.label, drawn.confidence) == ("difference", 1.0)
    assert abs(drawn.box.w - 30) <= 2
    editor = page.inspector.findings.findChild(LabelEditor)
    assert editor is not None
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    assert [box["origin"] for box in entries(desk)[-1]["resultImage"]["boxes"]] == [
        "model",
        "model",
        "person",
    ]


def test_concurrent_change_of_findings_is_a_conflict(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    item_id = desk.session.items.all(page.open_record.record_id)[0].item_id
    page.results.correcting.remove(0)
    other_box = {**CRACK, "label": "dent", "origin": "model", "accepted": True}
    desk.session.items.correct(item_id, 1, [other_box])
    page.results.correcting.save()
    qtbot.waitUntil(lambda: page.open_record.edits.save_state.conflicts == 1)
    (conflict,) = page.open_record.edits.conflicts()
    assert [box["label"] for box in conflict.current["boxes"]["boxes"]] == ["dent"]
    page.open_record.edits.resolve(conflict.edit.id, dict(conflict.edit.after))
    qtbot.waitUntil(lambda: desk.saved)
    assert [box["label"] for box in entries(desk)[-1]["resultImage"]["boxes"]] == ["stain"]


def test_a_correction_that_the_disk_refuses_stays_a_draft(
    desk: WorkbenchDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = desk.page
    page.results.correcting.remove(0)
    with monkeypatch.context() as broken:
        broken.setattr(page.open_record.edits, "do", lambda *_edits, **_more: False)
        page.results.correcting.save()
    assert labels(desk) == ["stain"]
    assert page.inspector.correction.save.isVisible()


def test_a_draft_survives_the_end_of_the_program(session: Session, qtbot: QtBot) -> None:
    record_id = make_record(session, REGION)
    items = [item.item_id for item in session.items.all(record_id)]
    add_result(session, items[1])
    path = journal_path(session.account.me().user.user_id)
    with at_desk(session, qtbot) as first:
        first.open(record_id, qtbot.waitUntil)
        first.page.items.go_to(items[1])
        first.page.results.correcting.remove(1)
        first.page.results.correcting.accept(0)
        first.page.results.correcting.remove(0)
        first.page.results.correcting.undo()
        killed = path.read_bytes()
        first.page.results.correcting.discard()
    path.write_bytes(killed)
    with at_desk(session, qtbot) as second:
        toasts: list[str] = []
        second.page.toast.connect(toasts.append)
        second.open(record_id, qtbot.waitUntil)
        # With "changes" or "change(s)": the plural needs the catalogue, which other tests may have loaded.
        assert [text[:8] for text in toasts] == ["2 unsave"]
        assert second.page.open_record.current == items[1]
        assert labels(second) == ["crack"]
        assert second.page.inspector.findings.shown_findings[0].accepted
        assert second.page.results.correcting.redo()
        assert labels(second) == []
        for _ in range(3):
            assert second.page.results.correcting.undo()
        assert not second.page.results.correcting.undo()
        assert labels(second) == ["crack", "stain"]
        second.page.results.correcting.redo()
        second.page.results.correcting.save()
        qtbot.waitUntil(lambda: second.saved)
        assert len(entries(second, 1)) == 2
    with at_desk(session, qtbot) as third:
        third.open(record_id, qtbot.waitUntil)
        assert not third.page.open_record.drafts.all()


def test_viewer_cannot_correct_findings(desk: WorkbenchDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk.context, "may", lambda _permission: False)
    desk.page.results.correcting.accept(0)
    assert not desk.page.open_record.drafts.all()


def test_a_photo_is_aligned_by_three_points(workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path) -> None:
    record_id = make_record(workbench.session, REGION[:1])
    view = View(rotation=4, scale=0.95)
    path = tmp_path / "askew.jpg"
    path.write_bytes(jpeg(view))
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    page.photos.uploading.add([path])

    def has_reference_mapping() -> bool:
        return page.photos.pairing.pair is not None and page.photos.pairing.pair.to_reference is not None

    qtbot.waitUntil(has_reference_mapping)
    assert page.photos.pairing.pair is not None
    assert not page.photos.pairing.pair.aligned
    QTest.mouseClick(page.inspector.photo.align, Qt.MouseButton.LeftButton)
    compare, points = page.canvas.compare, page.canvas.aligning.points
    assert points is not None
    assert page.canvas.centre.currentWidget() is compare
    _, truth = panel_photo(WIDTH, HEIGHT, 1, view)
    back = page.photos.pairing.pair.to_reference
    assert back is not None
    to_pair = np.linalg.inv(back).astype(np.float64)
    for number, place in enumerate(((300.0, 220.0), (430.0, 230.0), (350.0, 300.0)), 1):
        left, top = compare.viewport.to_view(*map_point(to_pair, *place))
        QTest.mouseClick(compare, Qt.MouseButton.LeftButton, pos=QPointF(left, top).toPoint())
        assert len(points.reference) == number
        if number == 2:
            workbench.context.commands.run("edit.undo")
            assert len(points.reference) == 1
            QTest.mouseClick(compare, Qt.MouseButton.LeftButton, pos=QPointF(left, top).toPoint())
        spot = on_photo(compare, workbench, *map_point(truth, *place))
        QTest.mouseClick(compare, Qt.MouseButton.LeftButton, pos=spot)
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None and page.photos.pairing.pair.aligned)
    assert page.canvas.aligning.points is None
    photo_point = map_point(page.photos.pairing.pair.mapping, *map_point(truth, 380.0, 260.0))
    assert page.photos.pairing.pair.to_reference is not None
    reference_point = map_point(page.photos.pairing.pair.to_reference, *photo_point)
    assert np.hypot(reference_point[0] - 380, reference_point[1] - 260) < 4
    qtbot.waitUntil(lambda: workbench.saved)
    (item,) = workbench.session.items.all(record_id)
    stored = not_none(item.item_point).model_dump()["detection"]["alignment"]
    (photo,) = workbench.session.items.photos(item.item_id)
    assert stored["photo_file_id"] == photo.file_id
    ours = map_point(np.asarray(stored["homography"], np.float64), 380.0, 260.0)
    assert np.hypot(*np.subtract(ours, map_point(truth, 380.0, 260.0))) < 4
    for step, is_pair_aligned in (("edit.undo", False), ("edit.redo", True)):
        workbench.context.commands.run(step)

        def is_alignment_shown(on: bool = is_pair_aligned) -> bool:
            return page.photos.pairing.pair is not None and page.photos.pairing.pair.aligned is on

        qtbot.waitUntil(is_alignment_shown)
    QTest.mouseClick(page.inspector.photo.align, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None and not page.photos.pairing.pair.aligned)
    qtbot.waitUntil(lambda: workbench.saved)
    assert "detection" not in not_none(workbench.session.items.all(record_id)[0].item_point).model_dump()


def test_escape_ends_the_alignment_only(desk: WorkbenchDriver) -> None:
    before = desk.page.canvas.compare.tool
    desk.page.canvas.aligning.start()
    assert desk.page.canvas.compare.tool is not before
    desk.context.commands.run("tool.select")
    assert desk.page.canvas.aligning.points is None
    assert desk.page.canvas.centre.currentWidget() is desk.page.canvas.compare
    assert desk.page.canvas.compare.tool is before
