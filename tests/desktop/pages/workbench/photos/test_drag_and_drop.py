"""Drops anywhere on the workbench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.photos import drag_and_drop
from desktop.pages.workbench.photos.drag_and_drop import DroppedFiles, sort_files
from tests.desktop.children import child
from tests.desktop.imaging.conversion.photos import jpeg, raw, scene
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver, frame, make_record, picture
from tests.narrowing import not_none

_LEFT, _NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def urls(*addresses: Path | str) -> QMimeData:
    data = QMimeData()
    data.setUrls(
        [
            QUrl.fromLocalFile(str(address)) if isinstance(address, Path) else QUrl(address)
            for address in addresses
        ]
    )
    return data


_ANYWHERE = QPoint(300, 300)


def drag_over(page: QWidget, data: QMimeData, at: QPoint = _ANYWHERE) -> bool:
    event = QDragEnterEvent(at, Qt.DropAction.CopyAction, data, _LEFT, _NONE)
    event.ignore()
    QApplication.sendEvent(page, event)
    return event.isAccepted()


def drop(page: QWidget, data: QMimeData, at: QPoint = _ANYWHERE) -> None:
    assert drag_over(page, data, at)
    QApplication.sendEvent(page, QDropEvent(QPointF(at), Qt.DropAction.CopyAction, data, _LEFT, _NONE))


def on_photos(desk: WorkbenchDriver) -> QPoint:
    """A place of the page over the photos of the chosen item."""
    box = desk.page.inspector.photo
    return box.mapTo(desk.page, box.rect().center())


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / name for name in ("1.png", "2.PNG", "notes.md", "shots", "nothing")}
    paths["1.png"].write_bytes(picture(2))
    paths["2.PNG"].write_bytes(picture(3))
    paths["notes.md"].write_text("no picture")
    for folder in ("shots", "nothing"):
        paths[folder].mkdir()
    (paths["shots"] / "b.png").write_bytes(picture(4))
    (paths["shots"] / "a.png").write_bytes(picture(5))
    (paths["shots"] / "list.txt").write_text("a b")
    return paths


def test_files_are_sorted_by_their_use(files: dict[str, Path], tmp_path: Path) -> None:
    table = tmp_path / "regions.csv"
    dropped = sort_files([files["1.png"], files["shots"], files["notes.md"], files["nothing"], table])
    shots = files["shots"]
    assert dropped == DroppedFiles(
        (files["1.png"], shots / "a.png", shots / "b.png"), (table,), (files["notes.md"], files["nothing"])
    )


def test_pictures_and_folders_become_photos_of_the_record(
    workbench: WorkbenchDriver, qtbot: QtBot, files: dict[str, Path]
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    hint = child(page, drag_and_drop._Hint)
    with qtbot.waitSignal(page.toast) as toast:
        drop(page, urls(files["1.png"], files["2.PNG"], files["shots"], files["notes.md"]))
    assert hint.isHidden()
    assert toast.args[0].endswith("notes.md")
    photo_list = page.photos.record_photos.photo_list
    qtbot.waitUntil(lambda: len(photo_list.photos) == 4)
    names = {photo.file.filename for photo in workbench.session.photos.list(record_id)}
    assert names == {"1.png", "2.PNG", "a.png", "b.png"}
    assert workbench.session.items.record_photos(record_id) == []


def test_raw_photos_dropped_onto_the_photos_of_the_item_are_sent_as_jpeg(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "DSC_1.NEF").write_bytes(raw(jpeg(scene(800, 600)), orientation=6))
    (tmp_path / "DSC_2.CR3").write_bytes(b"no photo")
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    page.items.go_to(page.items.panel.model.ids()[1])
    drop(page, urls(tmp_path / "DSC_1.NEF", tmp_path / "DSC_2.CR3"), on_photos(workbench))
    item_id = page.open_record.current
    qtbot.waitUntil(lambda: len(page.open_record.photos.get(item_id, ())) == 1)
    (photo,) = workbench.session.items.photos(item_id)
    assert photo.file.filename == "DSC_1.NEF.jpg"
    stored = workbench.session.files.get(photo.file_id)
    assert (stored.width, stored.height) == (600, 800)
    qtbot.waitUntil(lambda: "DSC_2.CR3: The file is damaged" in page.inspector.photo.error.text())


def test_files_dropped_onto_the_photos_of_the_item_are_added_to_it_only(
    workbench: WorkbenchDriver, qtbot: QtBot, files: dict[str, Path]
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    page.items.go_to(page.items.panel.model.ids()[1])
    drop(page, urls(files["1.png"], files["shots"]), on_photos(workbench))
    item_id = page.open_record.current
    qtbot.waitUntil(lambda: len(page.open_record.photos.get(item_id, ())) == 3)
    names = {photo.file.filename for photo in workbench.session.items.photos(item_id)}
    assert names == {"1.png", "a.png", "b.png"}
    assert workbench.session.photos.list(record_id) == []


def test_drag_over_the_page_shows_a_hint_until_it_leaves(
    workbench: WorkbenchDriver, qtbot: QtBot, files: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    hint = child(page, drag_and_drop._Hint)
    assert drag_over(page, urls(files["1.png"]))
    assert hint.isVisible()
    assert "add photos to the record" in hint.text
    assert drag_over(page, urls(files["1.png"]), on_photos(workbench))
    assert "条目1" in hint.text
    QApplication.sendEvent(page, QDragLeaveEvent())
    assert hint.isHidden()
    text = QMimeData()
    text.setText("words")
    assert not drag_over(page, text)
    page.open_record.context.payload = None
    assert not drag_over(page, urls(files["1.png"]))


def test_no_field_accepts_a_dropped_file_as_text(workbench: WorkbenchDriver) -> None:
    page = workbench.page
    for field in (
        page.inspector.fields.name,
        page.inspector.fields.description,
        page.inspector.verdict.reason,
    ):
        assert not field.acceptDrops()
        viewport = getattr(field, "viewport", lambda: None)()
        assert viewport is None or not viewport.acceptDrops()


def test_a_file_with_regions_is_imported(workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    path = tmp_path / "coco.json"
    image = {"id": 1, "file_name": "left_wing_root.png", "width": WIDTH, "height": HEIGHT}
    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 30, 40]}
    boxes = [box, {**box, "bbox": [WIDTH, 20, 30, 40]}]
    document = {"images": [image], "categories": [{"id": 1, "name": "dent"}], "annotations": boxes}
    path.write_text(json.dumps(document))
    with qtbot.waitSignal(workbench.page.toast) as toast:
        drop(workbench.page, urls(path))
    assert workbench.names[-1] == "dent"
    assert toast.args == ["1 region(s) imported. 1 outside the image skipped."]


@pytest.mark.parametrize("address", ["https://example.org/wing.jpg", "https://example.org/"])
def test_dropped_link_is_refused_with_a_remedy(
    workbench: WorkbenchDriver, qtbot: QtBot, address: str
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    with qtbot.waitSignal(workbench.page.toast) as toast:
        drop(workbench.page, urls(address))
    assert "Save the image as a file" in toast.args[0]


def test_a_picture_of_another_program_becomes_a_photo(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    data = QMimeData()
    data.setImageData(QImage.fromData(frame(2)))
    drop(workbench.page, data)
    photo_list = workbench.page.photos.record_photos.photo_list
    qtbot.waitUntil(lambda: len(photo_list.photos) == 1)
    drop(workbench.page, data, on_photos(workbench))
    item_id = workbench.page.open_record.current
    qtbot.waitUntil(lambda: len(workbench.page.open_record.photos.get(item_id, ())) == 1)


def test_large_folder_for_one_item_is_confirmed(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    for number in range(21):
        (tmp_path / f"{number}.png").write_bytes(b"x")
    titles: list[str] = []
    monkeypatch.setattr(drag_and_drop, "confirm", lambda _page, title, *_rest, **_more: titles.append(title))
    drop(workbench.page, urls(tmp_path), on_photos(workbench))
    qtbot.waitUntil(lambda: bool(titles))
    assert "21" in titles[0]
    assert workbench.page.inspector.photo.error.text() == ""


def test_one_dropped_picture_becomes_the_missing_reference_image(
    workbench: WorkbenchDriver, qtbot: QtBot, files: dict[str, Path]
) -> None:
    record_id = make_record(workbench.session, (), image=False)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(page.photos.reference.isVisible)
    with qtbot.waitSignal(page.toast):
        drop(page, urls(files["1.png"], files["2.PNG"]))
    drop(page, urls(files["1.png"]))
    qtbot.waitUntil(lambda: page.canvas.view.source is not None)
    assert workbench.session.records.get(record_id).value.reference_image_id


def test_a_raw_photo_becomes_the_reference_image_of_a_record(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    taken = tmp_path / "DSC_1.NEF"
    taken.write_bytes(raw(jpeg(scene(800, 600)), orientation=8))
    record_id = make_record(workbench.session, (), image=False)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(page.photos.reference.isVisible)
    drop(page, urls(taken))
    qtbot.waitUntil(lambda: page.canvas.view.source is not None)
    assert not_none(page.canvas.view.source).size == (600, 800)


def test_dropped_files_are_copied_where_their_source_offers_to_move_them(
    workbench: WorkbenchDriver, qtbot: QtBot, files: dict[str, Path]
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    data, move = urls(files["1.png"]), Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    shift = Qt.KeyboardModifier.ShiftModifier
    events = (
        QDragEnterEvent(_ANYWHERE, move, data, _LEFT, shift),
        QDragMoveEvent(_ANYWHERE, move, data, _LEFT, shift),
        QDropEvent(QPointF(_ANYWHERE), move, data, _LEFT, shift),
    )
    for event in events:
        assert event.proposedAction() is Qt.DropAction.MoveAction
        QApplication.sendEvent(workbench.page, event)
        assert event.isAccepted()
        assert event.dropAction() is Qt.DropAction.CopyAction
    photo_list = workbench.page.photos.record_photos.photo_list
    qtbot.waitUntil(lambda: len(photo_list.photos) == 1)
