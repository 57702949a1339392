"""Photos of the record: added in any way, matched, offered, accepted, corrected, shared, removed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import FinishDialog
from desktop.pages.workbench.photos.capture import CaptureDialog
from desktop.pages.workbench.photos.record_photos import coordinator, review
from desktop.pages.workbench.photos.record_photos.thumbnails import MIME
from desktop.record.photo_queue import QueuedPicture
from desktop.widgets import Confirm
from shared.ids import new_id
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.samples import View
from shared.wire.photos import PhotoItemSet, RecordPhoto
from tests.desktop.children import child, click_button
from tests.desktop.imaging.conversion.photos import raw
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver, frame, make_record, picture
from tests.narrowing import not_none
from tests.pictures import panel_image, panel_photo

pytestmark = pytest.mark.slow

_LEFT, _NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
_SOON = 60_000


@pytest.fixture
def pictures(tmp_path: Path) -> dict[str, Path]:
    """Two photos of the panel, askew, and one of something else.

    Each test has its own contents, because the service refuses the photos of other records.
    """
    folder, unique = tmp_path / "record photos", new_id().encode()
    folder.mkdir()
    askew, _ = panel_photo(WIDTH, HEIGHT, 1, View(rotation=2, scale=0.97))
    other, _ = panel_photo(WIDTH, HEIGHT, 1, View(rotation=-3, scale=0.9))
    noise = np.random.default_rng(1).integers(0, 255, (400, 500, 3), np.uint8)
    paths = {}
    for name, taken in (("全貌.jpg", askew), ("again.jpg", other), ("elsewhere.jpg", noise)):
        paths[name] = folder / name
        paths[name].write_bytes(cv2.imencode(".jpg", taken)[1].tobytes() + unique)
    return paths


def add_matched_photos(workbench: WorkbenchDriver, qtbot: QtBot, *paths: Path) -> list[str]:
    """Add pictures to the record and wait until each is matched; the ids of the photos, newest first."""
    photo_list = workbench.page.photos.record_photos.photo_list
    before = len(photo_list.photos)
    workbench.page.photos.record_photos.add(paths)
    qtbot.waitUntil(lambda: len(photo_list.photos) == before + len(paths), timeout=_SOON)
    qtbot.waitUntil(lambda: all(photo.state != "waiting" for photo in photo_list.photos), timeout=_SOON)
    return [photo.photo_id for photo in photo_list.photos]


def ids(workbench: WorkbenchDriver) -> list[str]:
    return [row.item_id for row in workbench.page.open_record.rows]


def assigned_items(workbench: WorkbenchDriver, photo_id: str) -> set[str]:
    photo = workbench.page.photos.record_photos.photo_list.get(photo_id)
    return set() if photo is None else {item.item_id for item in photo.items}


def test_one_photo_is_offered_to_every_item_it_shows_and_accepted_at_once(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    tray = workbench.page.photos.record_photos.tray
    assert tray.isHidden()
    nothing, whole = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"], pictures["elsewhere.jpg"])
    assert tray.isVisible()
    assert workbench.session.items.record_photos(record_id) == []
    assert tray.accept.text() == "Accept for 3 item(s)"
    assert "Regions of 3 item(s) found in 1 photo(s)." in tray.text
    assert "1 photo(s) to assign manually." in tray.text
    tray.accept.click()
    accepted = workbench.page.photos.record_photos.accepted
    qtbot.waitUntil(accepted.isVisible, timeout=_SOON)
    assert assigned_items(workbench, whole) == set(ids(workbench))
    assert assigned_items(workbench, nothing) == set()
    assert tray.thumbnails.ids == [nothing]
    assert {photo.item_id for photo in workbench.session.items.record_photos(record_id)} == set(
        ids(workbench)
    )
    # Laid on the reference image by the match, before any detection.
    pair = workbench.page.photos.pairing
    qtbot.waitUntil(lambda: pair.pair is not None and pair.pair.aligned, timeout=_SOON)

    click_button(accepted, "Run detection on 3 item(s)")
    qtbot.waitUntil(lambda: all(row.detected for row in workbench.page.open_record.rows), timeout=60_000)
    entry = workbench.page.open_record.entry
    photo = workbench.page.photos.record_photos.photo_list.get(whole)
    assert entry is not None
    assert photo is not None
    assert not_none(entry["inputImage"])["ipfs_cid"] == photo.file.ipfs_cid


def test_offer_to_detect_closes_when_detection_starts_elsewhere(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    workbench.page.photos.record_photos.accept_all()
    accepted = workbench.page.photos.record_photos.accepted
    qtbot.waitUntil(accepted.isVisible, timeout=_SOON)
    workbench.context.commands.run("record.detect")
    qtbot.waitUntil(accepted.isHidden, timeout=_SOON)
    qtbot.waitUntil(lambda: all(row.detected for row in workbench.page.open_record.rows), timeout=60_000)


def test_tray_folds_to_a_line_and_unfolds_for_a_new_photo(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    tray = workbench.page.photos.record_photos.tray
    add_matched_photos(workbench, qtbot, pictures["elsewhere.jpg"])
    high = tray.height()
    tray.fold.click()
    qtbot.waitUntil(lambda: 0 < tray.height() < high / 2, timeout=_SOON)
    assert not tray.thumbnails.isVisible()
    assert tray.title == "Photos of the record  ·  1 photo(s) to assign manually."
    assert tray.fold.accessibleName() == "Show unassigned photos"
    tray.fold.click()
    assert tray.thumbnails.isVisible()
    tray.fold.click()
    add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    assert tray.thumbnails.isVisible()
    assert not tray.is_folded


def test_finishing_names_photos_without_an_item_and_folds_the_tray(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    page = workbench.page
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    add_matched_photos(workbench, qtbot, pictures["elsewhere.jpg"])
    for item in workbench.session.items.all(page.open_record.record_id):
        workbench.session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    page.reload()
    qtbot.waitUntil(lambda: page.open_record.counters.judged == 3, timeout=_SOON)
    assert page.inspector.photo.phone.isEnabled()
    page.results.finishing.finish()
    qtbot.waitUntil(
        lambda: any(dialog.isVisible() for dialog in page.findChildren(FinishDialog)), timeout=_SOON
    )
    dialog = next(dialog for dialog in page.findChildren(FinishDialog) if dialog.isVisible())
    assert child(dialog, QLabel, "finish-unassigned").text() == "1 photo(s) are not assigned to any item."
    dialog.confirm_button.click()
    tray = page.photos.record_photos.tray
    qtbot.waitUntil(lambda: tray.is_folded, timeout=_SOON)
    assert tray.title == "Photos of the record  ·  1 photo(s) are not assigned to any item."
    assert not page.inspector.photo.phone.isEnabled()


def test_accepting_can_be_undone(workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    (whole,) = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    workbench.context.commands.run("record.accept")
    accepted = workbench.page.photos.record_photos.accepted
    qtbot.waitUntil(accepted.isVisible, timeout=_SOON)
    click_button(accepted, "Undo")
    qtbot.waitUntil(lambda: not assigned_items(workbench, whole), timeout=_SOON)
    assert accepted.isHidden()
    assert workbench.session.items.record_photos(record_id) == []
    assert workbench.page.photos.record_photos.tray.thumbnails.ids == [whole]


def test_pictures_on_the_clipboard_and_from_the_camera_become_photos_of_the_record(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    (frames / "1.png").write_bytes(frame(2))
    monkeypatch.setenv("WALKAROUND_CAMERA", str(frames))
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    photo_list = workbench.page.photos.record_photos.photo_list
    data = QMimeData()
    data.setImageData(QImage.fromData(frame(3)))
    QGuiApplication.clipboard().setMimeData(data)
    workbench.context.commands.run("edit.paste")
    qtbot.waitUntil(lambda: len(photo_list.photos) == 1, timeout=_SOON)
    QGuiApplication.clipboard().clear()
    workbench.context.commands.run("record.camera")
    dialog = workbench.page.findChild(CaptureDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.shoot.isEnabled)
    dialog.shoot.click()
    qtbot.waitUntil(lambda: len(photo_list.photos) == 2, timeout=_SOON)
    assert workbench.session.items.record_photos(record_id) == []


def test_unmatched_photo_is_assigned_to_the_chosen_item_or_by_drop(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    (nothing,) = add_matched_photos(workbench, qtbot, pictures["elsewhere.jpg"])
    tray = page.photos.record_photos.tray
    assert not tray.assign.isEnabled()
    tray.thumbnails.choose(nothing)
    page.items.go_to(ids(workbench)[1])
    tray.assign.click()
    qtbot.waitUntil(lambda: assigned_items(workbench, nothing) == {ids(workbench)[1]}, timeout=_SOON)
    qtbot.waitUntil(lambda: len(page.inspector.photo.strip.ids) == 1, timeout=_SOON)
    qtbot.waitUntil(lambda: "this item only" in page.inspector.photo.shared.text(), timeout=_SOON)

    data = QMimeData()
    data.setData(MIME, QByteArray(nothing.encode()))
    row = page.items.panel.list.visualRect(page.items.panel.model.index(2)).center()
    in_list = page.items.panel.list.viewport().mapTo(page, row)
    on_canvas = page.canvas.view.mapTo(page, workbench.at(0.2, 0.2))
    beside = page.canvas.view.mapTo(page, workbench.at(0.9, 0.9))
    for place, taken in ((in_list, True), (beside, False), (on_canvas, True)):
        assert drag_over(page, QPoint(place), data) is taken
        copy = Qt.DropAction.CopyAction
        QApplication.sendEvent(page, QDropEvent(QPointF(place), copy, data, _LEFT, _NONE))
    qtbot.waitUntil(lambda: assigned_items(workbench, nothing) == set(ids(workbench)), timeout=_SOON)
    qtbot.waitUntil(lambda: "shared with 2 other" in page.inspector.photo.shared.text(), timeout=_SOON)


class Answers:
    """Stands in for `confirm`: records the questions, and returns the answers in this order."""

    def __init__(self, *answers: bool) -> None:
        self.texts: list[str] = []
        self._answers = list(answers)

    def __call__(self, _parent: QWidget, title: str, text: str, _verb: str) -> bool:
        self.texts.append(f"{title} {text}")
        return self._answers.pop(0)


def drag_over(page: QWidget, place: QPoint, data: QMimeData) -> bool:
    copy = Qt.DropAction.CopyAction
    QApplication.sendEvent(page, QDragEnterEvent(place, copy, data, _LEFT, _NONE))
    move = QDragMoveEvent(place, copy, data, _LEFT, _NONE)
    move.ignore()
    QApplication.sendEvent(page, move)
    return move.isAccepted()


def test_the_preview_shows_the_regions_and_leaves_one_out(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    (whole,) = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    workbench.context.commands.run("record.review")
    dialog = page.photos.record_photos.review
    assert dialog is not None
    assert dialog.current == whole
    qtbot.waitUntil(lambda: dialog.view.source is not None, timeout=_SOON)
    assert [outline.on for outline in dialog.view.outlines] == [True, True, True]
    second = dialog.view.outlines[1]
    middle = np.mean(second.corners, axis=0)
    place = QPointF(*dialog.view.viewport.to_view(*middle)).toPoint()
    QTest.mouseClick(dialog.view, _LEFT, _NONE, place)
    assert dialog.items_to_assign(whole) == {ids(workbench)[0], ids(workbench)[2]}
    answers = Answers(False)
    monkeypatch.setattr(review, "confirm", answers)
    dialog.reject()
    assert len(answers.texts) == 1
    assert dialog.isVisible()
    dialog.accept_button.click()
    qtbot.waitUntil(
        lambda: assigned_items(workbench, whole) == {ids(workbench)[0], ids(workbench)[2]}, timeout=_SOON
    )
    assert page.photos.record_photos.review is None


def test_an_assigned_photo_is_aligned_by_three_points(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    (whole,) = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    page.photos.record_photos.accept_all()
    qtbot.waitUntil(lambda: assigned_items(workbench, whole) == set(ids(workbench)), timeout=_SOON)
    page.photos.record_photos.show_review(whole)
    dialog = page.photos.record_photos.review
    assert dialog is not None
    assert not dialog.align.isEnabled()
    dialog.list.setCurrentIndex(dialog.items.index(1))
    assert dialog.align.isEnabled()
    dialog.align.click()
    assert page.open_record.current == ids(workbench)[1]
    qtbot.waitUntil(lambda: page.canvas.aligning.points is not None, timeout=_SOON)
    file_id = page.photos.pairing.file_id
    assert page.canvas.aligning.save(file_id, [[1.0, 0.0, 5.0], [0.0, 1.0, 7.0], [0.0, 0.0, 1.0]])
    photo_list = page.photos.record_photos.photo_list

    def by_hand() -> list[str]:
        photo = photo_list.get(whole)
        return [] if photo is None else [item.item_id for item in photo.items if item.assigned == "person"]

    qtbot.waitUntil(lambda: by_hand() == [ids(workbench)[1]], timeout=_SOON)


def test_removal_of_a_shared_photo_names_the_items_that_keep_or_lose_it(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    (whole,) = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    page.photos.record_photos.accept_all()
    qtbot.waitUntil(lambda: len(page.inspector.photo.strip.ids) == 1, timeout=_SOON)
    shared = page.inspector.photo.shared
    qtbot.waitUntil(lambda: shared.text() == "全貌.jpg · shared with 2 other item(s)", timeout=_SOON)
    answers = Answers(True, True)
    monkeypatch.setattr("desktop.pages.workbench.photos.photo_pair.confirm", answers)
    monkeypatch.setattr(coordinator, "confirm", answers)
    page.photos.pairing.remove(page.inspector.photo.strip.ids[0])
    assert "The photo is removed from 条目1 only. It is still used for 条目2, 条目3." in answers.texts[0]
    qtbot.waitUntil(lambda: assigned_items(workbench, whole) == set(ids(workbench)[1:]), timeout=_SOON)
    page.photos.record_photos.remove([whole])
    assert "Also removed from these items: 条目2, 条目3." in answers.texts[1]
    qtbot.waitUntil(lambda: page.photos.record_photos.photo_list.photos == [], timeout=_SOON)
    assert workbench.session.photos.list(record_id) == []
    assert workbench.session.items.record_photos(record_id) == []


def test_removal_of_a_photo_of_a_decided_item_needs_confirmation(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    (whole,) = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    page.photos.record_photos.assign_to([whole], [ids(workbench)[0]])
    qtbot.waitUntil(lambda: assigned_items(workbench, whole) == {ids(workbench)[0]}, timeout=_SOON)
    workbench.context.commands.run("item.pass")
    qtbot.waitUntil(lambda: page.open_record.rows[0].is_judged and workbench.saved, timeout=_SOON)
    answers = Answers(True, False)
    monkeypatch.setattr(coordinator, "confirm", answers)
    page.photos.record_photos.remove([whole])
    qtbot.waitUntil(lambda: len(answers.texts) == 2, timeout=_SOON)
    assert "条目1" in answers.texts[1]
    assert len(workbench.session.photos.list(record_id)) == 1


def test_photos_of_an_empty_record_are_matched_when_it_has_regions(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session, ()), qtbot.waitUntil)
    page = workbench.page
    photo_list = page.photos.record_photos.photo_list
    page.photos.record_photos.add([pictures["全貌.jpg"]])
    qtbot.waitUntil(lambda: len(photo_list.photos) == 1, timeout=_SOON)
    assert "to assign manually" in page.photos.record_photos.tray.text
    assert page.photos.record_photos.tray.thumbnails.item(0).toolTip().count("no regions yet") == 1
    workbench.draw(0.3, 0.3, 0.6, 0.6)
    qtbot.waitUntil(lambda: [len(items) for items in photo_list.offers.values()] == [1], timeout=_SOON)
    page.photos.record_photos.accept_all()
    qtbot.waitUntil(lambda: len(page.inspector.photo.strip.ids) == 1, timeout=_SOON)


def test_unmatched_photos_are_matched_again_when_a_region_is_drawn(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "left.png"
    path.write_bytes(cv2.imencode(".png", panel_image(WIDTH, HEIGHT, 1)[:, : WIDTH // 2])[1].tobytes())
    workbench.open(make_record(workbench.session, ((0.75, 0.2, 0.2, 0.3),)), qtbot.waitUntil)
    photo_list = workbench.page.photos.record_photos.photo_list
    add_matched_photos(workbench, qtbot, path)
    assert photo_list.photos[0].state == "unmatched"
    assert "1 photo(s) to assign manually." in workbench.page.photos.record_photos.tray.text
    workbench.draw(0.1, 0.2, 0.35, 0.5)
    qtbot.waitUntil(lambda: [len(items) for items in photo_list.offers.values()] == [1], timeout=_SOON)


def test_sealed_record_refuses_photos(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    add_matched_photos(workbench, qtbot, pictures["elsewhere.jpg"])
    for item in workbench.session.items.all(record_id):
        workbench.session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    workbench.session.records.finish(record_id)
    qtbot.waitUntil(lambda: page.open_record.sealed, timeout=_SOON)
    with qtbot.waitSignal(page.toast) as toast:
        page.photos.record_photos.add([pictures["全貌.jpg"]])
    assert "sealed" in toast.args[0]
    assert page.photos.record_photos.queue.count(record_id) == 0
    tray = page.photos.record_photos.tray
    tray.thumbnails.setCurrentRow(0)
    assert tray.isVisible()
    assert tray.assign.isHidden()
    assert tray.accept.isHidden()


def test_photo_of_another_user_is_shown(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    stored = workbench.session.files.upload(pictures["again.jpg"].read_bytes(), "again.jpg")
    photo = workbench.session.photos.add(record_id, stored.file_id)
    photo_list = workbench.page.photos.record_photos.photo_list
    qtbot.waitUntil(lambda: len(photo_list.offers) == 1, timeout=_SOON)
    workbench.session.photos.assign(record_id, photo.photo_id, [PhotoItemSet(item_id=ids(workbench)[2])])
    qtbot.waitUntil(lambda: assigned_items(workbench, photo.photo_id) == {ids(workbench)[2]}, timeout=_SOON)


def test_refused_picture_is_named_and_the_others_are_added(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    broken, good = tmp_path / "broken.jpg", tmp_path / "good.png"
    broken.write_bytes(b"no picture")
    good.write_bytes(picture(3))
    photos = workbench.page.photos.record_photos
    photos.add([broken, good])
    qtbot.waitUntil(lambda: len(photos.photo_list.photos) == 1, timeout=_SOON)
    assert photos.tray.error.startswith("broken.jpg: Cannot read this file as an image")
    photos.tray.read.click()
    assert photos.tray.error == ""


def test_pending_photos_of_a_sealed_record_are_refused(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.live.stop()
    for item in workbench.session.items.all(record_id):
        workbench.session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    workbench.session.records.finish(record_id)
    paths = [tmp_path / "1.png", tmp_path / "2.png"]
    for seed, path in enumerate(paths, 2):
        path.write_bytes(picture(seed))
    photos = workbench.page.photos.record_photos
    photos.add(paths)
    qtbot.waitUntil(lambda: len(photos.queue.failures) == 2, timeout=_SOON)
    assert photos.queue.count(record_id) == 0
    assert "1.png: " in photos.tray.error
    assert "2.png: " in photos.tray.error


def test_pictures_are_added_to_the_record_of_their_upload(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    first, second = make_record(workbench.session), make_record(workbench.session)
    paths = [tmp_path / f"{seed}.png" for seed in (2, 3, 4)]
    for seed, path in enumerate(paths, 2):
        path.write_bytes(picture(seed))
    workbench.open(first, qtbot.waitUntil)
    photos = workbench.page.photos.record_photos
    photos.add(paths)
    workbench.open(second, qtbot.waitUntil)
    qtbot.waitUntil(lambda: photos.queue.count(first) == 0, timeout=_SOON)
    assert len(workbench.session.photos.list(first)) == 3
    assert workbench.session.photos.list(second) == []
    assert photos.photo_list.photos == []
    assert photos.tray.isHidden()


def test_a_raw_photo_of_the_record_is_sent_as_jpeg_and_a_broken_one_is_named(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path], tmp_path: Path
) -> None:
    taken, broken = tmp_path / "DSC_0042.NEF", tmp_path / "DSC_0043.NEF"
    taken.write_bytes(raw(pictures["全貌.jpg"].read_bytes()))
    broken.write_bytes(b"II*")
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    photos = workbench.page.photos.record_photos
    photos.add([broken])
    qtbot.waitUntil(lambda: bool(photos.queue.failures), timeout=_SOON)
    assert photos.queue.failures[0].startswith("DSC_0043.NEF: The file is damaged")
    (photo_id,) = add_matched_photos(workbench, qtbot, taken)
    photo = photos.photo_list.get(photo_id)
    assert photo is not None
    assert photo.file.filename == "DSC_0042.NEF.jpg"
    assert len(photo.matches or ()) == 3


def test_photo_added_during_loading_is_shown(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    photos, photo_list = workbench.session.photos, workbench.page.photos.record_photos.photo_list
    read, started, answer = photos.list, threading.Event(), threading.Event()

    def slow(record_id: str) -> Sequence[RecordPhoto]:
        earlier = read(record_id)
        started.set()
        assert answer.wait(20)
        return earlier

    monkeypatch.setattr(photos, "list", slow)
    photo_list.read()
    qtbot.waitUntil(started.is_set)
    with qtbot.waitSignal(workbench.page.live.record_changed, timeout=_SOON):
        # As from another client.
        stored = workbench.session.files.upload(picture(2), "later.png")
        photos.add(record_id, stored.file_id)
    answer.set()
    qtbot.waitUntil(lambda: len(photo_list.photos) == 1, timeout=_SOON)


def test_photo_removed_from_an_item_by_another_client_is_shown_as_removed(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    (whole,) = add_matched_photos(workbench, qtbot, pictures["全貌.jpg"])
    workbench.page.photos.record_photos.accept_all()
    qtbot.waitUntil(lambda: assigned_items(workbench, whole) == set(ids(workbench)), timeout=_SOON)
    first = ids(workbench)[0]
    # Until all events of the assignment have been handled.
    qtbot.wait(500)
    (photo,) = workbench.session.items.photos(first)
    workbench.session.items.delete_photo(first, photo.photo_id)
    qtbot.waitUntil(lambda: assigned_items(workbench, whole) == set(ids(workbench)[1:]), timeout=_SOON)


def test_a_photo_of_another_record_is_added_only_after_a_confirmation(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    before = make_record(workbench.session)
    stored = workbench.session.files.upload(pictures["全貌.jpg"].read_bytes(), "before.jpg")
    workbench.session.photos.add(before, stored.file_id)
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    photos = workbench.page.photos.record_photos
    photos.add([pictures["全貌.jpg"]])
    window = workbench.page.window()
    qtbot.waitUntil(lambda: window.findChild(Confirm, "used-photos") is not None, timeout=_SOON)
    assert photos.photo_list.photos == []
    not_none(window.findChild(Confirm, "used-photos")).confirm_button.click()
    qtbot.waitUntil(lambda: len(photos.photo_list.photos) == 1, timeout=_SOON)
    added = photos.photo_list.photos[0]
    assert not_none(added.used_in).inspection_id == before
    qtbot.waitUntil(lambda: photos.photo_list.photos[0].state != "waiting", timeout=_SOON)
    assert not photos.photo_list.offers


def test_a_used_photo_of_a_watched_folder_is_named_and_not_added(
    workbench: WorkbenchDriver, qtbot: QtBot, pictures: dict[str, Path]
) -> None:
    stored = workbench.session.files.upload(pictures["全貌.jpg"].read_bytes(), "before.jpg")
    workbench.session.photos.add(make_record(workbench.session), stored.file_id)
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    photos = workbench.page.photos.record_photos
    # As the controller of watched folders adds what it finds.
    photos.queue.add([QueuedPicture(record_id, pictures["全貌.jpg"], "全貌.jpg")])
    qtbot.waitUntil(lambda: "Already used in" in photos.tray.error, timeout=_SOON)
    assert workbench.session.photos.list(record_id) == []
    assert workbench.page.window().findChild(Confirm, "used-photos") is None
