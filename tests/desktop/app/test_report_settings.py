"""Tests the settings of reports: a page per failed finding, and the template file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.app.menus import ReportSettings
from desktop.client import Session
from desktop.context import Context
from desktop.pages.common.files.report_file import report_options
from desktop.preferences import Preferences
from desktop.report.collect import ReportOptions


def test_settings_reach_the_reports(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, broken = tmp_path / "template.toml", tmp_path / "broken.toml"
    file.write_text('company = "Example"', "utf-8")
    broken.write_text("company = 3", "utf-8")
    answers = iter([str(broken), str(file)])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (next(answers), ""))
    window = QWidget()
    qtbot.addWidget(window)
    context = Context(Session("http://127.0.0.1:9"), Preferences(tmp_path / "preferences.json"))
    settings = ReportSettings(context, window)
    notices: list[str] = []
    settings.notice.connect(notices.append)
    assert report_options(context) == ReportOptions()

    settings.toggle_pages()
    settings.choose_template()
    assert notices[-1] == "Entry company of the report template broken.toml is invalid."
    assert report_options(context) == ReportOptions(failed_pages=True)
    settings.choose_template()
    assert notices[-1] == "Reports use the template of Example."
    assert report_options(context) == ReportOptions(failed_pages=True, template=str(file))
    assert settings.commands == {"report.pages": True, "report.template": True}
    settings.choose_template()
    settings.toggle_pages()
    assert report_options(context) == ReportOptions()
