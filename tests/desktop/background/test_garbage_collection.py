"""Tests that cycles with Qt objects are collected on the GUI thread."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject, QThread
from pytestqt.qtbot import QtBot

from desktop.background.garbage_collection import GarbageCollection


class Cycle(QObject):
    """A Qt object in a reference cycle; appends the thread on which it is deleted to `died_on`."""

    def __init__(self, died_on: list[QThread]) -> None:
        super().__init__()
        self.me = self
        weakref.finalize(self, lambda: died_on.append(QThread.currentThread()))


def test_frozen_objects_are_excluded_and_new_ones_collected(qtbot: QtBot) -> None:
    gc.unfreeze()
    garbage = GarbageCollection()
    try:
        garbage.freeze_existing()
        assert gc.get_freeze_count() > 10_000
        died_on: list[QThread] = []
        Cycle(died_on)
        several = [[index] for index in range(100_000)]
        qtbot.waitUntil(lambda: died_on != [])
        assert several
    finally:
        garbage.end()
    assert gc.get_freeze_count() == 0


def test_a_cycle_is_deleted_on_the_gui_thread_when_a_worker_allocates(qtbot: QtBot) -> None:
    died_on: list[QThread] = []
    garbage = GarbageCollection()
    try:
        Cycle(died_on)

        def allocate() -> None:
            for _ in range(50):
                keep = [[index] for index in range(2000)]
                del keep

        worker = threading.Thread(target=allocate)
        worker.start()
        worker.join()
        assert died_on == []
        several = [[index] for index in range(5000)]
        qtbot.waitUntil(lambda: died_on != [])
        assert several
        assert died_on == [QThread.currentThread()]
    finally:
        garbage.end()
    assert gc.isenabled()
