"""A report leaves nothing behind in memory, whether it was written or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.background import memory
from desktop.background.workers import ProgressReport, Task
from desktop.pages.common.files.report_file import write_report
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
