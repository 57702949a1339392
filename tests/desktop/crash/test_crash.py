"""What is said after an unexpected error or a run that died, and what is not."""

from __future__ import annotations

import getpass
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from filelock import FileLock
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from desktop.app.application import Desktop
from desktop.crash import CrashHandler, Failure, LastRun, RunMarker, describe_failure, report_text
from desktop.crash.handler import start_program_again
from desktop.logs import log_dir
from desktop.preferences import Preferences
from shared import __version__
from shared.system.paths import program_folder
from shared.system.redaction import redact

SECRET = "Rivets-and-Seams-2026"


def nested_error(message: str, cause: str = "") -> BaseException:
    try:
        try:
            raise KeyError(cause)
        except KeyError as error:
            raise ValueError(message) from error
    except ValueError as error:
        return error


def test_failure_contains_kinds_and_places_but_no_values() -> None:
    failure = describe_failure(nested_error(SECRET, "typed text"))
    assert failure.lines[0] == "ValueError"
    assert "caused by KeyError" in failure.lines
    assert any(
        "tests/desktop/crash/test_crash.py" in line and "in nested_error" in line for line in failure.lines
    )
    assert SECRET not in failure.key
    assert "typed text" not in failure.key
    assert str(program_folder()) not in failure.key


def test_report_has_versions_and_the_log_without_secrets(qtbot: QtBot, tmp_path: Path) -> None:
    log = tmp_path / "desktop.log"
    log.write_text(
        f"2026-01-01 08:00:00,000 INFO desktop: started in {Path.home()}/x\n"
        "2026-01-01 08:00:01,000 CRITICAL desktop: nobody caught this\n"
        "Traceback (most recent call last):\n"
        f"ValueError: {SECRET}\n"
        "2026-01-01 08:00:02,000 INFO desktop: password=hunter2 https://me:pw@host/ a@example.com\n",
        encoding="utf-8",
    )
    text = report_text(describe_failure(nested_error(SECRET)), log, 3)
    assert __version__ in text
    assert "nobody caught this" in text
    assert "3 times" in text
    for secret in (SECRET, str(Path.home()), "hunter2", "me:pw", "a@example.com"):
        assert secret not in text


@pytest.mark.parametrize(
    "secret",
    [
        "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl",
        "0123456789abcdef0123456789abcdef",
        "Authorization: Bearer abc.def",
        "token=xyz",
    ],
)
def test_secrets_are_redacted(secret: str) -> None:
    assert secret.split()[-1].split("=")[-1] not in redact(f"before {secret} after")
    assert redact(f"before {secret} after").startswith("before")


def test_name_of_the_user_is_redacted_but_not_parts_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "insp")
    assert redact("insp opened inspection") == "*** opened inspection"


class Window(QWidget):
    """What the handler needs of a main window."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []
        self.photos = 0


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    window = Window()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def handler(window: Window, tmp_path: Path) -> Iterator[CrashHandler]:
    handler = CrashHandler(
        tmp_path / "desktop.log", lambda: window, lambda: window.photos, window.messages.append
    )
    yield handler
    if handler.dialog is not None and isValid(handler.dialog):
        handler.dialog.close()


def test_many_errors_open_one_dialog(handler: CrashHandler, window: Window) -> None:
    window.photos = 2
    handler.show(Failure(("ValueError", "  a.py:1 in f")))
    first = handler.dialog
    assert first is not None
    assert first.isVisible()
    assert "saved" in first.saved_label.text()
    assert "2 photo" in first.photos.text()
    handler.show(Failure(("ValueError", "  a.py:1 in f")))
    handler.show(Failure(("KeyError", "  b.py:2 in g")))
    assert handler.dialog is first
    assert "3 error" in first.repeats.text()
    assert "KeyError" in first.report.toPlainText()
    shown = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
    assert shown == [first]


def test_repeated_error_is_counted_without_a_second_dialog(
    qtbot: QtBot, handler: CrashHandler, window: Window
) -> None:
    failure = Failure(("ValueError", "  a.py:1 in paintEvent"))
    handler.show(failure)
    assert handler.dialog is not None
    with qtbot.waitSignal(handler.dialog.destroyed):
        handler.dialog.continue_button.click()
    for _ in range(120):
        handler.show(failure)
    assert [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()] == []
    assert len(window.messages) == 3, "said the 2nd, 10th and 100th time"
    handler.show(Failure(("OSError", "  c.py:3 in h")))
    assert handler.dialog.isVisible(), "another error has its own dialog"


def test_error_while_showing_an_error_is_only_logged(
    handler: CrashHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> str:
        handler.show(Failure(("RecursionError",)))
        raise RuntimeError("the report fails")

    monkeypatch.setattr("desktop.crash.handler.report_text", fail)
    handler.show(Failure(("ValueError",)))
    assert handler.dialog is None


def test_report_is_copied_and_restart_is_remembered(
    handler: CrashHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Application:
        """Without a running event loop, the real `exit` would end the loops of later tests."""

        codes: ClassVar[list[int]] = []
        exit = codes.append

    monkeypatch.setattr("desktop.crash.handler.QCoreApplication", Application)
    handler.show(Failure(("ValueError", "  a.py:1 in f")))
    assert handler.dialog is not None
    handler.dialog.copy.click()
    assert "a.py:1" in QGuiApplication.clipboard().text()
    handler.dialog.restart.click()
    assert (handler.restart_requested, Application.codes) == (True, [0])


def test_restart_passes_the_same_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_options: started.append(command))
    start_program_again("http://host:1", tmp_path)
    start_program_again(None, None)
    assert started[0][-5:] == ["run", "--server", "http://host:1", "--data-dir", str(tmp_path)]
    assert started[1][-1] == "run"


def test_normal_end_leaves_no_marker(tmp_path: Path) -> None:
    marker = RunMarker(tmp_path)
    assert marker.begin() is None
    assert RunMarker(tmp_path).begin() is None, "one that still runs has not died"
    marker.end()
    assert not [path for path in tmp_path.glob("run-*.json") if FileLock(path.with_suffix(".lock")).is_locked]


def write_dead_run(folder: Path, trace: str) -> None:
    (folder / "crash.log").write_text("of an earlier run\n", encoding="utf-8")
    (folder / "run-1-a.json").write_text(json.dumps({"crash_bytes": 18}), encoding="utf-8")
    with (folder / "crash.log").open("a", encoding="utf-8") as log:
        log.write(trace)


@pytest.mark.parametrize("trace", ["", "Fatal Python error: Segmentation fault"])
def test_run_that_died_is_reported_once(tmp_path: Path, trace: str) -> None:
    write_dead_run(tmp_path, trace)
    marker = RunMarker(tmp_path)
    assert marker.begin() == LastRun(trace)
    marker.end()
    assert RunMarker(tmp_path).begin() is None


def test_killed_process_is_reported_at_the_next_start(tmp_path: Path) -> None:
    code = (
        "import faulthandler, pathlib, sys; from desktop.crash.last_run import RunMarker\n"
        "folder = pathlib.Path(sys.argv[1]); RunMarker(folder).begin()\n"
        "faulthandler.enable(open(folder / 'crash.log', 'a')); faulthandler._sigsegv()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=program_folder(), check=False)
    assert done.returncode != 0
    marker = RunMarker(tmp_path)
    last = marker.begin()
    marker.end()
    assert last is not None
    assert "Segmentation fault" in last.trace


def test_folder_that_cannot_be_written_leaves_the_run_unmarked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    marker = RunMarker(tmp_path / "file" / "logs")
    assert marker.begin() is None
    marker.end()


def test_last_run_without_trace_is_reported_in_a_notice(handler: CrashHandler, window: Window) -> None:
    handler.show_last_run(LastRun(""))
    assert (handler.dialog, len(window.messages)) == (None, 1)
    # Some may wait to be sent.
    assert "kept on this computer" in window.messages[0]
    handler.show_last_run(LastRun("Fatal Python error: Segmentation fault"))
    assert handler.dialog is not None
    assert "last time" in handler.dialog.heading_label.text()
    assert "Segmentation fault" in handler.dialog.report.toPlainText()
    assert not handler.dialog.restart.isVisible()


def test_exception_in_a_thread_opens_the_dialog(
    qtbot: QtBot, preferences: Preferences, tmp_path: Path
) -> None:
    desktop = Desktop(server_url="http://127.0.0.1:9", data_folder=tmp_path / "data", preferences=preferences)
    try:
        desktop.start()
        desktop.logs._previous_hooks = (lambda *_caught: None, desktop.logs._previous_hooks[1])

        def fail() -> None:
            raise ValueError(SECRET)

        QTimer.singleShot(0, Thread(target=fail).start)
        qtbot.waitUntil(lambda: desktop.crashes.dialog is not None)
        assert desktop.crashes.dialog is not None
        assert desktop.crashes.dialog.isVisible()
        assert "ValueError" in desktop.crashes.dialog.report.toPlainText()
        assert SECRET not in desktop.crashes.dialog.report.toPlainText()
        assert list(log_dir().glob("run-*.json"))
        desktop.crashes.dialog.close()
    finally:
        desktop.close()
    assert list(log_dir().glob("run-*.json")) == []


def test_start_after_a_crash_shows_the_crash_dialog(
    qtbot: QtBot, preferences: Preferences, tmp_path: Path
) -> None:
    log_dir().mkdir(parents=True, exist_ok=True)
    write_dead_run(log_dir(), "Fatal Python error: Segmentation fault")
    desktop = Desktop(server_url="http://127.0.0.1:9", data_folder=tmp_path / "data", preferences=preferences)
    try:
        desktop.start()
        dialog = desktop.crashes.dialog
        assert dialog is not None
        assert "Segmentation fault" in dialog.report.toPlainText()
        dialog.continue_button.click()
    finally:
        desktop.close()
