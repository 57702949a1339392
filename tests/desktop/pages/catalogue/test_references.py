"""The reference images of the catalogue in a real window against the real service."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.context import Context
from desktop.pages.catalogue.forms import ReferenceForm
from desktop.pages.catalogue.reference_images.section import ReferenceCards, ReferenceSection
from desktop.pages.catalogue.reference_images.uploads import Uploads
from desktop.pages.catalogue.scale_dialog import ScaleDialog
from shared.images.cv import cv2
from shared.samples import draw_panel
from shared.wire.catalogue import ReferenceImage, ReferenceImageWrite
from tests.desktop.children import child
from tests.desktop.imaging.conversion.photos import jpeg, raw, scene
from tests.desktop.pages.catalogue.driver import open_catalogue, picture, wait_until_loaded
from tests.narrowing import as_instance, not_none


def test_a_dropped_picture_becomes_a_reference_image_with_a_scale(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_catalogue(context, qtbot, "references")
    section = page.sections["references"]
    assert isinstance(section, ReferenceSection)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(picture(tmp_path / "左翼根部.png")))])
    event = QDropEvent(
        QPoint(5, 5),
        Qt.DropAction.CopyAction | Qt.DropAction.MoveAction,
        dropped,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
    )
    section.dropEvent(event)
    # A source that moves would delete its original.
    assert event.dropAction() is Qt.DropAction.CopyAction
    qtbot.waitUntil(lambda: section.findChild(ReferenceForm) is not None)
    form = child(section, ReferenceForm)
    assert form.fields["reference_image_name"].text() == "左翼根部"
    form.fields["mm_per_pixel"].set_text("0")
    form.submit()
    wrong = form.fields["mm_per_pixel"]
    assert wrong.error()
    qtbot.waitUntil(lambda: wrong._error.height() >= wrong._error.heightForWidth(wrong._error.width()))
    assert wrong._error.y() >= wrong.editor.geometry().bottom()
    form.fields["mm_per_pixel"].set_text("0,42")
    with qtbot.waitSignal(form.saved) as saved:
        form.submit()
    wait_until_loaded(page, qtbot)
    entry = saved.args[0]
    assert (entry.mm_per_pixel, entry.width, entry.height) == (0.42, 320, 200)
    assert not section.uploads.rows()
    qtbot.waitUntil(lambda: not section.cards.cards.files_without_picture())
    index = section.cards.cards.index(0)
    assert "320 × 200 px" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert not section.grab().isNull()


def test_raw_photo_becomes_a_reference_image_of_its_name(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_catalogue(context, qtbot, "references")
    section = page.sections["references"]
    assert isinstance(section, ReferenceSection)
    taken, broken = tmp_path / "后缘襟翼.dng", tmp_path / "右翼.heic"
    taken.write_bytes(raw(jpeg(scene(800, 600))))
    broken.write_bytes(b"no photo")
    section.send([taken, broken])
    rows = section.uploads.rows
    qtbot.waitUntil(lambda: [line.path for line in rows()] == [broken] and not rows()[0].retry.isHidden())
    assert "JPEG" in rows()[0].status_text()
    images = context.session.catalogue.reference_images.list(1, 10, "后缘襟翼").data
    assert [entry.reference_image_name for entry in images] == ["后缘襟翼"]
    stored = context.session.files.get(images[0].file_id)
    assert stored.filename == "后缘襟翼.dng.jpg"


def test_new_picture_is_shown_and_selected_from_a_later_page(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    session = context.session
    stored = session.files.upload(picture(tmp_path / "many.png"))
    for number in range(26):
        body = ReferenceImageWrite(reference_image_name=f"图 {number:02}", file_id=stored.file_id)
        session.catalogue.reference_images.create(body)
    page = open_catalogue(context, qtbot, "references")
    section = as_instance(page.sections["references"], ReferenceSection)
    section.go_to_page(2)
    wait_until_loaded(page, qtbot)
    assert section.pager.next.isVisible()
    # Two files, so that no form opens over the list.
    section.send([picture(tmp_path / "新.png"), picture(tmp_path / "新的.png")])
    qtbot.waitUntil(lambda: not section.uploads.rows())
    wait_until_loaded(page, qtbot)
    assert not_none(section.cards.selected_card).reference_image_name in ("新", "新的")
    shown = {entry.reference_image_name for entry in section.cards.cards.entries()}
    assert {"新", "新的"} <= shown


def test_file_of_attributes_from_a_mac_is_not_uploaded(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_catalogue(context, qtbot, "references")
    section = as_instance(page.sections["references"], ReferenceSection)
    attributes = tmp_path / "._IMG_1.JPG"
    attributes.write_bytes(b"\0\5\x16\7")
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(attributes))])
    nothing = Qt.KeyboardModifier.NoModifier
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    drag = QDragEnterEvent(QPoint(5, 5), action, dropped, button, nothing)
    drag.ignore()
    section.dragEnterEvent(drag)
    assert not drag.isAccepted()
    section.dropEvent(QDropEvent(QPoint(5, 5), action, dropped, button, nothing))
    assert not section.uploads.rows()


def test_file_that_is_not_a_picture_can_be_retried(context: Context, qtbot: QtBot, tmp_path: Path) -> None:
    page = open_catalogue(context, qtbot, "references")
    section = as_instance(page.sections["references"], ReferenceSection)
    bad = tmp_path / "notes.png"
    bad.write_text("no picture")
    section.send([bad])
    (line,) = section.uploads.rows()
    qtbot.waitUntil(line.retry.isVisible)
    assert line.status_text() == "This file is not an image. Select a JPEG, PNG, WebP, TIFF or BMP file."
    picture(bad)
    before = context.session.catalogue.reference_images.list().pagination.total
    with qtbot.waitSignal(section.uploads.uploaded):
        line.retry.click()
    assert context.session.catalogue.reference_images.list().pagination.total == before + 1
    for form in section.findChildren(ReferenceForm):
        form.done(0)


def test_an_upload_shows_how_far_it_is_and_ends_when_it_is_cancelled(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    ended = threading.Event()

    def endless(_path: Path, count: Callable[[int, int], None]) -> object:
        try:
            while True:
                count(1, 2)
                time.sleep(0.005)
        finally:
            ended.set()

    uploads = Uploads(context, endless)
    qtbot.addWidget(uploads)
    uploads.show()
    line = uploads.add(tmp_path / "big.png")
    qtbot.waitUntil(lambda: line._bar.value() == 50)
    with qtbot.assertNotEmitted(uploads.uploaded):
        line.stop.click()
        qtbot.waitUntil(ended.is_set)
    assert not uploads.rows()


def test_the_scale_is_measured_on_the_picture(context: Context, qtbot: QtBot) -> None:
    good, data = cv2.imencode(".png", draw_panel(400, 300, 3).image)
    assert good
    stored = context.session.files.upload(bytes(data), "wing.png")
    body = ReferenceImageWrite(reference_image_name="左翼根部", file_id=stored.file_id)
    image = context.session.catalogue.reference_images.create(body)
    form = ReferenceForm(context, image)
    qtbot.addWidget(form)
    form.show()
    form.measure.click()
    dialog = child(form, ScaleDialog)
    qtbot.waitUntil(lambda: dialog.view.source is not None)
    assert not dialog.use.isEnabled()
    ends = [QPointF(*dialog.view.viewport.to_view(x, 150)).toPoint() for x in (100, 300)]
    QTest.mousePress(dialog.view, Qt.MouseButton.LeftButton, pos=ends[0])
    QTest.mouseMove(dialog.view, ends[1])
    QTest.mouseRelease(dialog.view, Qt.MouseButton.LeftButton, pos=ends[1])
    dialog.length.setValue(50)
    assert dialog.pixels == pytest.approx(200, abs=2)
    dialog.use.click()
    assert float(form.fields["mm_per_pixel"].text()) == pytest.approx(0.25, rel=0.02)
    with qtbot.waitSignal(form.saved) as saved:
        form.submit()
    assert saved.args[0].mm_per_pixel == pytest.approx(0.25, rel=0.02)


def test_measuring_takes_nearly_all_of_the_main_window(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    """The dialog follows the size of the main window, not of the form that opens it."""
    session = context.session
    stored = session.files.upload(picture(tmp_path / "wing.png"))
    body = ReferenceImageWrite(reference_image_name="左翼根部", file_id=stored.file_id)
    image = session.catalogue.reference_images.create(body)
    main = QWidget()
    qtbot.addWidget(main)
    main.resize(1400, 900)
    main.show()
    form = ReferenceForm(context, image, QWidget(main))
    form.show()
    form.measure.click()
    dialog = child(form, ScaleDialog)
    qtbot.waitUntil(dialog.isVisible)
    assert dialog.width() > 1300
    assert dialog.height() > 700
    dialog.reject()


def test_cards_are_worked_by_keyboard(context: Context, qtbot: QtBot, tmp_path: Path) -> None:
    session = context.session
    for name in ("a.png", "bb.png"):
        stored = session.files.upload(picture(tmp_path / name))
        session.catalogue.reference_images.create(
            ReferenceImageWrite(reference_image_name=name, file_id=stored.file_id)
        )
    page = open_catalogue(context, qtbot, "references")
    cards = as_instance(page.sections["references"], ReferenceSection).cards
    assert not_none(cards.selected_card).reference_image_name == "bb.png"
    qtbot.keyClick(cards, Qt.Key.Key_Right)
    assert not_none(cards.selected_card).reference_image_name == "a.png"
    with qtbot.waitSignal(cards.card_activated):
        qtbot.keyClick(cards, Qt.Key.Key_Return)
    form = child(page.sections["references"], ReferenceForm)
    assert form.isVisible()
    form.done(0)


def test_a_long_name_of_an_aircraft_leaves_the_size_on_the_card(qtbot: QtBot) -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    nothing = dict.fromkeys(("download_url", "filename", "ipfs_cid", "mime_type", "size"))
    cards = ReferenceCards("Cards")
    qtbot.addWidget(cards)
    cards.resize(260, 300)

    def draw_card(aircraft: str, width: int | None = 24_000) -> QImage:
        entry = ReferenceImage(
            reference_image_name="Wing",
            file_id="f",
            reference_image_id="r",
            aircraft_name=aircraft,
            width=width,
            height=15_000,
            created_at=moment,
            updated_at=moment,
            **nothing,
        )
        cards.cards.show([entry])
        cards.show()
        QApplication.processEvents()
        image = cards.grab().toImage()
        return image.copy(image.width() - 120, 0, 120, image.height())

    assert draw_card("B") == draw_card("A name that is longer than the card is wide " * 2)
    assert draw_card("B") != draw_card("B", None)
