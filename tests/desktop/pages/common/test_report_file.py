"""A report leaves nothing behind in memory, and a report that is not written says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QProgressDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.background import memory
from desktop.background.workers import ProgressReport, Task
from desktop.localization.fonts import MissingGlyphsError
from desktop.messages.error_messages import sentence
from desktop.pages.common.files import file_dialogs, report_file
from desktop.pages.common.files.report_file import ReportFileController, write_report
from desktop.report.collect import Progress
from desktop.report.content import Report


class _GatheringError(Exception):
    pass


def _fails(progress: Progress) -> Report:
    raise _GatheringError


def test_memory_of_a_report_is_released_even_if_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trimmed: list[str] = []
    monkeypatch.setattr(memory, "trim", lambda: trimmed.append("once"))
    with pytest.raises(_GatheringError):
        write_report(ProgressReport(Task(None), lambda value: None), _fails, tmp_path / "report.pdf")
    assert trimmed == ["once"]


def test_report_says_why_it_is_not_written_if_html_is_declined(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = MissingGlyphsError("\ue123")

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(report_file, "write_report", fails)
    monkeypatch.setattr(file_dialogs, "confirm", lambda *_, **_more: False)
    window = QWidget()
    qtbot.addWidget(window)
    controller = ReportFileController(window)
    with qtbot.waitSignal(controller.notice, timeout=5000) as notice:
        controller.write(_fails, tmp_path / "report.pdf")
    assert notice.args == [sentence(error)]
    qtbot.waitUntil(lambda: window.findChild(QProgressDialog) is None)
    assert not list(tmp_path.iterdir())
