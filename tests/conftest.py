"""Isolates the tests: each has its own home directory, and may leave no thread and no log handler."""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import logging
import os
import re
import threading
import time
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.deadlines import limit_children, show_child_output
from tests.fork_server import forked_seconds
from tests.isolation import Isolation, home_variables, restrict_writes
from tests.needs import check_needs
from tests.one_loop import record_second_loops
from tests.scheduling import RunCount, make_scheduler

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

# Must run before a test module imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Must run before a module reads a folder at its import.
_isolation = Isolation()


# Imported modules and collected tests are no garbage: searching them takes a third of the collection's time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Start one worker more than there are cores: tests often wait for a process or an answer."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    allowed = getattr(os, "sched_getaffinity", None)
    return (len(allowed(0)) if allowed is not None else os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    return make_scheduler(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-needs",
        action="store_true",
        help="fail a test whose need is missing instead of skipping it",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    check_needs(item)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests with the marker `both_databases` on both, but those that name their `database_kind`."""
    test = metafunc.definition
    names_its_own = any("database_kind" in mark.args[0] for mark in test.iter_markers("parametrize"))
    uses_one = "database_kind" in metafunc.fixturenames and not names_its_own
    if uses_one and test.get_closest_marker("both_databases") is not None:
        postgresql = pytest.param("postgresql", marks=pytest.mark.postgresql)
        metafunc.parametrize("database_kind", ["sqlite", postgresql])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine on an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in arguments}))
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    show_child_output(report, None if call.excinfo is None else call.excinfo.value)
    return report


@pytest.fixture(scope="session", autouse=True)
def _limited_children() -> Iterator[None]:
    with limit_children():
        yield


def pytest_configure(config: pytest.Config) -> None:
    # Imported here, after the folder of its storage is set.
    from hypothesis import HealthCheck, settings

    # On a busy machine any example may take long.
    settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("constants", settings.get_profile("tests"))
    settings.load_profile("tests")
    if config.getoption("--hypothesis-profile") != "constants":
        _draw_no_constants_of_the_program()
    config.pluginmanager.register(RunCount())


def _draw_no_constants_of_the_program() -> None:
    """Spare each worker the search of the program for constants, a quarter of the time to collect the tests.

    Hypothesis draws one value in twenty from them and from a list of its own. .ci/run runs its tests again
    with those of the program: `--hypothesis-profile=constants`.
    """
    providers: Any = importlib.import_module("hypothesis.internal.conjecture.providers")
    assert callable(providers.is_local_module_file)
    providers.is_local_module_file = lambda _path: False


def pytest_unconfigure() -> None:
    _isolation.end()


@pytest.fixture(scope="session", autouse=True)
def _second_loop_requests() -> Iterator[list[str]]:
    with record_second_loops() as scopes:
        yield scopes


@pytest.fixture(autouse=True)
def _check_event_loops(_second_loop_requests: list[str]) -> Iterator[None]:
    """Fail a test that runs one application on two event loops."""
    yield
    scopes = _second_loop_requests.copy()
    _second_loop_requests.clear()
    assert not scopes, (
        f"an application ran on a second event loop (use tests.one_loop.second_client): {scopes}"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put modules with a very slow test first: the last would occupy one worker while the others are idle."""
    slow = {item.path for item in items if _allowed_seconds(item) > _SLOW_SECONDS}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def _refused_writes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    with restrict_writes(_isolation.folder, tmp_path_factory.getbasetemp()) as refused:
        yield refused


@pytest.fixture(autouse=True)
def _use_temporary_home(
    _refused_writes: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Give the test an empty home directory, and fail it if it writes outside its temporary folders.

    The patch is not the test's `monkeypatch`, which the test may undo.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in home_variables(tmp_path_factory.mktemp("home")).items():
            patch.setenv(name, folder)
        yield
    refused = _refused_writes.copy()
    _refused_writes.clear()
    assert not refused, f"the test writes outside its temporary folders: {refused}"


@pytest.fixture(autouse=True)
def _restore_logging() -> Iterator[None]:
    """Remove the log handlers that the test added: a service in this process logs to the test's streams."""
    root = logging.getLogger()
    level, handlers_before = root.level, list(root.handlers)
    yield
    for handler in [handler for handler in root.handlers if handler not in handlers_before]:
        root.removeHandler(handler)
    root.setLevel(level)


# Threads of libraries that end with the process, and threads of pools ("tiles_0"): a service that several
# tests share starts them when it needs them.
_PERMANENT_THREADS = re.compile(r"pydevd|AnyIO|Dummy-|.*_\d+$")
_THREAD_SECONDS = 20.0


def _test_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not _PERMANENT_THREADS.match(thread.name)}


@pytest.fixture(autouse=True)
def _restore_umask() -> Iterator[None]:
    """Give the process its umask back, which the commands of the service set."""
    umask = os.umask(0)
    os.umask(umask)
    yield
    os.umask(umask)


@pytest.fixture(autouse=True)
def _check_threads() -> Iterator[None]:
    """Fail a test that leaves a thread running. Threads that end by themselves get time to do so."""
    threads_before = _test_threads()
    yield
    deadline = time.monotonic() + _THREAD_SECONDS
    while (remaining := _test_threads() - threads_before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not remaining, f"threads outlive the test: {sorted(thread.name for thread in remaining)}"


_USUAL_SECONDS, _SLOW_SECONDS = 10.0, 30.0


def _allowed_seconds(item: pytest.Item) -> float:
    """How much processor time in s a test may take. One with the marker `slow` may name another limit."""
    mark = item.get_closest_marker("slow")
    if mark is None:
        return _USUAL_SECONDS
    return float(mark.args[0]) if mark.args else _SLOW_SECONDS


def _processor_seconds() -> float:
    return sum(os.times()[:4]) + forked_seconds()


@pytest.fixture(autouse=True)
def _check_processor_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a slow test, by the processor time of this process and its children.

    Processor time does not grow on a busy machine.
    """
    limit = _allowed_seconds(request.node)
    seconds_before = _processor_seconds()
    yield
    used_seconds = _processor_seconds() - seconds_before
    assert used_seconds < limit, (
        f"the test took {used_seconds:.0f} s of processor time, {limit:.0f} s are allowed"
    )
