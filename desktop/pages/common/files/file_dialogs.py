"""Asks for files to open, in the system's dialog and the last folder of each purpose."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.imaging.conversion import PICTURE_SUFFIXES
from desktop.preferences import Preferences


class Purpose(StrEnum):
    """What a file is asked for; each has a folder of its own."""

    PHOTOS = "photos"
    REFERENCES = "references"
    REGIONS = "regions"
    MODELS = "models"
    FACES = "faces"
    REPORTS = "reports"
    EXPORTS = "exports"
    WATCHED = "watched"


_ALL_PICTURES = {Purpose.PHOTOS, Purpose.WATCHED, Purpose.REFERENCES, Purpose.FACES}


class Folders:
    """The folder of each purpose: kept in the preferences once `use_preferences` named them."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._preferences: Preferences | None = None

    def use_preferences(self, preferences: Preferences | None) -> None:
        """Store the folders in these preferences from now on; None forgets all of them."""
        self._preferences = preferences
        self._folders = {} if preferences is None else dict(preferences.values.folders)

    def folder(self, purpose: Purpose) -> Path:
        """Return the folder to begin in: the last used, else the user's pictures or documents, or home."""
        last = self._folders.get(purpose)
        if last is not None and Path(last).is_dir():
            return Path(last)
        place = QStandardPaths.StandardLocation
        preferred = place.PicturesLocation if purpose in _ALL_PICTURES else place.DocumentsLocation
        for location in (preferred, place.DocumentsLocation):
            folder = Path(QStandardPaths.writableLocation(location))
            # From a folder that is not there the dialog falls back to the one that the program runs in.
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
"""Those of the person at this desktop."""


def open_file(parent: QWidget, title: str, kinds: str, purpose: Purpose) -> Path | None:
    """The file that the person chose, or None. `kinds` is a filter as Qt writes it: ``Pictures (*.jpg)``."""
    name, _ = QFileDialog.getOpenFileName(parent, title, str(folders.folder(purpose)), kinds)
    return next(iter(_remember_chosen(purpose, [name])), None)


def open_files(parent: QWidget, title: str, kinds: str, purpose: Purpose) -> list[Path]:
    """The files that the person chose; see `open_file`."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, str(folders.folder(purpose)), kinds)
    return _remember_chosen(purpose, names)


def open_pictures(parent: QWidget, title: str, purpose: Purpose) -> list[Path]:
    """The picture files that the person chose for photos or reference images."""
    names, _ = QFileDialog.getOpenFileNames(
        parent,
        title,
        str(folders.folder(purpose)),
        _picture_kinds(),
        options=QFileDialog.Option.HideNameFilterDetails,
    )
    return _remember_chosen(purpose, names)


def open_picture(parent: QWidget, title: str, purpose: Purpose) -> Path | None:
    """The picture file that the person chose, or None; see `open_pictures`."""
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
    """The folder that the person chose, or None."""
    name = QFileDialog.getExistingDirectory(parent, title, str(folders.folder(purpose)))
    return next(iter(_remember_chosen(purpose, [name])), None)


def _remember_chosen(purpose: Purpose, names: Sequence[str]) -> list[Path]:
    paths = [Path(name) for name in names if name]
    if paths:
        folders.remember(purpose, paths[0])
    return paths
