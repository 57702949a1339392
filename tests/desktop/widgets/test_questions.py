"""Tests that a question that no person can answer ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets import Confirm, UnansweredQuestionError, answers_by_program, confirm, dialogs, question
from shared.system.paths import program_folder


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


def ask_to_delete(window: QWidget) -> bool:
    return confirm(window, "Delete record?", "It has 3 items.", "Delete")


def test_question_without_a_person_raises_its_title_and_text(window: QWidget) -> None:
    with pytest.raises(UnansweredQuestionError, match=r"Delete record\?.*It has 3 items\."):
        ask_to_delete(window)


def test_file_dialog_without_a_person_raises_its_title(window: QWidget) -> None:
    with pytest.raises(UnansweredQuestionError, match="Choose a photo"), question():
        QFileDialog.getOpenFileName(window, "Choose a photo")


def test_program_answers_a_question(window: QWidget) -> None:
    def agree() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, Confirm)
        dialog.confirm_button.click()

    QTimer.singleShot(100, agree)
    with answers_by_program():
        assert ask_to_delete(window)


def test_question_that_the_program_does_not_answer_ends(
    window: QWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "_ANSWER_MS", 100)
    with answers_by_program(), pytest.raises(UnansweredQuestionError, match="Delete record"):
        ask_to_delete(window)


def test_question_waits_for_a_person(window: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogs, "is_unattended", lambda: False)

    def decline() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, Confirm)
        dialog.cancel_button.click()

    QTimer.singleShot(200, decline)
    assert not ask_to_delete(window)


def test_every_modal_dialog_is_a_question() -> None:
    """Other modules open modal dialogs by `ask`, or within `question`."""
    opening = re.compile(r"dialog\.exec\(|QMessageBox|QInputDialog|QColorDialog|QFontDialog")
    questions_module = Path(dialogs.__file__)
    sources = [path for path in (program_folder() / "desktop").rglob("*.py") if path != questions_module]
    assert [path.name for path in sources if opening.search(path.read_text("utf-8"))] == []
    for path in sources:
        text = path.read_text("utf-8")
        guarded = len(re.findall(r"with question\(\):\n +.*= QFileDialog\.get", text))
        assert guarded == len(re.findall(r"QFileDialog\.get", text)), path
