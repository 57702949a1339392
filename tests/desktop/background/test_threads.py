from __future__ import annotations

import threading

import pytest

from desktop.background.threads import BackgroundThread, running_threads


def test_a_thread_runs_until_its_function_returns() -> None:
    may_end, in_thread = threading.Event(), []

    def work() -> None:
        in_thread.append(threading.get_ident() != threading.main_thread().ident)
        may_end.wait()

    thread = BackgroundThread(work, "counting")
    assert thread.is_alive()
    assert [each.name for each in running_threads()] == ["counting"]
    may_end.set()
    thread.join()
    assert not thread.is_alive()
    assert in_thread == [True]
    assert running_threads() == []


def test_an_exception_is_reported_as_that_of_any_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)

    def work() -> None:
        raise ValueError("broken")

    BackgroundThread(work, "failing").join()
    assert [str(each.exc_value) for each in reported] == ["broken"]
