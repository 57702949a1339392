"""Asks where a file goes: in the folder of the last one, with the suffix of the kind that was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.widgets import confirm

_last: list[Path] = []
"""The folder of the file that was saved last, while the program runs."""


def choose_file(parent: QWidget, title: str, name: str, kinds: Mapping[str, str]) -> tuple[Path, str] | None:
    """The file that the person chose, and the words of its kind; None for none.

    `name` is proposed. `kinds`: the words of each kind in the dialog, to its suffix with the dot; the first
    is chosen at first. A suffix that was typed counts, that of the proposed name gives way to the kind.
    """
    proposed = last_folder() / name
    chosen, kind = QFileDialog.getSaveFileName(parent, title, str(proposed), ";;".join(kinds))
    if not chosen:
        return None
    kind = kind if kind in kinds else next(iter(kinds))
    path = _with_suffix(Path(chosen), kinds, kind, kept=Path(chosen) != proposed)
    # The dialog asked about the name that was typed, not about the one with a suffix.
    if path != Path(chosen) and path.exists() and not may_replace(parent, path):
        return None
    keep_folder(path)
    return path, kind


def last_folder() -> Path:
    """Where the last file was saved, at first the person's documents."""
    # A program that is started by its icon runs in a folder that means nothing to a person.
    documents = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    # A folder that is not there would be as good as none: the dialog falls back to where the program runs.
    return _last[0] if _last else documents if documents.is_dir() else Path.home()


def _with_suffix(path: Path, kinds: Mapping[str, str], kind: str, kept: bool) -> Path:
    suffix = path.suffix.lower()
    if suffix not in kinds.values():
        return path.with_name(path.name + kinds[kind])
    return path if kept or suffix == kinds[kind] else path.with_suffix(kinds[kind])


def keep_folder(path: Path) -> None:
    """`path` is saved: the next file is proposed beside it."""
    _last[:] = [path.parent]


def may_replace(parent: QWidget, path: Path) -> bool:
    """True when the person lets a file go that lies there already."""
    translate = QCoreApplication.translate
    return confirm(
        parent,
        translate("SaveAs", "Replace the file?"),
        translate("SaveAs", "{file} is already there.").format(file=path.name),
        translate("SaveAs", "Replace"),
    )
