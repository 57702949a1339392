"""Tests that cycles with Qt objects are collected on the GUI thread."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject, QThread
from pytestqt.qtbot import QtBot

from desktop.background import memory
from desktop.background.memory import GarbageCollection

pytestmark = pytest.mark.slow


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
        several = [[index] for index in range(5_000)]
        qtbot.waitUntil(lambda: died_on != [])
        assert several
    finally:
        garbage.end()
    assert gc.get_freeze_count() == 0


def test_nothing_is_collected_during_a_pause(qtbot: QtBot) -> None:
    garbage = GarbageCollection()
    try:
        died_on: list[QThread] = []
        garbage.pause()
        Cycle(died_on)
        several = [[index] for index in range(5_000)]
        qtbot.wait(2 * memory.INTERVAL_MS)
        assert died_on == []
        garbage.freeze_existing()
        Cycle(died_on)
        several += [[index] for index in range(5_000)]
        qtbot.waitUntil(lambda: died_on != [])
    finally:
        garbage.end()


@pytest.mark.parametrize(("long_seconds", "is_excluded"), [(0.0, True), (1000.0, False)])
def test_survivors_of_a_long_collection_are_frozen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, long_seconds: float, is_excluded: bool
) -> None:
    monkeypatch.setattr(memory, "LONG_SECONDS", long_seconds)
    gc.unfreeze()
    garbage = GarbageCollection()
    try:
        several = [[index] for index in range(1000)]
        monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 1000))
        garbage.collect()
        assert (gc.get_freeze_count() > len(several)) is is_excluded
    finally:
        garbage.end()


def test_many_new_objects_are_excluded_without_a_visit(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    gc.unfreeze()
    garbage = GarbageCollection()
    try:
        monkeypatch.setattr(gc, "collect", lambda *_: pytest.fail("visits the objects"))
        several = [[index] for index in range(2 * memory.MANY)]
        garbage.collect()
        assert gc.get_freeze_count() > len(several)
    finally:
        garbage.end()


def test_young_objects_are_not_excluded(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LONG_SECONDS", 0.0)
    gc.unfreeze()
    garbage = GarbageCollection()
    try:
        monkeypatch.setattr(gc, "get_count", lambda: (0, 1000, 0))
        garbage.collect()
        assert gc.get_freeze_count() == 0
    finally:
        garbage.end()


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
