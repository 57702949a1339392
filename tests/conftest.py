"""Every test has a home of its own: nothing reads or writes the folders of the person who runs the tests."""

from __future__ import annotations

import gc
import logging
import os
import re
import threading
import time
from collections.abc import Iterator

import pytest

from tests.isolation import Isolation, home_variables, writes_only_below
from tests.one_loop import second_loops

# Before any test module imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Before any module fixes a folder at its import.
_isolation = Isolation()


# What is imported and collected stays: to look for garbage among it takes a third of that time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """One worker more than cores: while a test waits for a process or an answer, another one runs."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    allowed = getattr(os, "sched_getaffinity", None)
    return (len(allowed(0)) if allowed is not None else os.cpu_count() or 1) + 1


def pytest_unconfigure() -> None:
    _isolation.end()


@pytest.fixture(scope="session", autouse=True)
def _second_loops() -> Iterator[list[str]]:
    with second_loops() as scopes:
        yield scopes


@pytest.fixture(autouse=True)
def _one_loop(_second_loops: list[str]) -> Iterator[None]:
    """Fails a test that drives one application from two event loops."""
    yield
    scopes = _second_loops.copy()
    _second_loops.clear()
    assert not scopes, f"an application ran on a second event loop (use tests.one_loop.beside): {scopes}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put modules with a slow test first: one that begins last would keep a single worker busy at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def _refused_writes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    with writes_only_below(_isolation.folder, tmp_path_factory.getbasetemp()) as refused:
        yield refused


@pytest.fixture(autouse=True)
def _own_home(_refused_writes: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Gives the test a home of its own, and fails it when it writes outside its temporary folders.

    The patch is not the `monkeypatch` of the test, which the test may undo.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in home_variables(tmp_path_factory.mktemp("home")).items():
            patch.setenv(name, folder)
        yield
    refused = _refused_writes.copy()
    _refused_writes.clear()
    assert not refused, f"the test writes outside its temporary folders: {refused}"


@pytest.fixture(autouse=True)
def _own_log() -> Iterator[None]:
    """A service inside this process logs to the streams of its test, and to nothing after it."""
    root = logging.getLogger()
    level, before = root.level, list(root.handlers)
    yield
    for handler in [present for present in root.handlers if present not in before]:
        root.removeHandler(handler)
    root.setLevel(level)


# Threads of libraries that live as long as the process, and those of pools ("tiles_0"), which a service that
# several tests share makes at its first need.
_LASTING = re.compile(r"pydevd|AnyIO|Dummy-|.*_\d+$")
_THREAD_SECONDS = 20.0


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not _LASTING.match(thread.name)}


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """Fails a test that a thread outlives; what ends by itself is waited for."""
    before = _threads()
    yield
    deadline = time.monotonic() + _THREAD_SECONDS
    while (left := _threads() - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left, f"threads outlive the test: {sorted(thread.name for thread in left)}"


_MOST_PROCESSOR_SECONDS = 30.0


@pytest.fixture(autouse=True)
def _not_slow(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that takes long: processor time, also of children, which no busy machine lengthens."""
    mark = request.node.get_closest_marker("slow")
    most = mark.args[0] if mark is not None else _MOST_PROCESSOR_SECONDS
    before = sum(os.times()[:4])
    yield
    used = sum(os.times()[:4]) - before
    assert used < most, f"the test took {used:.0f} s of processor time, {most:.0f} s are allowed"
