"""Asks for files to open with the system's dialog, which starts in the last folder used for the purpose."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QWidget

from desktop.imaging.conversion import PICTURE_SUFFIXES
from desktop.preferences import Preferences
from desktop.widgets import question


class Purpose(StrEnum):
    """The purpose of a file; the last folder is remembered for each."""

    PHOTOS = "photos"
    REFERENCES = "references"
    REGIONS = "regions"
    MODELS = "models"
    FACES = "faces"
    REPORTS = "reports"
    EXPORTS = "exports"
    TEMPLATES = "templates"
    WATCHED = "watched"
    BACKUPS = "backups"


_BESIDE = {
    Purpose.PHOTOS: (Purpose.REFERENCES,),
    Purpose.WATCHED: (Purpose.PHOTOS, Purpose.REFERENCES),
    Purpose.REGIONS: (Purpose.REFERENCES, Purpose.PHOTOS),
    Purpose.REFERENCES: (Purpose.PHOTOS, Purpose.REGIONS),
}
_ALL_PICTURES = {Purpose.PHOTOS, Purpose.WATCHED, Purpose.REFERENCES, Purpose.FACES}


class Folders:
    """The last folder of each purpose, stored in the preferences after `use_preferences` was called."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._preferences: Preferences | None = None

    def use_preferences(self, preferences: Preferences | None) -> None:
        """Read and store the folders in `preferences` from now on; None forgets them."""
        self._preferences = preferences
        self._folders = {} if preferences is None else dict(preferences.values.folders)

    def folder(self, purpose: Purpose) -> Path:
        """Return the folder to begin in: the last used, else that of another purpose in which it may lie too.

        Photos and region files often lie beside the reference image. Without any, it is the user's pictures
        or documents, or home.
        """
        for each in (purpose, *_BESIDE.get(purpose, ())):
            last = self._folders.get(each)
            if last is not None and Path(last).is_dir():
                return Path(last)
        place = QStandardPaths.StandardLocation
        preferred = place.PicturesLocation if purpose in _ALL_PICTURES else place.DocumentsLocation
        for location in (preferred, place.DocumentsLocation):
            folder = Path(QStandardPaths.writableLocation(location))
            # For a missing folder, the dialog would use the working directory of the program.
            if folder.is_dir():
                return folder
        return Path.home()

    def remember(self, purpose: Purpose, path: Path) -> None:
        """Remember the folder of `path`, or `path` itself when it is a folder."""
        folder = str(path if path.is_dir() else path.parent)
        if self._folders.get(purpose) != folder:
            self._folders[purpose] = folder
            if self._preferences is not None:
                self._preferences.change(folders=dict(self._folders))


folders = Folders()
"""The folders of the current user."""


def fit_columns_when_open() -> None:
    """Give the columns of the next file dialog the width of their content.

    Call this before the dialog is opened. It has no effect on a dialog of the system.
    """
    QTimer.singleShot(0, _fit_columns)


def _fit_columns() -> None:
    dialog = QApplication.activeModalWidget()
    header = dialog.findChild(QHeaderView) if isinstance(dialog, QFileDialog) else None
    if header is not None:
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)


def open_file(parent: QWidget, title: str, kinds: str, purpose: Purpose) -> Path | None:
    """Ask for a file; None if the user cancels. `kinds` is a filter of Qt such as ``Pictures (*.jpg)``."""
    fit_columns_when_open()
    with question():
        name, _ = QFileDialog.getOpenFileName(parent, title, str(folders.folder(purpose)), kinds)
    return next(iter(_remember_chosen(purpose, [name])), None)


def open_files(parent: QWidget, title: str, kinds: str, purpose: Purpose) -> list[Path]:
    """Ask for several files; see `open_file`."""
    fit_columns_when_open()
    with question():
        names, _ = QFileDialog.getOpenFileNames(parent, title, str(folders.folder(purpose)), kinds)
    return _remember_chosen(purpose, names)


def open_pictures(parent: QWidget, title: str, purpose: Purpose) -> list[Path]:
    """Ask for picture files."""
    fit_columns_when_open()
    with question():
        names, _ = QFileDialog.getOpenFileNames(
            parent,
            title,
            str(folders.folder(purpose)),
            _picture_kinds(),
            options=QFileDialog.Option.HideNameFilterDetails,
        )
    return _remember_chosen(purpose, names)


def open_picture(parent: QWidget, title: str, purpose: Purpose) -> Path | None:
    """Ask for a picture file; None if the user cancels."""
    fit_columns_when_open()
    with question():
        name, _ = QFileDialog.getOpenFileName(
            parent,
            title,
            str(folders.folder(purpose)),
            _picture_kinds(),
            options=QFileDialog.Option.HideNameFilterDetails,
        )
    return next(iter(_remember_chosen(purpose, [name])), None)


def _picture_kinds() -> str:
    kinds = QCoreApplication.translate("FileDialogs", "Images ({patterns})")
    return kinds.format(patterns=" ".join(f"*{suffix}" for suffix in PICTURE_SUFFIXES))


def open_folder(parent: QWidget, title: str, purpose: Purpose) -> Path | None:
    """Ask for a folder; None if the user cancels."""
    fit_columns_when_open()
    with question():
        name = QFileDialog.getExistingDirectory(parent, title, str(folders.folder(purpose)))
    return next(iter(_remember_chosen(purpose, [name])), None)


def _remember_chosen(purpose: Purpose, names: Sequence[str]) -> list[Path]:
    paths = [Path(name) for name in names if name]
    if paths:
        folders.remember(purpose, paths[0])
    return paths
