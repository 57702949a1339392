"""What computes in the background has a lower priority than the GUI thread."""

from __future__ import annotations

import os
import sys
import threading
import time

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from desktop.background.threads import yield_interpreter, yield_to_gui
from desktop.background.workers import run

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness on Linux only")


def niceness() -> int:
    """Of the calling thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@on_linux
def test_workers_and_their_threads_have_a_lower_priority_than_the_gui(qtbot: QtBot) -> None:
    found: list[int] = []

    def work() -> None:
        found.append(niceness())
        started = threading.Thread(target=lambda: found.append(niceness()))
        started.start()
        started.join()

    before = niceness()
    task = run(work, owner=None)
    qtbot.waitUntil(lambda: task.is_finished)
    assert len(found) == 2
    assert min(found) > before
    assert niceness() == before


@on_linux
def test_lower_priority_of_the_program_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    yield_to_gui()


def test_qt_lowers_the_priority_on_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    found: list[QThread.Priority] = []

    def work() -> None:
        yield_to_gui()
        found.append(QThread.currentThread().priority())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [QThread.Priority.LowPriority]


def test_a_worker_that_yields_lets_other_threads_run_python() -> None:
    may_end, turns = threading.Event(), 0

    def count_turns() -> None:
        nonlocal turns
        while not may_end.is_set():
            turns += 1
            time.sleep(0)

    thread = threading.Thread(target=count_turns)
    interval = sys.getswitchinterval()
    # A thread that does not yield keeps the interpreter for this long.
    sys.setswitchinterval(60)
    try:
        thread.start()
        before = turns
        for _ in range(20):
            yield_interpreter()
        assert turns > before
    finally:
        may_end.set()
        sys.setswitchinterval(interval)
        thread.join()
