"""The window that says what this program is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app import assistance
from desktop.app.assistance import About
from desktop.context import Context
from desktop.widgets.basic.buttons import Button
from shared import __version__


def test_one_click_copies_the_text(qtbot: QtBot, context: Context) -> None:
    context.data_folder = Path("/data/绕机")
    window = About(None, context)
    qtbot.addWidget(window)
    window.copy.click()
    copied = QApplication.clipboard().text().splitlines()
    assert f"Version: {__version__}" in copied
    assert f"Data: {context.data_folder}" in copied
    assert f"Service: {context.session.base_url}" in copied


def test_local_service_has_no_address(qtbot: QtBot, context: Context) -> None:
    context.embedded = True
    window = About(None, context)
    qtbot.addWidget(window)
    assert ("Service", "This computer") in window.facts


def test_licences_are_offered_if_they_exist(
    qtbot: QtBot, context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offered_licences() -> list[str]:
        window = About(None, context)
        qtbot.addWidget(window)
        return [button.text() for button in window.findChildren(Button)]

    assert "Third-party licences" not in offered_licences()
    (tmp_path / "licences").mkdir()
    monkeypatch.setattr(assistance, "program_folder", lambda: tmp_path)
    assert "Third-party licences" in offered_licences()
