"""Work off the GUI thread: outcomes arrive on it, once, and nothing is left over."""

from __future__ import annotations

import ast
import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.background.workers import Lane, ProgressReport, Task, gui_caller, run
from shared.system.paths import program_folder


def wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition)


def test_the_result_arrives_on_the_gui_thread(qtbot: QtBot, qapp: QApplication) -> None:
    got: list[tuple[int, bool, bool]] = []
    worker_threads: list[bool] = []

    def add(a: int, b: int) -> int:
        worker_threads.append(QThread.currentThread() == qapp.thread())
        return a + b

    def done(value: int) -> None:
        got.append((value, QThread.currentThread() == qapp.thread(), task.is_finished))

    task = run(add, 2, 3, owner=None, done=done)
    wait(qtbot, lambda: bool(got))
    assert got == [(5, True, True)]
    assert worker_threads == [False]
    assert workers.busy() == 0


def test_an_exception_goes_to_failed_and_only_there(qtbot: QtBot) -> None:
    failures: list[Exception] = []
    done: list[object] = []

    def fail() -> None:
        raise ValueError("no")

    run(fail, owner=None, done=done.append, failed=failures.append)
    wait(qtbot, lambda: bool(failures))
    assert isinstance(failures[0], ValueError)
    assert done == []


def test_an_exception_that_nobody_awaits_reaches_the_hook(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: caught.append(error))

    def fail() -> None:
        raise ValueError("lost?")

    run(fail, owner=None)
    wait(qtbot, lambda: bool(caught))
    assert str(caught[0]) == "lost?"


def test_progress_arrives_in_order_before_the_result(qtbot: QtBot) -> None:
    values: list[object] = []

    def count(report: ProgressReport, upto: int) -> str:
        for number in range(upto):
            report(number)
        return "end"

    run(count, 4, owner=None, progress=values.append, done=values.append)
    wait(qtbot, lambda: "end" in values)
    assert values == [0, 1, 2, 3, "end"]


def test_cancelled_work_ends_at_its_next_report_and_never_calls_back(qtbot: QtBot) -> None:
    values: list[object] = []
    ended = threading.Event()

    def forever(report: ProgressReport) -> None:
        try:
            while True:
                report.wait(0.01)
                report("tick")
        finally:
            ended.set()

    task = run(
        forever, owner=None, progress=values.append, done=values.append, failed=values.append, lane=Lane.LONG
    )
    wait(qtbot, lambda: bool(values))
    task.cancel()
    count = len(values)
    wait(qtbot, lambda: task.is_finished)
    assert ended.is_set()
    assert len(values) == count
    assert task.is_cancelled


def test_work_that_has_not_begun_is_skipped_when_cancelled(qtbot: QtBot) -> None:
    gate = threading.Event()
    ran: list[int] = []
    blockers = [run(gate.wait, 60.0, owner=None) for _ in range(workers.SHORT_THREADS)]
    waiting = run(ran.append, 1, owner=None)
    waiting.cancel()
    gate.set()
    wait(qtbot, lambda: waiting.is_finished and all(task.is_finished for task in blockers))
    assert ran == []


def test_callbacks_are_dropped_when_the_owner_is_gone_but_the_work_is_done(qtbot: QtBot) -> None:
    owner = QObject()
    gate = threading.Event()
    saved: list[str] = []
    shown: list[object] = []

    def save() -> None:
        gate.wait(60)
        saved.append("saved")

    task = run(save, owner=owner, done=shown.append)
    owner.deleteLater()
    qtbot.wait(1)
    gate.set()
    wait(qtbot, lambda: task.is_finished)
    assert saved == ["saved"]
    assert shown == []


def test_a_deleted_python_owner_is_gone_too(qtbot: QtBot) -> None:
    gate = threading.Event()
    shown: list[object] = []
    owner = QObject()
    task = run(gate.wait, 60.0, owner=owner, done=shown.append)
    del owner
    gate.set()
    wait(qtbot, lambda: task.is_finished)
    assert shown == []


class _Page(QObject):
    """Has no Qt parent: the last Python reference takes the C++ half with it."""

    def show(self, value: object) -> None: ...


@pytest.mark.parametrize("end", ["done", "failed", "cancelled", "shutdown"])
def test_what_was_handed_over_dies_on_the_gui_thread(qtbot: QtBot, end: str) -> None:
    died_in: list[threading.Thread] = []
    has_begun, go_on = threading.Event(), threading.Event()

    def work(report: ProgressReport, page: _Page) -> _Page:
        has_begun.set()
        assert go_on.wait(20)
        report.check()
        if end == "failed":
            raise ValueError
        return page

    page = _Page()
    weakref.finalize(page, lambda: died_in.append(threading.current_thread()))
    task = run(work, page, owner=page, done=page.show, failed=page.show, progress=page.show)
    assert has_begun.wait(20)
    del page
    if end == "cancelled":
        task.cancel()
    if end == "shutdown":
        threading.Timer(0.05, go_on.set).start()
        assert workers.shutdown()
    else:
        go_on.set()
        wait(qtbot, lambda: workers.busy() == 0)
    del task
    gc.collect()
    assert died_in == [threading.main_thread()]


def test_a_pool_that_is_left_running_is_not_deleted_by_its_own_worker(qtbot: QtBot) -> None:
    has_begun, go_on = threading.Event(), threading.Event()
    page = _Page()
    died_in: list[threading.Thread] = []
    weakref.finalize(page, lambda: died_in.append(threading.current_thread()))

    def work() -> None:
        has_begun.set()
        go_on.wait(20)

    run(work, owner=page, done=page.show)
    assert has_begun.wait(20)
    pools = workers._pools
    assert pools is not None
    del page
    assert not workers.shutdown(wait_ms=0)
    go_on.set()
    assert pools.close(5_000)
    del pools
    gc.collect()
    assert died_in == [threading.main_thread()]


def test_no_more_threads_than_the_bound(qtbot: QtBot) -> None:
    together: list[int] = []
    running = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal running
        with lock:
            running += 1
            together.append(running)
        time.sleep(0.005)
        with lock:
            running -= 1

    tasks = [run(work, owner=None) for _ in range(40)]
    wait(qtbot, lambda: all(task.is_finished for task in tasks))
    assert max(together) <= workers.SHORT_THREADS


def test_higher_priority_starts_first(qtbot: QtBot) -> None:
    gates = [threading.Event() for _ in range(workers.SHORT_THREADS)]
    order: list[str] = []
    blockers = [run(gate.wait, 60.0, owner=None) for gate in gates]
    tasks: list[Task] = [run(order.append, "low", owner=None, priority=-1) for _ in range(3)]
    tasks.append(run(order.append, "high", owner=None, priority=5))
    # One thread alone: several would start side by side and write down in any order.
    gates[0].set()
    wait(qtbot, lambda: all(task.is_finished for task in tasks))
    for gate in gates[1:]:
        gate.set()
    wait(qtbot, lambda: all(task.is_finished for task in blockers))
    assert order == ["high", "low", "low", "low"]


def test_an_idle_thread_is_used_again_and_does_not_keep_its_last_task(qtbot: QtBot) -> None:
    threads: set[int] = set()
    for _ in range(3):
        task = run(lambda: threads.add(threading.get_native_id()), owner=None)
        done = weakref.ref(task)
        del task
        wait(qtbot, lambda done=done: done() is None)  # type: ignore[misc]
    # A thread that is not idle yet when the next work comes is joined by a second one.
    assert len(threads) < 3


def test_long_work_does_not_take_the_place_of_short(qtbot: QtBot) -> None:
    got: list[int] = []

    def stay(report: ProgressReport) -> None:
        report.wait(30.0)

    stays = [
        run(stay, owner=None, progress=lambda _: None, lane=Lane.LONG) for _ in range(workers.LONG_THREADS)
    ]
    run(lambda: 7, owner=None, done=got.append)
    wait(qtbot, lambda: bool(got))
    for task in stays:
        task.cancel()
    wait(qtbot, lambda: all(task.is_finished for task in stays))


def test_shutdown_ends_everything_and_the_next_run_starts_afresh(qtbot: QtBot) -> None:
    values: list[object] = []

    def stay(report: ProgressReport) -> None:
        report.wait(30.0)

    run(stay, owner=None, progress=lambda _: None, done=values.append, lane=Lane.LONG)
    assert workers.shutdown()
    qtbot.wait(1)
    assert values == []
    run(lambda: 1, owner=None, done=values.append)
    wait(qtbot, lambda: bool(values))
    assert values == [1]


def test_shutdown_says_when_something_still_runs(qtbot: QtBot) -> None:
    gate = threading.Event()
    entered = threading.Event()

    def stubborn() -> None:
        entered.set()
        gate.wait(60)

    run(stubborn, owner=None)
    assert entered.wait(60)
    pools = workers._pools
    assert pools is not None
    assert not workers.shutdown(wait_ms=10)
    gate.set()
    assert pools.close(60_000)


def test_work_is_handed_over_on_the_gui_thread_only(qtbot: QtBot) -> None:
    failures: list[Exception] = []

    def start_another() -> None:
        run(lambda: 1, owner=None)

    run(start_another, owner=None, failed=failures.append)
    wait(qtbot, lambda: bool(failures))
    assert isinstance(failures[0], RuntimeError)


def test_gui_caller_brings_calls_of_other_threads_home(qtbot: QtBot, qapp: QApplication) -> None:
    call = gui_caller()
    where: list[bool] = []
    thread = threading.Thread(
        target=lambda: call(lambda: where.append(QThread.currentThread() == qapp.thread()))
    )
    thread.start()
    thread.join()
    wait(qtbot, lambda: bool(where))
    assert where == [True]
    workers.shutdown()
    call(lambda: where.append(False))
    qtbot.wait(1)
    assert where == [True]


def test_what_comes_together_leaves_turns_for_the_window(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_TURN_SECONDS", 0.0)
    turns = 0
    arrivals: list[tuple[int, int]] = []

    def count_turn() -> None:
        nonlocal turns
        turns += 1

    beat = QTimer(interval=0)
    beat.timeout.connect(count_turn)

    came = threading.Event()

    def work(report: ProgressReport) -> None:
        for value in range(5):
            report(value)
        came.set()

    done: list[None] = []
    run(work, owner=None, progress=lambda value: arrivals.append((value, turns)), done=done.append)
    assert came.wait(20)
    beat.start()
    wait(qtbot, lambda: bool(done))
    beat.stop()
    assert [value for value, _ in arrivals] == list(range(5))
    assert len({turn for _, turn in arrivals}) == 5


MAKERS = {
    *(
        "Thread",
        "Timer",
        "start_new_thread",
        "BackgroundThread",
        "ThreadPool",
        "ThreadPoolExecutor",
        "ProcessPoolExecutor",
    ),
    *("QThread", "QThreadPool", "QRunnable", "QtConcurrent", "Process", "to_thread", "run_in_executor"),
}


def makes_threads(module: ast.Module) -> bool:
    """Whether it calls a maker of threads or a method of one, derives from one, or gives one another name."""

    def is_maker(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node).split(".")[-1] in MAKERS

    for node in ast.walk(module):
        if isinstance(node, ast.Call) and (
            is_maker(node.func) or ast.unparse(node.func).endswith("QThreadPool.globalInstance")
        ):
            return True
        if isinstance(node, ast.ClassDef) and any(is_maker(base) for base in node.bases):
            return True
        if isinstance(node, ast.ImportFrom) and any(
            each.asname and each.name in MAKERS for each in node.names
        ):
            return True
    return False


def test_threads_are_made_where_it_is_written_down() -> None:
    folder = program_folder() / "desktop"
    makers = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if makes_threads(ast.parse(path.read_text(encoding="utf-8")))
    }
    others = {
        "connection/local_service.py",
        "journal/journal.py",
        "imaging/loader.py",
        "imaging/sources/remote.py",
    }
    assert makers == {"background/threads.py", "background/workers.py", *others}
    text = (program_folder() / "docs" / "architecture.md").read_text(encoding="utf-8")
    for module in others:
        assert f"`{module}`" in str(workers.__doc__)
        assert f"`{module}`" in text


@pytest.mark.parametrize(
    "text",
    [
        "threading.Thread(target=f).start()",
        "Timer(1, f)",
        "from threading import Thread as T",
        "class Worker(QThread): pass",
        "QThreadPool.globalInstance().start(f)",
        "with futures.ThreadPoolExecutor(2) as pool: pass",
    ],
)
def test_no_maker_of_threads_is_passed_over(text: str) -> None:
    assert makes_threads(ast.parse(text))
    assert not makes_threads(ast.parse("thread: threading.Thread = here\nQThread.currentThread()"))
