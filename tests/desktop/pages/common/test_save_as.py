"""Where a file is saved: in the last folder, with the suffix of its kind, and over no other file unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.context import Context
from desktop.pages.common.files import file_dialogs
from desktop.pages.common.files.export import ExportController
from desktop.pages.common.files.file_dialogs import Purpose, choose_file, folders

KINDS = {"PDF (*.pdf)": ".pdf", "Web page (*.html)": ".html"}
Type = Callable[[str, str], None]


@pytest.fixture
def proposed_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What the dialog proposed, each time."""
    monkeypatch.setitem(folders._folders, Purpose.REPORTS, str(tmp_path))
    return []


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch, proposed_paths: list[str], tmp_path: Path) -> Type:
    """Have the dialog return a typed name (empty: the proposed one) and a kind."""

    def answer_dialog(name: str, kind: str) -> None:
        def answer(_parent: object, _title: str, shown: str, _kinds: str) -> tuple[str, str]:
            proposed_paths.append(shown)
            return (str(tmp_path / name) if name else shown), kind

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)

    return answer_dialog


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.mark.parametrize(
    ("typed", "kind", "expected"),
    [
        ("", "PDF (*.pdf)", "A.pdf"),
        ("", "Web page (*.html)", "A.html"),
        ("mine", "Web page (*.html)", "mine.html"),
        ("mine.v2", "PDF (*.pdf)", "mine.v2.pdf"),
        ("mine.html", "PDF (*.pdf)", "mine.html"),
        ("mine.PDF", "Web page (*.html)", "mine.PDF"),
        ("mine", "", "mine.pdf"),
    ],
)
def test_suffix_selects_the_format(
    window: QWidget, types: Type, tmp_path: Path, typed: str, kind: str, expected: str
) -> None:
    types(typed, kind)
    chosen = choose_file(window, "Report", "A.pdf", KINDS, Purpose.REPORTS)
    assert chosen is not None
    assert chosen[0] == tmp_path / expected


def test_the_next_file_is_proposed_beside_the_last(
    window: QWidget, types: Type, proposed_paths: list[str], tmp_path: Path
) -> None:
    (tmp_path / "June").mkdir()
    types("June/one.pdf", "")
    choose_file(window, "Report", "A.pdf", KINDS, Purpose.REPORTS)
    types("", "")
    choose_file(window, "Report", "B.pdf", KINDS, Purpose.REPORTS)
    assert proposed_paths[1] == str(tmp_path / "June" / "B.pdf")


def test_default_folder_is_in_the_home_directory(
    window: QWidget, types: Type, proposed_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(folders._folders, Purpose.REPORTS)
    types("", "")
    choose_file(window, "Report", "A.pdf", KINDS, Purpose.REPORTS)
    folder = Path(proposed_paths[0]).parent
    assert folder.is_dir()
    assert folder != Path.cwd()


@pytest.mark.parametrize("agreed", [True, False])
def test_replacing_a_file_under_the_completed_name_is_confirmed(
    window: QWidget, types: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agreed: bool
) -> None:
    (tmp_path / "mine.pdf").write_bytes(b"old")
    questions: list[str] = []

    def answer(_parent: QWidget, *texts: str) -> bool:
        questions.append(texts[1])
        return agreed

    monkeypatch.setattr(file_dialogs, "confirm", answer)

    types("mine", "PDF (*.pdf)")
    assert (choose_file(window, "Report", "A.pdf", KINDS, Purpose.REPORTS) is not None) is agreed
    assert "mine.pdf" in questions[0]


def test_cancelled_dialog_gives_none(window: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    assert choose_file(window, "Report", "A.pdf", KINDS, Purpose.REPORTS) is None


@pytest.mark.parametrize(
    ("typed", "kind", "name", "format_id", "pictures"),
    [
        ("mine", "COCO datasets with images (*.zip)", "mine-coco.zip", "coco", True),
        ("mine", "COCO datasets of regions and findings (*.zip)", "mine-coco.zip", "coco", False),
        ("mine.csv", "COCO datasets with images (*.zip)", "mine.csv", "csv", False),
        ("mine", "", "mine.json", "json", False),
    ],
)
def test_export_gets_the_name_and_the_format_of_the_dialog(
    window: QWidget,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    typed: str,
    kind: str,
    name: str,
    format_id: str,
    pictures: bool,
) -> None:
    shown_kinds: list[str] = []

    def answer(_parent: object, _title: str, _shown: str, kinds: str) -> tuple[str, str]:
        shown_kinds.extend(kinds.split(";;"))
        return str(tmp_path / typed), kind

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    target = ExportController(context, window).ask_target("A")
    assert target is not None
    path, file_format, with_pictures = target
    assert (path, file_format.format_id, with_pictures) == (tmp_path / name, format_id, pictures)
    assert not kind or kind in shown_kinds
    assert folders.folder(Purpose.EXPORTS) == tmp_path
