"""File dialogs: the folder that each purpose starts in, and the columns of Qt's own dialog."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from desktop.pages.common.files.file_dialogs import (
    Folders,
    Purpose,
    folders,
    open_file,
    open_files,
    open_folder,
    open_picture,
    open_pictures,
)
from desktop.preferences import Preferences
from desktop.widgets import answers_by_program
from tests.desktop.children import child


@pytest.fixture(autouse=True)
def folder_preferences(preferences: Preferences) -> Iterator[Preferences]:
    folders.use_preferences(preferences)
    yield preferences
    folders.use_preferences(None)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def answers(monkeypatch: pytest.MonkeyPatch, path: Path | None) -> list[str]:
    """Have the dialogs return `path`; returns the folders in which they began."""
    began: list[str] = []
    name = "" if path is None else str(path)

    def open_file(_parent: QWidget, _title: str, folder: str, *_more: object) -> tuple[str, str]:
        began.append(folder)
        return name, ""

    def several(parent: QWidget, title: str, folder: str, *more: object) -> tuple[list[str], str]:
        open_file(parent, title, folder, *more)
        return ([name] if name else []), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", open_file)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", several)
    monkeypatch.setattr(
        QFileDialog, "getExistingDirectory", lambda parent, title, folder: open_file(parent, title, folder)[0]
    )
    return began


def test_each_purpose_has_its_folder(
    window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo = tmp_path / "today" / "one.jpg"
    photo.parent.mkdir()
    began = answers(monkeypatch, photo)
    assert open_files(window, "Add photo", "Images (*.jpg)", Purpose.PHOTOS) == [photo]
    open_files(window, "Add photo", "Images (*.jpg)", Purpose.PHOTOS)
    open_file(window, "Add model", "Models (*.onnx)", Purpose.MODELS)
    assert began[1] == str(photo.parent)
    assert began[2] != str(photo.parent)


def test_folder_is_remembered_for_the_next_start(
    window: QWidget, folder_preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, tmp_path)
    assert open_folder(window, "Photos of strangers", Purpose.FACES) == tmp_path
    later = Folders()
    later.use_preferences(Preferences(folder_preferences.path))
    assert later.folder(Purpose.FACES) == tmp_path


def test_missing_folder_is_replaced_by_a_folder_of_the_user(tmp_path: Path) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()
    folders.remember(Purpose.REPORTS, folder)
    assert folders.folder(Purpose.REPORTS) == folder
    folder.rmdir()
    assert folders.folder(Purpose.REPORTS) == Path.home()


def test_pictures_begin_in_the_folder_of_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PicturesLocation", "DocumentsLocation"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda place: str(tmp_path / place.name))
    assert folders.folder(Purpose.PHOTOS) == tmp_path / "PicturesLocation"
    assert folders.folder(Purpose.REPORTS) == tmp_path / "DocumentsLocation"


def test_cancelled_dialog_returns_nothing(window: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, None)
    assert open_file(window, "", "", Purpose.MODELS) is None
    assert open_files(window, "", "", Purpose.PHOTOS) == []
    assert open_folder(window, "", Purpose.FACES) is None


def test_picture_dialog_offers_every_accepted_format(
    window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filters: list[str] = []

    def several(
        _parent: QWidget, _title: str, _folder: str, kinds: str, *_more: object
    ) -> tuple[list[str], str]:
        filters.append(kinds)
        return [str(tmp_path / "IMG_1.HEIC")], ""

    def open_file(parent: QWidget, title: str, folder: str, kinds: str, *more: object) -> tuple[str, str]:
        names, chosen = several(parent, title, folder, kinds, *more)
        return names[0], chosen

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", several)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", open_file)
    assert open_pictures(window, "", Purpose.PHOTOS) == [tmp_path / "IMG_1.HEIC"]
    assert open_picture(window, "", Purpose.REFERENCES) == tmp_path / "IMG_1.HEIC"
    for ending in (".jpg", ".tif", ".heic", ".nef", ".cr3"):
        assert all(f"*{ending}" in pattern for pattern in filters)


def test_no_column_of_the_dialog_is_cut(window: QWidget, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "today.jpg").write_bytes(b"x" * 70_000)
    folders.remember(Purpose.PHOTOS, tmp_path)
    widths: list[tuple[int, int]] = []
    turns = itertools.count()

    def measure() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        view = child(dialog, QTreeView)
        header = view.header()
        if view.model().rowCount(view.rootIndex()) and next(turns) > 5:
            widths.extend(
                (header.sectionSize(column), view.sizeHintForColumn(column)) for column in range(1, 4)
            )
            dialog.reject()

    timer = QTimer(window)
    timer.timeout.connect(measure)
    timer.start(20)
    with answers_by_program():
        assert open_pictures(window, "Add photos", Purpose.PHOTOS) == []
    timer.stop()
    assert len(widths) == 3
    assert all(width >= content for width, content in widths)


def test_photos_and_region_files_begin_beside_the_reference_image(tmp_path: Path) -> None:
    hangar, today = tmp_path / "hangar", tmp_path / "today"
    for folder in (hangar, today):
        folder.mkdir()
    folders.remember(Purpose.REFERENCES, hangar)
    assert folders.folder(Purpose.PHOTOS) == folders.folder(Purpose.REGIONS) == hangar
    assert folders.folder(Purpose.REPORTS) != hangar
    folders.remember(Purpose.PHOTOS, today)
    assert folders.folder(Purpose.PHOTOS) == folders.folder(Purpose.WATCHED) == today
    assert folders.folder(Purpose.REGIONS) == hangar
