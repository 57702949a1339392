"""Photos, detection, verdicts, the end and its report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import FinishDialog
from desktop.pages.workbench.photos.capture import CaptureDialog
from shared.images.cv import cv2
from shared.record.codes import Status, Verdict
from shared.samples import View, draw_panel, photograph
from shared.wire.inspection import ItemPoint, ItemUpdate, Point, RecordCreate
from tests.desktop.app.appearance_checks import cut
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver, frame, make_record, picture
from tests.narrowing import not_none

REGION = ((0.3, 0.3, 0.3, 0.3),)


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The panel with a crack, photographed a little askew."""
    image = draw_panel(WIDTH, HEIGHT, 1).image.copy()
    points = np.array([[300, 230], [330, 245], [350, 270], [390, 290]], np.int32)
    cv2.polylines(image, [points], isClosed=False, color=(30, 30, 30), thickness=3, lineType=cv2.LINE_AA)
    taken, _ = photograph(image, View(rotation=1.5, scale=0.98))
    path = tmp_path_factory.mktemp("photos") / "今天.jpg"
    path.write_bytes(cv2.imencode(".jpg", taken)[1].tobytes())
    return path


def test_photo_detection_verdict_finish_report(
    workbench: WorkbenchDriver, qtbot: QtBot, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session, REGION)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    page.photos.uploading.add([photo])
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    assert not not_none(page.photos.pairing.pair).aligned
    assert workbench.context.commands.run("item.detect")
    qtbot.waitUntil(lambda: page.open_record.rows[0].findings > 0)
    qtbot.waitUntil(
        lambda: not_none(page.photos.pairing.pair).aligned and not page.results.detecting.running_items
    )
    assert page.open_record.rows[0].status == "undecided"
    assert len(page.inspector.findings.shown_findings) == page.open_record.rows[0].findings
    assert page.inspector.photo.version.text() == "Version 1 / 1"
    page.canvas.shown_findings.step(1)
    assert page.inspector.findings.list.current == 0
    page.inspector.findings.slider.setValue(100)
    assert all(finding.confidence == 1 for finding in page.inspector.findings.shown_findings)
    workbench.context.commands.run("compare")
    assert page.canvas.centre.currentWidget() is page.canvas.compare
    workbench.context.commands.run("tool.select")
    assert page.canvas.centre.currentWidget() is page.canvas.view

    workbench.context.commands.run("item.pass")
    assert page.inspector.verdict.shown_request
    page.inspector.verdict.reason.setPlainText("only dirt, wiped off")
    page.inspector.verdict.commit()
    assert not page.inspector.verdict.shown_request
    assert page.top.finish.text() == "Finish record…"
    page.top.finish.click()
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in page.findChildren(FinishDialog)))
    child(page, FinishDialog).confirm_button.click()
    qtbot.waitUntil(lambda: page.open_record.sealed)
    # The state of the seal is read on its own, and may come before the answer.
    qtbot.waitUntil(lambda: not_none(page.open_record.document).record.end_time is not None)
    assert page.top.finish.text() == "Export report…"
    titles: list[str] = []

    def cancel(_parent: object, title: str, *_texts: object) -> tuple[str, str]:
        titles.append(title)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", cancel)
    page.top.finish.click()
    assert titles == ["Export report"]
    item = workbench.session.items.all(record_id)[0]
    assert not_none(item.result[-1].model_extra)["verdict"]["reason"] == "only dirt, wiped off"
    assert workbench.session.records.get(record_id).value.inspection_status is Status.PASSED

    monkeypatch.setattr("desktop.pages.workbench.results.part.show_folder", lambda _path: None)
    for name in ("report.pdf", "report.html"):
        page.results.finishing.write(tmp_path / name)
        qtbot.waitUntil((tmp_path / name).exists)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert "only dirt" in (tmp_path / "report.html").read_text("utf-8")


def test_an_item_whose_region_moved_since_its_detection_is_not_inspected(
    workbench: WorkbenchDriver, qtbot: QtBot, photo: Path, tmp_path: Path
) -> None:
    record_id = make_record(workbench.session, REGION)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    # The same file would lead to the question whether the photo of another record is meant.
    other = tmp_path / "other.jpg"
    other.write_bytes(photo.read_bytes() + b"\0")
    page.photos.uploading.add([other])
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    workbench.context.commands.run("item.detect")
    qtbot.waitUntil(lambda: page.open_record.rows[0].findings > 0)
    qtbot.waitUntil(lambda: not page.results.detecting.running_items)

    def unfinished() -> FinishDialog:
        workbench.context.commands.run("record.finish")
        qtbot.waitUntil(lambda: any(it.isVisible() for it in page.findChildren(FinishDialog)))
        return next(it for it in page.findChildren(FinishDialog) if it.isVisible())

    workbench.context.commands.run("item.pass")
    page.inspector.verdict.reason.setPlainText("only dirt, wiped off")
    page.inspector.verdict.commit()
    qtbot.waitUntil(lambda: workbench.saved)
    dialog = unfinished()
    assert not dialog.findChildren(QAbstractButton, "finish-go-to-uninspected")
    dialog.reject()
    moved = ItemPoint(point=Point(x=0.31, y=0.3, w=0.3, h=0.3))
    item_id = page.open_record.rows[0].item_id
    workbench.session.items.update(item_id, ItemUpdate(item_point=moved))
    qtbot.waitUntil(lambda: not_none(not_none(page.open_record.item).item_point)["point"]["x"] == 0.31)
    dialog = unfinished()
    child(dialog, QAbstractButton, "finish-go-to-uninspected")
    assert "region changed since the detection" in [it.text() for it in dialog.findChildren(QLabel)]
    dialog.reject()


def test_finishing_opens_the_first_undecided_item(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.inspector.verdict.decide(Verdict.PASSED)
    notices: list[str] = []
    workbench.page.results.finishing.notice.connect(notices.append)
    workbench.page.results.finishing.finish_now()
    qtbot.waitUntil(lambda: bool(notices))
    assert "条目2" in notices[0]
    assert workbench.page.open_record.number == 2
    workbench.page.items.go_to(workbench.page.open_record.rows[0].item_id)
    workbench.context.commands.run("record.finish")
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in workbench.page.findChildren(FinishDialog)))
    child(child(workbench.page, FinishDialog), QPushButton, "finish-go-to").click()
    assert workbench.page.open_record.number == 2


def test_file_that_is_not_a_picture_is_reported_and_others_are_sent(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    record_id = make_record(workbench.session, REGION)
    workbench.open(record_id, qtbot.waitUntil)
    broken, empty, good = tmp_path / "broken.jpg", tmp_path / "empty.jpg", tmp_path / "good.png"
    broken.write_bytes(b"no picture")
    empty.write_bytes(b"")
    good.write_bytes(picture(3))
    workbench.page.photos.uploading.add([broken, empty, good])
    item_id = workbench.page.open_record.current
    qtbot.waitUntil(lambda: len(workbench.page.open_record.photos.get(item_id, ())) == 1)
    assert len(workbench.session.items.photos(item_id)) == 1
    error = workbench.page.inspector.photo.error.text()
    assert "broken.jpg: Cannot read this file as an image" in error
    assert "empty.jpg: The file is empty" in error
    workbench.page.photos.uploading.add([good])
    assert workbench.page.inspector.photo.error.text() == ""


def test_newest_of_several_photos_counts_and_one_can_be_removed(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session, REGION)
    workbench.open(record_id, qtbot.waitUntil)
    paths = [tmp_path / "1.png", tmp_path / "2.png"]
    for seed, path in enumerate(paths, 2):
        path.write_bytes(picture(seed))
    workbench.page.photos.uploading.add(paths)
    strip = workbench.page.inspector.photo.strip
    qtbot.waitUntil(lambda: len(strip.ids) == 2)
    item_id = workbench.page.open_record.current
    newest = max(workbench.session.items.photos(item_id), key=lambda photo: photo.created_at)
    assert strip.ids[0] == newest.photo_id
    assert newest.file.filename == "2.png"
    monkeypatch.setattr("desktop.pages.workbench.photos.photo_pair.confirm", lambda *_args: True)
    workbench.page.photos.pairing.remove(newest.photo_id)
    qtbot.waitUntil(lambda: len(strip.ids) == 1)
    assert [photo.file.filename for photo in workbench.session.items.photos(item_id)] == ["1.png"]


def test_a_record_without_reference_image_gets_one(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    record_id = make_record(workbench.session, (), image=False)
    workbench.open(record_id, qtbot.waitUntil)
    reference = workbench.page.photos.reference
    assert workbench.page.canvas.centre.currentWidget() is reference
    for width in (1000, 1366):
        workbench.page.resize(width, 700)
        qtbot.waitUntil(lambda: cut(reference) == [])
    path = tmp_path / "右翼.png"
    path.write_bytes(picture(4))
    workbench.page.photos.reference.add(path)
    qtbot.waitUntil(lambda: workbench.page.canvas.view.source is not None)
    assert workbench.page.canvas.centre.currentWidget() is workbench.page.canvas.view
    assert workbench.session.records.get(record_id).value.reference_image_name == "右翼"


def test_tools_are_back_after_a_record_without_reference_image(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    strip = workbench.page.canvas.strip
    workbench.open(make_record(workbench.session, (), image=False), qtbot.waitUntil)
    assert not strip.isVisible()
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    assert workbench.page.canvas.centre.currentWidget() is workbench.page.canvas.view
    assert strip.isVisible()


def test_a_photo_from_the_camera(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    (frames / "1.png").write_bytes(frame(2))
    monkeypatch.setenv("WALKAROUND_CAMERA", str(frames))
    record_id = make_record(workbench.session, REGION)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.context.commands.run("item.camera")
    dialog = child(workbench.page, CaptureDialog)
    qtbot.waitUntil(dialog.shoot.isEnabled)
    dialog.shoot.click()
    item_id = workbench.page.open_record.current
    qtbot.waitUntil(lambda: len(workbench.page.open_record.photos.get(item_id, ())) == 1)


def test_as_in_the_last_inspection(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    first = make_record(workbench.session)
    record = workbench.session.records.get(first).value
    second = workbench.session.records.create(
        RecordCreate(task_id=record.task_id, reference_image_id=record.reference_image_id)
    )
    workbench.open(second.inspection_id, qtbot.waitUntil)
    assert workbench.names == []
    workbench.page.items.panel.last.click()
    qtbot.waitUntil(lambda: workbench.names == ["条目1", "条目2", "条目3"])
