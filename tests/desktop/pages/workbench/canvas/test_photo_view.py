"""The photo in the place of the reference image: the same place, editable findings, nothing hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.client import Session
from desktop.imaging.sources import opening
from desktop.imaging.sources.local import TiledImage
from desktop.pages.workbench.canvas import finding_editing as editing
from desktop.pages.workbench.canvas.photo_canvas import mapped_point
from desktop.pages.workbench.photos.photo_box import MIN_PANE_PX
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.record import correction
from desktop.record.edits import journal_path
from shared.record.entries import Entry
from shared.samples import View
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import (
    HEIGHT,
    WIDTH,
    WorkbenchDriver,
    make_record,
    picture,
    store_detections,
)
from tests.desktop.pages.workbench.driver import workbench_driver as at_desk
from tests.desktop.pages.workbench.results.test_correcting import (
    CRACK,
    REGION,
    SAME,
    STAIN,
    entries,
    jpeg,
    labels,
)
from tests.narrowing import not_none
from tests.pictures import panel_photo

KEY = Qt.Key


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in a row are one step, also on a computer that is busy with other tests."""
    monkeypatch.setattr(correction, "MERGE_WITHIN", 60.0)


def give(
    session: Session,
    record_id: str,
    view: View | None = None,
    boxes: tuple[Any, ...] = ((CRACK, STAIN), (STAIN,)),
    photo: bytes | None = None,
) -> np.ndarray:
    """Give each item of a record these findings in one photo that all share; how it lies on the reference."""
    stored = session.files.upload(photo or jpeg(view), "today.jpg")
    matrix = np.array(SAME)
    if view is not None:
        matrix = panel_photo(WIDTH, HEIGHT, 1, view)[1]
    for item, item_boxes in zip(session.items.all(record_id), boxes, strict=False):
        session.items.add_photo(item.item_id, stored.file_id)
        entry: Entry = {
            "inputImage": {"download_url": stored.download_url, "ipfs_cid": stored.ipfs_cid},
            "resultImage": {"boxes": list(item_boxes)},
            "isPassed": False,
            "progress": "done",
            "version": 1,
            "provenance": {"alignment": {"homography": matrix.tolist(), "error_px": 0.4, "inliers": 50}},
        }
        store_detections(session, item.item_id, entry)
    return matrix


def open_shared_photo(desk: WorkbenchDriver, qtbot: QtBot, view: View | None = None) -> np.ndarray:
    """Two items that share a photo, the first one chosen, the photo's ref known."""
    record_id = make_record(desk.session, REGION)
    matrix = give(desk.session, record_id, view)
    desk.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: desk.page.photos.pairing.of_item and desk.page.photos.pairing.ref is not None)
    # The name is not in the result: it comes with the photos of the item.
    qtbot.waitUntil(lambda: desk.page.photos.pairing.name == "today.jpg")
    return matrix


def to_photo(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    desk.context.commands.run("view.photo")
    qtbot.waitUntil(lambda: desk.page.canvas.photo.source is not None)


def photo_point(desk: WorkbenchDriver, x: float, y: float) -> QPoint:
    """Where a px of the photo is on its canvas."""
    return QPointF(*desk.page.canvas.photo.viewport.to_view(x, y)).toPoint()


def drag(desk: WorkbenchDriver, start: QPoint, end: QPoint) -> None:
    view = desk.page.canvas.photo
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, (start + end) / 2)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)


def typing(desk: WorkbenchDriver) -> QWidget:
    """Where a label is typed at a finding on the photo."""
    focus = QApplication.focusWidget()
    assert isinstance(focus, LabelEditor)
    assert focus.parent() is desk.page.canvas.photo
    return focus


def middle(view: Any) -> tuple[float, float]:
    x, y = view.viewport.to_image(view.width() / 2, view.height() / 2)
    return float(x), float(y)


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page with the photo of its first item on the canvas."""
    open_shared_photo(workbench, qtbot)
    to_photo(workbench, qtbot)
    return workbench


def test_one_key_shows_the_same_place_of_the_photo_and_of_the_reference(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    matrix = open_shared_photo(workbench, qtbot, View(rotation=5, scale=0.9))
    page = workbench.page
    page.canvas.view.set_viewport(3.0, 360.0, 270.0)
    before = page.canvas.view.viewport
    page.canvas.view.setFocus()
    QTest.mouseMove(page.canvas.view, page.canvas.view.rect().center())
    QTest.keyClick(page.canvas.view, KEY.Key_T)
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None)
    assert page.canvas.centre.currentWidget() is page.canvas.photo
    assert page.canvas.photo.hasFocus()
    assert page.canvas.photo_view.switch.photo.isChecked()
    expected = mapped_point(matrix, *middle(page.canvas.view))
    assert expected is not None
    assert np.hypot(*np.subtract(expected, middle(page.canvas.photo))) < 1
    assert page.canvas.photo.viewport.scale == pytest.approx(3.0 / 0.9, rel=0.02)
    QTest.keyClick(page.canvas.photo, KEY.Key_T)
    assert page.canvas.centre.currentWidget() is page.canvas.view
    assert page.canvas.view.viewport == before
    assert page.canvas.photo_view.switch.reference.isChecked()
    QTest.mouseClick(page.canvas.photo_view.switch.photo, Qt.MouseButton.LeftButton)
    assert page.canvas.centre.currentWidget() is page.canvas.photo
    page.canvas.photo.set_viewport(4.0, *expected)
    page.canvas.photo.set_viewport(5.0, expected[0] + 30, expected[1] + 10)
    workbench.context.commands.run("view.photo")
    shown = mapped_point(matrix, *middle(page.canvas.view))
    assert shown is not None
    assert np.hypot(shown[0] - expected[0] - 30, shown[1] - expected[1] - 10) < 1
    assert page.canvas.view.viewport.scale == pytest.approx(5.0 * 0.9, rel=0.02)


def test_point_below_the_pointer_stays_in_place(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    matrix = open_shared_photo(workbench, qtbot, View(rotation=10, scale=0.9))
    page, view = workbench.page, workbench.page.canvas.view
    view.set_viewport(4.0, 360.0, 270.0)
    spot = view.rect().center() + QPoint(-150, 120)

    def hover() -> bool:
        # While pictures open, something may cover the spot and take the first move.
        QTest.mouseMove(view, spot - QPoint(1, 0))
        QTest.mouseMove(view, spot)
        return view.underMouse()

    qtbot.waitUntil(hover)
    expected = mapped_point(matrix, *view.viewport.to_image(spot.x(), spot.y()))
    assert expected is not None
    to_photo(workbench, qtbot)
    assert page.canvas.photo.viewport.to_view(*expected) == pytest.approx((spot.x(), spot.y()), abs=1.5)


def test_the_photo_of_an_item_without_an_alignment_is_fitted(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session, REGION)
    item = workbench.session.items.all(record_id)[0]
    workbench.session.items.add_photo(
        item.item_id, workbench.session.files.upload(jpeg(), "today.jpg").file_id
    )
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(lambda: page.photos.pairing.ref is not None)
    page.canvas.view.set_viewport(6.0, 100.0, 100.0)
    to_photo(workbench, qtbot)
    assert page.canvas.photo.viewport.is_fitted
    toasts: list[str] = []
    page.toast.connect(toasts.append)
    workbench.context.commands.run("tool.rectangle")
    assert page.canvas.photo.editor.tool is Tool.SELECT
    assert toasts == ["Run detection on this photo first. You can then draw and correct findings here."]


def test_without_a_photo_the_reference_stays_with_a_notice(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session, REGION), qtbot.waitUntil)
    toasts: list[str] = []
    workbench.page.toast.connect(toasts.append)
    QTest.mouseClick(workbench.page.canvas.photo_view.switch.photo, Qt.MouseButton.LeftButton)
    assert toasts == ["No photos yet. Add or take one, or drop a file here."]
    assert workbench.page.canvas.centre.currentWidget() is workbench.page.canvas.view
    assert workbench.page.canvas.photo_view.switch.reference.isChecked()


def test_findings_are_drawn_on_the_photo_with_number_label_and_source(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = desk.page
    regions = sorted(page.canvas.photo.store, key=lambda region: region.number)
    assert [(region.number, region.label, region.note) for region in regions] == [
        (1, "crack", "0.90"),
        (2, "stain", "0.40"),
    ]
    assert (regions[0].rect.x, regions[0].rect.right) == (300, 340)
    qtbot.waitUntil(lambda: bool(page.canvas.photo._finding_layer.boxes))
    others = page.canvas.photo._finding_layer.boxes
    assert [(box.label, box.read_only) for box in others] == [("2 · stain", True)]
    assert len(page.canvas.photo._outline) == 4
    left, top = page.canvas.photo._outline[0]
    assert (left, top) == pytest.approx((0.3 * WIDTH, 0.3 * HEIGHT))


def test_finding_can_be_selected_moved_resized_nudged_and_deleted(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, view = desk.page, desk.page.canvas.photo
    regions = list(page.canvas.view.store)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=photo_point(desk, 320, 245))
    assert page.inspector.findings.list.current == 0
    drag(desk, photo_point(desk, 320, 245), photo_point(desk, 330, 265))
    moved = page.inspector.findings.shown_findings[0].box
    assert (moved.w, moved.h) == (40, 30)
    assert abs(moved.x - 310) <= 1
    drag(desk, photo_point(desk, moved.right, moved.bottom), photo_point(desk, 380, 300))
    resized = page.inspector.findings.shown_findings[0].box
    assert (resized.x, resized.y) == (moved.x, moved.y)
    assert abs(resized.right - 380) <= 1
    for _ in range(3):
        QTest.keyClick(view, KEY.Key_Right)
    QTest.keyClick(view, KEY.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    nudged = page.inspector.findings.shown_findings[0].box
    assert (nudged.x, nudged.y) == (resized.x + 3, resized.y + 10)
    desk.context.commands.run("edit.undo")
    assert page.inspector.findings.shown_findings[0].box == resized
    desk.context.commands.run("edit.redo")
    assert page.inspector.findings.shown_findings[0].box == nudged
    QTest.keyClick(view, KEY.Key_Delete)
    assert labels(desk) == ["stain"]
    assert list(page.canvas.view.store) == regions
    assert len(desk.names) == 2
    desk.context.commands.run("edit.undo")
    assert labels(desk) == ["crack", "stain"]
    page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    points = entries(desk)[-1]["resultImage"]["boxes"][0]["points"]
    assert (points["x1"], points["y1"]) == (nudged.x, nudged.y)


def test_a_finding_is_drawn_and_labelled_on_the_photo(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page, view = desk.page, desk.page.canvas.photo
    QTest.keyClick(view, KEY.Key_R)
    assert page.inspector.correction.draw.isChecked()
    drag(desk, photo_point(desk, 420, 200), photo_point(desk, 450, 240))
    assert view.editor.tool is Tool.SELECT
    assert not page.inspector.correction.draw.isChecked()
    field = typing(desk)
    QTest.keyClicks(field, "oil leak")
    QTest.keyClick(field, KEY.Key_Return)
    drawn = page.inspector.findings.shown_findings[0]
    assert (drawn.label, drawn.is_drawn) == ("oil leak", True)
    assert abs(drawn.box.w - 30) <= 1
    (chosen,) = view.store.selected_regions
    assert (chosen.label, chosen.number) == ("oil leak", 1)
    assert view.hasFocus()
    assert len(desk.names) == 2
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=photo_point(desk, 320, 245))
    QTest.keyClicks(typing(desk), "not this")
    QTest.keyClick(typing(desk), KEY.Key_Escape)
    qtbot.waitUntil(lambda: not view.findChildren(LabelEditor))
    assert labels(desk) == ["oil leak", "crack", "stain"]
    assert [region.label for region in view.store.selected_regions] == ["crack"]
    for key in (KEY.Key_Return, KEY.Key_F2):
        QTest.keyClick(view, key)
        field = typing(desk)
        QTest.keyClicks(field, f"dent {int(key)}")
        QTest.keyClick(field, KEY.Key_Return)
        assert f"dent {int(key)}" in labels(desk)
        qtbot.waitUntil(lambda: not view.findChildren(LabelEditor))


def test_several_findings_are_worked_on_together_as_one_step(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page, view = desk.page, desk.page.canvas.photo
    view.setFocus()
    desk.context.commands.run("edit.all")
    assert len(view.store.selected_ids) == 2
    assert len(page.canvas.view.store.selected_ids) == 1
    QTest.keyClick(view, KEY.Key_Left)
    assert [finding.box.x for finding in page.inspector.findings.shown_findings] == [299, 359]
    assert len(view.store.selected_ids) == 2
    desk.context.commands.run("edit.duplicate")
    assert labels(desk).count("crack") == labels(desk).count("stain") == 2
    assert len(view.store.selected_ids) == 2
    desk.context.commands.run("edit.undo")
    desk.context.commands.run("edit.all")
    desk.context.commands.run("edit.delete")
    assert labels(desk) == []
    desk.context.commands.run("edit.undo")
    assert labels(desk) == ["crack", "stain"]
    assert len(desk.names) == 2


def test_finding_below_a_deleted_one_is_not_selected(desk: WorkbenchDriver) -> None:
    page, view = desk.page, desk.page.canvas.photo
    ids = {region.label: region.id for region in view.store}
    page.results.correcting.remove(0)
    assert [(region.label, region.id) for region in view.store] == [("stain", ids["stain"])]


def test_tab_selects_the_findings_in_order_and_shows_them(desk: WorkbenchDriver) -> None:
    view = desk.page.canvas.photo
    view.set_viewport(20.0, 20.0, 20.0)
    view.setFocus()
    QTest.keyClick(view, KEY.Key_Tab)
    (chosen,) = view.store.selected_regions
    assert chosen.label == "crack"
    assert not chosen.rect.intersection(view.viewport.visible).is_empty
    QTest.keyClick(view, KEY.Key_Tab)
    (chosen,) = view.store.selected_regions
    assert chosen.label == "stain"
    assert not chosen.rect.intersection(view.viewport.visible).is_empty


def test_verdicts_and_the_next_item_keep_the_photo(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page, view = desk.page, desk.page.canvas.photo
    view.setFocus()
    QTest.keyClick(view, KEY.Key_X)
    assert page.open_record.rows[0].status == "failed"
    source = view.source
    QTest.keyClick(view, KEY.Key_D)
    assert page.open_record.number == 2
    assert page.canvas.centre.currentWidget() is view
    assert view.source is source
    qtbot.waitUntil(lambda: [region.label for region in view.store] == ["stain"])
    qtbot.waitUntil(lambda: [box.label for box in view._finding_layer.boxes][:1] == ["1 · crack"])
    qtbot.waitUntil(lambda: desk.saved)


def test_unsaved_correction_is_kept_when_views_switch(desk: WorkbenchDriver) -> None:
    page = desk.page
    page.results.correcting.relabel(0, "dent")
    for _ in range(3):
        desk.context.commands.run("view.photo")
        assert labels(desk) == ["dent", "stain"]
        assert page.inspector.correction.save.isVisible()
    assert [draft.steps for draft in page.open_record.drafts.all()] == [1]


def test_regions_are_not_touched_while_the_photo_hides_them(desk: WorkbenchDriver) -> None:
    page = desk.page
    before = list(page.canvas.view.store), page.canvas.view.store.selected_ids, desk.names
    toasts: list[str] = []
    page.toast.connect(toasts.append)
    page.canvas.photo.setFocus()
    for command in ("region.lock", "region.hide", "region.front", "edit.copy"):
        desk.context.commands.run(command)
    assert len(toasts) == 4
    assert set(toasts) == {"Show the reference image first (T)."}
    for command in (
        "region.left",
        "edit.duplicate",
        "tool.finish",
        "move.left",
        "move.far_down",
        "edit.snap",
    ):
        desk.context.commands.run(command)
    page.canvas.photo.setFocus()
    QTest.keyClick(page.canvas.photo, KEY.Key_Delete)
    assert (list(page.canvas.view.store), page.canvas.view.store.selected_ids, desk.names) == before
    assert page.open_record.edits.save_state.unsent_count == 0


def test_neither_is_touched_while_they_are_compared(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    desk.context.commands.run("edit.all")
    desk.context.commands.run("compare")
    assert page.canvas.centre.currentWidget() is page.canvas.compare
    assert not page.canvas.photo_view.switch.photo.isChecked()
    before = list(page.canvas.view.store), list(page.canvas.photo.store), page.canvas.photo.store.selected_ids
    for command in ("edit.duplicate", "region.left", "region.lock", "edit.all"):
        desk.context.commands.run(command)
    assert (
        list(page.canvas.view.store),
        list(page.canvas.photo.store),
        page.canvas.photo.store.selected_ids,
    ) == before
    desk.context.commands.run("tool.select")
    assert page.canvas.centre.currentWidget() is page.canvas.photo


def test_drawing_an_ignored_area_shows_the_reference(desk: WorkbenchDriver) -> None:
    desk.context.commands.run("tool.area")
    assert desk.page.canvas.centre.currentWidget() is desk.page.canvas.view
    assert desk.page.canvas.view.editor.tool is Tool.AREA
    assert desk.page.canvas.photo.editor.tool is Tool.SELECT


def test_another_record_begins_with_its_reference(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    other = make_record(desk.session, REGION)
    page.enter({"record_id": other})
    qtbot.waitUntil(lambda: page.open_record.record_id == other and page.canvas.view.source is not None)
    assert page.canvas.centre.currentWidget() is page.canvas.view
    assert page.canvas.photo.source is None
    assert not list(page.canvas.photo.store)


def test_viewer_cannot_change_findings(desk: WorkbenchDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    page = desk.page
    monkeypatch.setattr(desk.context, "may", lambda _permission: False)
    page.open_record.record_changed.emit()
    page.open_record.current_changed.emit()
    drag(desk, photo_point(desk, 320, 245), photo_point(desk, 400, 300))
    assert not page.open_record.drafts.all()
    assert page.inspector.findings.shown_findings[0].box.x == 300


def test_another_photo_of_the_item_shows_no_findings_of_the_first(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = desk.page
    item_id = page.open_record.current
    stored = desk.session.files.upload(jpeg(View(rotation=3)), "later.jpg")
    page.photos.pairing.add_photo(
        item_id, desk.session.items.add_photo(page.open_record.edits.service_id(item_id), stored.file_id)
    )
    qtbot.waitUntil(lambda: not page.photos.pairing.of_item)
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None)
    assert not list(page.canvas.photo.store)
    assert not page.canvas.photo.editor.editable


def test_a_large_photo_is_shown_by_its_tiles(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_shared_photo(workbench, qtbot)
    qtbot.waitUntil(lambda: workbench.page.photos.pairing.pair is not None)
    monkeypatch.setattr(opening, "WHOLE_LIMIT", 100_000)
    to_photo(workbench, qtbot)
    source = workbench.page.canvas.photo.source
    assert isinstance(source, TiledImage)
    with qtbot.waitSignal(workbench.page.canvas.photo.prepared):
        pass
    assert len(source.levels) > 1
    workbench.page.canvas.photo.one_to_one()
    qtbot.waitUntil(lambda: bool(workbench.page.canvas.photo._loader._cache))


def test_next_item_shows_its_photo_when_it_is_loaded(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session, (*REGION, (0.1, 0.6, 0.2, 0.2)))
    for number, item in enumerate(workbench.session.items.all(record_id)[:2]):
        stored = workbench.session.files.upload(jpeg(View(rotation=number)), f"photo{number}.jpg")
        workbench.session.items.add_photo(item.item_id, stored.file_id)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(lambda: page.photos.pairing.ref is not None)
    workbench.context.commands.run("view.photo")
    workbench.context.commands.run("item.next")
    qtbot.waitUntil(lambda: page.photos.pairing.name == "photo1.jpg" and page.canvas.photo.source is not None)
    assert page.canvas.photo_view._ref == page.photos.pairing.ref
    second = page.canvas.photo.source
    workbench.context.commands.run("item.previous")
    qtbot.waitUntil(
        lambda: page.photos.pairing.name == "photo0.jpg" and page.canvas.photo.source not in (None, second)
    )
    workbench.context.commands.run("item.previous")
    qtbot.waitUntil(lambda: page.open_record.number == 3)
    qtbot.waitUntil(lambda: page.canvas.photo.source is None)
    # There is nothing to see on the photo: the reference image is shown until an item has one again.
    assert page.canvas.centre.currentWidget() is page.canvas.view


def test_context_menu_has_the_commands_for_a_finding(desk: WorkbenchDriver) -> None:
    page, view = desk.page, desk.page.canvas.photo
    view.customContextMenuRequested.emit(photo_point(desk, 380, 280))
    (menu,) = view.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    texts = [action.text().split("\t")[0] for action in menu.actions()]
    assert texts[:3] == ["Accept finding", "Relabel finding", "Delete finding"]
    assert "Draw finding" in texts
    assert "Draw region" not in texts
    assert "known variation" in menu.actions()[2].toolTip()
    menu.actions()[0].trigger()
    assert [finding.accepted for finding in page.inspector.findings.shown_findings] == [False, True]
    menu.actions()[2].trigger()
    assert labels(desk) == ["crack"]
    menu.close()


@pytest.mark.parametrize("is_meant", [False, True])
def test_a_finding_far_outside_the_region_asks(
    desk: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, is_meant: bool
) -> None:
    asked: list[str] = []

    def answer(_window: object, title: str, text: str, *_more: object, **_options: object) -> bool:
        asked.extend((title, text))
        return is_meant

    monkeypatch.setattr(editing, "confirm", answer)
    page = desk.page
    page.canvas.photo.fit()
    QTest.keyClick(page.canvas.photo, KEY.Key_R)
    drag(desk, photo_point(desk, 10, 560), photo_point(desk, 40, 590))
    qtbot.waitUntil(lambda: bool(asked), timeout=60_000)
    assert asked[0] == "Finding outside the region?"
    assert len(page.inspector.findings.shown_findings) == (3 if is_meant else 2)
    assert len(page.canvas.photo.store) == len(page.inspector.findings.shown_findings)


def test_status_bar_shows_no_hash_of_a_cached_picture(desk: WorkbenchDriver) -> None:
    statuses: list[str] = []
    desk.page.status.connect(lambda left, _right: statuses.append(left))
    desk.context.commands.run("view.photo")
    # The cache names a file by its content.
    desk.page.open_record.source = opening.open_image(picture(), "e5c1" * 16)
    desk.page.canvas.status_line.show()
    assert statuses[-1].startswith("left_wing_root.png · 800 × 600")


def test_status_bar_describes_the_front_picture(desk: WorkbenchDriver) -> None:
    statuses: list[tuple[str, str]] = []
    desk.page.status.connect(lambda left, right: statuses.append((left, right)))
    desk.page.canvas.shown_findings.choose(0)
    assert statuses[-1][0].startswith("today.jpg · 800 × 600")
    assert "Finding 40 × 30" in statuses[-1][1]
    assert "Draw finding" in [text.text() for text in desk.page.items.panel.findChildren(QLabel)]
    desk.context.commands.run("view.photo")
    assert statuses[-1][0].startswith("left_wing_root.png")
    assert "Region" in statuses[-1][1]


def test_the_preview_and_the_inspector_grow_with_the_window(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    pane = page.inspector.photo.pane
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    page.resize(1280, 760)
    qtbot.waitUntil(lambda: pane.height() == MIN_PANE_PX)
    narrow = page.inspector.width()
    page.resize(2560, 1440)
    qtbot.waitUntil(lambda: pane.height() == pane.useful_height())
    assert pane.height() > 3 * MIN_PANE_PX
    assert page.inspector.width() > narrow + 80
    bar = child(page.inspector, QScrollArea).verticalScrollBar()
    assert bar.maximum() == 0
    first, second = pane._pane_rects()
    assert second.y > first.y
    desk.context.commands.run("compare.overlay")
    page.inspector.photo.set_mode(CompareMode.OVERLAY)
    qtbot.waitUntil(lambda: pane.height() == pane.useful_height())
    page.resize(1280, 760)
    qtbot.waitUntil(lambda: pane.height() < 250 and page.inspector.width() == narrow)


def test_finding_selected_on_the_photo_is_deleted_only_there(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    desk.context.commands.run("edit.all")
    desk.context.commands.run("view.photo")
    page.canvas.shown_findings.choose(1)
    page.inspector.findings.list.setFocus()
    desk.context.commands.run("edit.delete")
    assert labels(desk) == ["crack"]
    desk.context.commands.run("view.photo")
    assert [region.label for region in page.canvas.photo.store] == ["crack"]
    desk.context.commands.run("edit.undo")
    assert [region.label for region in page.canvas.photo.store] == ["crack", "stain"]


def test_label_is_asked_for_on_the_visible_view(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    page.canvas.shown_findings.choose(0)
    desk.context.commands.run("compare")
    page.results.correcting.ask_chosen_label()
    assert not page.canvas.photo.findChildren(LabelEditor)
    QTest.keyClick(not_none(QApplication.focusWidget()), KEY.Key_Escape)
    desk.context.commands.run("compare")
    page.results.correcting.ask_chosen_label()
    assert typing(desk).isVisible()


def test_switching_does_not_jump_to_the_chosen_finding(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    open_shared_photo(workbench, qtbot)
    page = workbench.page
    page.canvas.shown_findings.choose(0)
    QTest.mouseMove(page.canvas.view, page.canvas.view.rect().center())
    page.canvas.view.set_viewport(6.0, 700.0, 500.0)
    to_photo(workbench, qtbot)
    qtbot.waitUntil(lambda: bool(page.canvas.photo.store.selected_ids))
    assert np.hypot(*np.subtract(middle(page.canvas.photo), middle(page.canvas.view))) < 1
    assert [region.label for region in page.canvas.photo.store.selected_regions] == ["crack"]


def test_changes_on_the_photo_survive_a_restart(session: Session, qtbot: QtBot) -> None:
    path = journal_path(session.account.me().user.user_id)
    with at_desk(session, qtbot) as first:
        open_shared_photo(first, qtbot)
        record_id = first.page.open_record.record_id
        to_photo(first, qtbot)
        first.page.canvas.shown_findings.choose(0)
        for _ in range(4):
            QTest.keyClick(first.page.canvas.photo, KEY.Key_Down)
        QTest.keyClick(first.page.canvas.photo, KEY.Key_R)
        drag(first, photo_point(first, 420, 200), photo_point(first, 450, 240))
        QTest.keyClick(typing(first), KEY.Key_Return)
        assert labels(first)[0] == "difference"
        killed = path.read_bytes()
        first.page.results.correcting.discard()
    path.write_bytes(killed)
    with at_desk(session, qtbot) as second:
        second.open(record_id, qtbot.waitUntil)
        qtbot.waitUntil(lambda: second.page.photos.pairing.of_item)
        to_photo(second, qtbot)
        drawn, crack, _ = sorted(second.page.canvas.photo.store, key=lambda region: region.number)
        assert (crack.label, crack.rect.y) == ("crack", 234)
        assert abs(drawn.rect.w - 30) <= 1
        (draft,) = second.page.open_record.drafts.all()
        assert draft.steps == 2


def test_status_line_shows_the_photo_of_the_next_item(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    lines: list[str] = []
    desk.page.canvas.status_line.notice.connect(lambda left, _right: lines.append(left))
    desk.page.items.go_to(desk.page.open_record.rows[1].item_id)
    qtbot.waitUntil(lambda: bool(lines) and lines[-1].startswith("today.jpg"))
    assert "Item 2 / 2" in lines[-1]
