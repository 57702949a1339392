"""How far a change goes: the files of the desktop that a drawn region and a verdict enter on their way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.background.workers import ProgressReport
from desktop.record.outbox import Outbox
from shared.system.paths import program_folder
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record

_PAINTING = ("desktop/canvas/layers/", "desktop/canvas/views/", "desktop/widgets/", "desktop/theme")
"""What paints and what every window is made of; all that a change wakes ends here."""
_CHANCE = ("desktop/app/notices.py", "desktop/folder_watch/", "desktop/background/threads.py")
"""What happens whatever the user does: timers look for new versions and cards of cameras every few seconds,
and the pool starts another thread when all others are busy."""


@contextmanager
def _entered_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The files of the desktop whose functions are called on the GUI thread or while edits are sent."""
    root = f"{program_folder()}/"
    entered: set[str] = set()

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename not in entered and not _is_painting(frame):
            entered.add(frame.f_code.co_filename)

    send = Outbox.send

    def send_profiled(self: Outbox, report: ProgressReport) -> Any:
        sys.setprofile(profile)
        try:
            return send(self, report)
        finally:
            sys.setprofile(None)

    files: set[str] = set()
    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "send", send_profiled)
        sys.setprofile(profile)
        try:
            yield files
        finally:
            sys.setprofile(None)
    names = {path.removeprefix(root) for path in entered if path.startswith(f"{root}desktop/")}
    files |= {name for name in names if not name.startswith((*_PAINTING, *_CHANCE))}


def _is_painting(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_name not in ("paint", "paintEvent"):
        frame = frame.f_back
    return frame is not None


def _open(workbench: WorkbenchDriver, wait: Callable[..., None]) -> None:
    prepared: list[bool] = []
    workbench.page.canvas.view.prepared.connect(lambda: prepared.append(True))
    workbench.open(make_record(workbench.session), wait)
    wait(lambda: bool(prepared), timeout=60_000)
    # What opening began has ended: the picture, history, photos, the trimming of memory a second later. One
    # task waits for events of the service.
    quiet_turns = 0
    for _ in range(100):
        QTest.qWait(500)
        quiet_turns = quiet_turns + 1 if workers.busy() <= 1 else 0
        if quiet_turns == 3:
            # The echo of an edit is a walk of its own, which begins before or after the edit is saved.
            workbench.page.live.stop()
            wait(lambda: workers.busy() == 0)
            return
    raise AssertionError("the opened record does not come to rest")


def test_drawn_region_enters_few_files(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _open(workbench, qtbot.waitUntil)
    view, end = workbench.page.canvas.view, workbench.at(0.9, 0.9)
    workbench.context.commands.run("tool.rectangle")
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=workbench.at(0.75, 0.75))
    QTest.mouseMove(view, end)
    with _entered_files(monkeypatch) as files:
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
        assert not workbench.saved
        qtbot.waitUntil(lambda: workbench.saved)
    print("\n".join(sorted(files)))
    assert len(files) <= 69, sorted(files)


def test_verdict_enters_few_files(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _open(workbench, qtbot.waitUntil)
    with _entered_files(monkeypatch) as files:
        workbench.context.commands.run("item.pass")
        assert not workbench.saved
        qtbot.waitUntil(lambda: workbench.saved)
    print("\n".join(sorted(files)))
    assert len(files) <= 44, sorted(files)
