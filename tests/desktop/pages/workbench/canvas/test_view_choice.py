"""After a detection the damage fills the canvas, and an item without a photo shows its reference image."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.background.workers import ProgressReport
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.overlays import ZoomChip
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.client import Session
from desktop.imaging import ImageSource
from desktop.imaging.decoding.pixels import Tone
from desktop.imaging.sources.local import WholeImage
from desktop.preferences import ReviewView
from desktop.record.loading import fetch_file
from desktop.record.region_link import ReferenceFile
from shared.record.entries import Entry
from tests.desktop.children import child
from tests.desktop.pages.workbench.canvas.test_photo_view import give
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, SAME, STAIN, jpeg
from tests.narrowing import not_none

THREE = (*REGION, (0.1, 0.6, 0.2, 0.2), (0.6, 0.6, 0.2, 0.2))
LONG = 60_000


@pytest.fixture
def desk(workbench: WorkbenchDriver) -> WorkbenchDriver:
    workbench.context.preferences.values.review_view = ReviewView.PHOTO
    return workbench


def open_detected(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    """Items 1 and 2 have findings on one photo, the others have no photo."""
    record_id = make_record(desk.session, THREE)
    give(desk.session, record_id)
    desk.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: desk.page.photos.pairing.of_item, timeout=LONG)


def centre(desk: WorkbenchDriver) -> object:
    return desk.page.canvas.centre.currentWidget()


def test_an_item_with_findings_opens_on_its_photo_zoomed_to_the_region(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    open_detected(desk, qtbot)
    page = desk.page
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None, timeout=LONG)
    assert centre(desk) is page.canvas.photo
    # The reference image may arrive after the photo.
    qtbot.waitUntil(lambda: not page.canvas.photo.viewport.is_fitted, timeout=LONG)
    region = not_none(page.canvas.photo_view._region())
    assert region.intersection(page.canvas.photo.viewport.visible) == region
    desk.context.commands.run("item.next")
    region = not_none(page.canvas.photo_view._region())
    assert region.intersection(page.canvas.photo.viewport.visible) == region
    assert centre(desk) is page.canvas.photo


def test_a_photo_that_arrives_before_the_reference_image_is_zoomed_to_the_region_later(
    desk: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo, shown = desk.page.canvas.photo, threading.Event()
    open_photo = photo.open

    def open_first(source: ImageSource | None) -> None:
        open_photo(source)
        if source is not None:
            shown.set()

    def fetch_late(report: ProgressReport, session: Session, file: ReferenceFile) -> ImageSource:
        assert shown.wait(60)
        return fetch_file(report, session, file)

    monkeypatch.setattr(photo, "open", open_first)
    monkeypatch.setattr("desktop.pages.workbench.canvas.reference_picture.fetch_file", fetch_late)
    open_detected(desk, qtbot)
    qtbot.waitUntil(lambda: not photo.viewport.is_fitted, timeout=LONG)
    region = not_none(desk.page.canvas.photo_view._region())
    assert region.intersection(photo.viewport.visible) == region


def test_nothing_covers_the_region_that_an_item_opens_on(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    desk.page.resize(1280, 752)
    record_id = make_record(desk.session, ((0.1, 0.1, 0.4, 0.62),))
    give(desk.session, record_id)
    desk.open(record_id, qtbot.waitUntil)
    photo = desk.page.canvas.photo
    qtbot.waitUntil(lambda: photo.source is not None, timeout=LONG)
    minimap = child(photo, QWidget, "minimap")
    qtbot.waitUntil(minimap.isVisible, timeout=LONG)
    box = photo.viewport.rect_to_view(not_none(desk.page.canvas.photo_view._region()))
    region = QRectF(box.x, box.y, box.w, box.h).toAlignedRect()
    assert not region.intersects(minimap.geometry())
    assert not region.intersects(not_none(photo.findChild(ZoomChip)).geometry())
    assert not region.intersects(desk.page.canvas.strip.geometry())


def test_view_does_not_leak_into_an_item_without_a_photo(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    open_detected(desk, qtbot)
    page = desk.page
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None, timeout=LONG)
    desk.context.commands.run("compare.difference")
    qtbot.waitUntil(lambda: centre(desk) is page.canvas.compare)
    page.items.go_to(page.open_record.rows[2].item_id)
    assert centre(desk) is page.canvas.view
    page.items.go_to(page.open_record.rows[1].item_id)
    qtbot.waitUntil(lambda: centre(desk) is page.canvas.compare, timeout=LONG)
    assert page.canvas.compare.mode is CompareMode.DIFFERENCE


def test_the_reference_image_stays_until_something_is_detected(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    open_detected(desk, qtbot)
    page = desk.page
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None, timeout=LONG)
    desk.context.commands.run("view.photo")
    desk.context.commands.run("item.next")
    assert centre(desk) is page.canvas.view
    detect_again(desk)
    qtbot.waitUntil(lambda: centre(desk) is page.canvas.photo, timeout=LONG)


def test_both_pictures_are_remembered(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    open_detected(desk, qtbot)
    page = desk.page
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None, timeout=LONG)
    desk.context.commands.run("compare")
    assert desk.context.preferences.values.review_view is ReviewView.BOTH
    page.enter({"record_id": make_record(desk.session, REGION)})
    qtbot.waitUntil(
        lambda: page.open_record.document is not None and not page.canvas.comparing.is_on, timeout=LONG
    )
    open_detected(desk, qtbot)
    qtbot.waitUntil(lambda: centre(desk) is page.canvas.compare, timeout=LONG)


def test_a_detection_interrupts_neither_drawing_nor_typing(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    open_detected(desk, qtbot)
    page = desk.page
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None, timeout=LONG)
    desk.context.commands.run("view.photo")
    desk.context.commands.run("tool.rectangle")
    version = detect_again(desk)
    qtbot.waitUntil(lambda: newest(desk) == version, timeout=LONG)
    assert centre(desk) is page.canvas.view
    assert page.canvas.view.editor.tool is Tool.DRAW
    desk.context.commands.run("tool.select")
    page.inspector.verdict.reason.setFocus()
    detect_again(desk)
    qtbot.waitUntil(lambda: centre(desk) is page.canvas.photo, timeout=LONG)
    assert QApplication.focusWidget() is page.inspector.verdict.reason


def test_compare_waits_for_a_photo_on_its_way(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    open_detected(desk, qtbot)
    page = desk.page
    notices: list[str] = []
    page.canvas.comparing.notice.connect(notices.append)
    page.photos.pairing._announce_pair(None)
    page.photos.pairing._shown = None
    desk.context.commands.run("compare")
    page.photos.pairing.show()
    qtbot.waitUntil(lambda: centre(desk) is page.canvas.compare, timeout=LONG)
    assert notices == []


def newest(desk: WorkbenchDriver) -> int:
    item = desk.page.open_record.item
    return 0 if item is None else max(int(entry["version"]) for entry in item.result)


def detect_again(desk: WorkbenchDriver) -> int:
    """Store another detection of the chosen item, as the service would; its version."""
    page = desk.page
    item = not_none(page.open_record.item)
    version = newest(desk) + 1
    photo = desk.session.items.photos(item.item_id)[-1].file
    entry: Entry = {
        "inputImage": {"download_url": photo.download_url, "ipfs_cid": photo.ipfs_cid},
        "resultImage": {"boxes": [CRACK, STAIN]},
        "isPassed": False,
        "progress": "done",
        "version": version,
        "provenance": {"alignment": {"homography": SAME, "error_px": 0.4, "inliers": 50}},
    }
    store_detections(desk.session, item.item_id, *item.result, entry)
    page.live.read_items([item.item_id])
    return version


def test_an_undetected_photo_is_not_shown_by_itself(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(desk.session, REGION)
    item = desk.session.items.all(record_id)[0]
    desk.session.items.add_photo(item.item_id, desk.session.files.upload(jpeg(), "today.jpg").file_id)
    desk.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: desk.page.photos.pairing.pair is not None, timeout=LONG)
    assert centre(desk) is desk.page.canvas.view


def test_pictures_of_a_page_that_is_left_take_no_memory_until_it_returns(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    open_detected(desk, qtbot)
    canvas = desk.page.canvas
    views = canvas.view, canvas.photo
    qtbot.waitUntil(lambda: all(view.source and view.source.levels for view in views), timeout=LONG)
    sources = [view.source for view in views]
    assert all(isinstance(source, WholeImage) and source.levels for source in sources)
    desk.page.leave()
    desk.page.hide()
    qtbot.waitUntil(
        lambda: [source._pixels for source in sources if isinstance(source, WholeImage)] == [(), ()]
    )
    desk.page.show()
    desk.page.enter({})
    # In another tone each tile is read again.
    canvas.photo.set_tone(Tone(brightness=20))
    photo = sources[1]
    qtbot.waitUntil(lambda: isinstance(photo, WholeImage) and photo._pixels != (), timeout=LONG)
