"""Asks where to save a file, and applies the suffix of the selected type."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.pages.common.files.file_dialogs import Purpose, fit_columns_when_open, folders
from desktop.widgets import confirm, question


def choose_file(
    parent: QWidget, title: str, name: str, kinds: Mapping[str, str], purpose: Purpose
) -> tuple[Path, str] | None:
    """Ask for a file. Returns its path and its kind, or None if the user cancels.

    `name` is the suggested file name. `kinds` maps the filter texts of the dialog to suffixes with a dot; the
    first is preselected. A typed suffix takes precedence over the kind; the suffix of the suggested name does
    not.
    """
    suggested = folders.folder(purpose) / name
    fit_columns_when_open()
    with question():
        selected_name, kind = QFileDialog.getSaveFileName(parent, title, str(suggested), ";;".join(kinds))
    if not selected_name:
        return None
    kind = kind if kind in kinds else next(iter(kinds))
    path = _apply_suffix(Path(selected_name), kinds, kind, was_edited=Path(selected_name) != suggested)
    # The dialog confirmed overwriting only for the typed name, which had no suffix.
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
