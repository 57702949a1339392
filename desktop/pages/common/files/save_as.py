"""Asks where to save a file: last folder of the purpose, suffix of the chosen type."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.pages.common.files.file_dialogs import Purpose, folders
from desktop.widgets import confirm


def choose_file(
    parent: QWidget, title: str, name: str, kinds: Mapping[str, str], purpose: Purpose
) -> tuple[Path, str] | None:
    """Return the chosen file and the name of its kind; None when the user cancels.

    `name` is proposed. `kinds`: the words of each kind in the dialog, to its suffix with the dot; the first
    is chosen at first. A suffix that was typed counts, that of the proposed name gives way to the kind.
    """
    suggested = folders.folder(purpose) / name
    selected_name, kind = QFileDialog.getSaveFileName(parent, title, str(suggested), ";;".join(kinds))
    if not selected_name:
        return None
    kind = kind if kind in kinds else next(iter(kinds))
    path = _apply_suffix(Path(selected_name), kinds, kind, was_edited=Path(selected_name) != suggested)
    # The dialog asked about the name that was typed, not about the one with a suffix.
    if path != Path(selected_name) and path.exists() and not may_replace(parent, path):
        return None
    folders.remember(purpose, path)
    return path, kind


def _apply_suffix(path: Path, kinds: Mapping[str, str], kind: str, was_edited: bool) -> Path:
    suffix = path.suffix.lower()
    if suffix not in kinds.values():
        return path.with_name(path.name + kinds[kind])
    return path if was_edited or suffix == kinds[kind] else path.with_suffix(kinds[kind])


def may_replace(parent: QWidget, path: Path) -> bool:
    """True when the user agrees to replace an existing file."""
    translate = QCoreApplication.translate
    return confirm(
        parent,
        translate("SaveAs", "Replace file?"),
        translate("SaveAs", "{file} already exists.").format(file=path.name),
        translate("SaveAs", "Replace"),
    )


def ask_html_path(parent: QWidget, path: Path, reason: str) -> Path | None:
    """Where to write HTML in place of the PDF `path`, which cannot be written; None when the user declines.

    `reason` is the sentence that says what the PDF lacks.
    """
    translate = QCoreApplication.translate
    html = path.with_suffix(".html")
    title = translate("SaveAs", "Export report as HTML?")
    if not confirm(parent, title, reason, translate("SaveAs", "Export HTML"), danger=False):
        return None
    return html if not html.exists() or may_replace(parent, html) else None
