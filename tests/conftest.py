"""Gives every test its own home folder, so that no test reads or writes folders of the user who runs it."""

from __future__ import annotations

import gc
import logging
import os
import re
import threading
import time
from collections.abc import Iterator

import pytest

from tests.isolation import Isolation, home_variables, refuse_writes_outside
from tests.one_loop import record_second_loops

# Before any test module imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Before any module fixes a folder at its import.
_isolation = Isolation()


# Imported modules and collected tests stay. Searching them for garbage would take a third of that time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Return one worker more than cores: while a test waits for a process or an answer, another one runs."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    allowed = getattr(os, "sched_getaffinity", None)
    return (len(allowed(0)) if allowed is not None else os.cpu_count() or 1) + 1


def pytest_unconfigure() -> None:
    _isolation.end()


@pytest.fixture(scope="session", autouse=True)
def _second_loops() -> Iterator[list[str]]:
    with record_second_loops() as scopes:
        yield scopes


@pytest.fixture(autouse=True)
def _check_event_loop(_second_loops: list[str]) -> Iterator[None]:
    """Fail a test that uses one application on two event loops."""
    yield
    scopes = _second_loops.copy()
    _second_loops.clear()
    assert not scopes, f"an application ran on a second event loop (use tests.one_loop.beside): {scopes}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put modules with a slow test first, because at the end only one worker would be busy with it."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def _refused_writes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    with refuse_writes_outside(_isolation.folder, tmp_path_factory.getbasetemp()) as refused:
        yield refused


@pytest.fixture(autouse=True)
def _isolated_home(_refused_writes: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the test its own home folder, and fail it if it writes outside its temporary folders.

    The patch is not the `monkeypatch` of the test, because the test can undo that.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in home_variables(tmp_path_factory.mktemp("home")).items():
            patch.setenv(name, folder)
        yield
    refused = _refused_writes.copy()
    _refused_writes.clear()
    assert not refused, f"the test writes outside its temporary folders: {refused}"


@pytest.fixture(autouse=True)
def _isolated_log() -> Iterator[None]:
    """Remove the log handlers that a service in this process added for the streams of its test."""
    root = logging.getLogger()
    level, before = root.level, list(root.handlers)
    yield
    for handler in [handler for handler in root.handlers if handler not in before]:
        root.removeHandler(handler)
    root.setLevel(level)


# Threads of libraries that exist as long as the process, and those of pools ("tiles_0"), which a service that
# several tests share creates when it first needs them.
_PERMANENT_THREADS = re.compile(r"pydevd|AnyIO|Dummy-|.*_\d+$")
_THREAD_SECONDS = 20.0


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not _PERMANENT_THREADS.match(thread.name)}


@pytest.fixture(autouse=True)
def _check_threads() -> Iterator[None]:
    """Fail a test with threads that do not end, after waiting for them."""
    before = _threads()
    yield
    deadline = time.monotonic() + _THREAD_SECONDS
    while (remaining := _threads() - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not remaining, f"threads outlive the test: {sorted(thread.name for thread in remaining)}"


_MAX_PROCESSOR_SECONDS = 30.0


@pytest.fixture(autouse=True)
def _check_processor_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that uses too much processor time, including child processes."""
    mark = request.node.get_closest_marker("slow")
    limit = mark.args[0] if mark is not None else _MAX_PROCESSOR_SECONDS
    before = sum(os.times()[:4])
    yield
    used = sum(os.times()[:4]) - before
    assert used < limit, f"the test took {used:.0f} s of processor time, {limit:.0f} s are allowed"
