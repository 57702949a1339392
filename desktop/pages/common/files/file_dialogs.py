"""Asks for files to open or save with the system's dialog, which starts in the last folder of the purpose.

Finds the pictures among dragged files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMimeData, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QWidget

from desktop.imaging.conversion import PICTURE_SUFFIXES
from desktop.preferences import Preferences
from desktop.widgets import confirm, question
from shared.images.formats import is_picture_name


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
    return next(iter(_open(parent, title, kinds, purpose, several=False)), None)


def open_files(parent: QWidget, title: str, kinds: str, purpose: Purpose) -> list[Path]:
    """Ask for several files; see `open_file`."""
    return _open(parent, title, kinds, purpose)


def open_pictures(parent: QWidget, title: str, purpose: Purpose) -> list[Path]:
    """Ask for picture files."""
    return _open(parent, title, None, purpose)


def open_picture(parent: QWidget, title: str, purpose: Purpose) -> Path | None:
    """Ask for a picture file; None if the user cancels."""
    return next(iter(_open(parent, title, None, purpose, several=False)), None)


def _open(
    parent: QWidget, title: str, kinds: str | None, purpose: Purpose, several: bool = True
) -> list[Path]:
    """Ask for files of these kinds, or for pictures if `kinds` is None."""
    options = QFileDialog.Option(0)
    if kinds is None:
        # The many suffixes of pictures would widen the dialog.
        options = QFileDialog.Option.HideNameFilterDetails
        kinds = QCoreApplication.translate("FileDialogs", "Images ({patterns})").format(
            patterns=" ".join(f"*{suffix}" for suffix in PICTURE_SUFFIXES)
        )
    folder = str(folders.folder(purpose))
    fit_columns_when_open()
    if several:
        with question():
            names, _ = QFileDialog.getOpenFileNames(parent, title, folder, kinds, "", options)
        return _remember_chosen(purpose, names)
    with question():
        name, _ = QFileDialog.getOpenFileName(parent, title, folder, kinds, "", options)
    return _remember_chosen(purpose, [name])


def dropped_pictures(mime: QMimeData) -> list[Path]:
    """The picture files among the dragged objects."""
    paths = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
    return [path for path in paths if is_picture_name(path.name, PICTURE_SUFFIXES)]


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


def choose_file(
    parent: QWidget,
    title: str,
    name: str,
    kinds: Mapping[str, str],
    purpose: Purpose,
    complete: Callable[[Path, str], Path] | None = None,
) -> tuple[Path, str] | None:
    """Ask for a file. Returns its path and its kind, or None if the user cancels.

    `name` is the suggested file name. `kinds` maps the filter texts of the dialog to suffixes with a dot; the
    first is preselected. A typed suffix takes precedence over the kind; the suffix of the suggested name does
    not. `complete` replaces this rule: it gets the typed path and the kind, and returns the path to write.
    """
    suggested = folders.folder(purpose) / name
    fit_columns_when_open()
    with question():
        selected_name, kind = QFileDialog.getSaveFileName(parent, title, str(suggested), ";;".join(kinds))
    if not selected_name:
        return None
    kind = kind if kind in kinds else next(iter(kinds))
    typed = Path(selected_name)
    if complete is not None:
        path = complete(typed, kind)
    else:
        path = _apply_suffix(typed, kinds, kind, was_edited=typed != suggested)
    # The dialog confirmed overwriting only for the typed name, which had no suffix.
    if path != typed and path.exists() and not may_replace(parent, path):
        return None
    folders.remember(purpose, path)
    return path, kind


def _apply_suffix(path: Path, kinds: Mapping[str, str], kind: str, was_edited: bool) -> Path:
    suffix = path.suffix.lower()
    if suffix not in kinds.values():
        return path.with_name(path.name + kinds[kind])
    return path if was_edited or suffix == kinds[kind] else path.with_suffix(kinds[kind])


def may_replace(parent: QWidget, path: Path) -> bool:
    """Ask whether to replace an existing file."""
    translate = QCoreApplication.translate
    return confirm(
        parent,
        translate("SaveAs", "Replace file?"),
        translate("SaveAs", "{file} already exists.").format(file=path.name),
        translate("SaveAs", "Replace"),
    )


def ask_html_path(parent: QWidget, path: Path, reason: str) -> Path | None:
    """Offer to write HTML because the PDF `path` cannot be written. Returns None if the user declines.

    `reason` is a sentence that says why the PDF cannot be written.
    """
    translate = QCoreApplication.translate
    html = path.with_suffix(".html")
    title = translate("SaveAs", "Export report as HTML?")
    if not confirm(parent, title, reason, translate("SaveAs", "Export HTML"), danger=False):
        return None
    return html if not html.exists() or may_replace(parent, html) else None
