"""Tests that the loops of benchmarks end after an exception in a callback, and in time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions

from benchmarks.window import run_loop, wait_until


def raise_missing_font() -> None:
    raise ValueError("no font")


@pytest.mark.usefixtures("qapp")
def test_exception_in_a_callback_ends_the_waiting() -> None:
    QTimer.singleShot(0, raise_missing_font)
    with capture_exceptions() as caught, pytest.raises(RuntimeError, match=r"the report failed.*no font"):
        wait_until(lambda: False, "the report", seconds=30)
    assert [kind for kind, *_ in caught] == [ValueError]


def test_exception_in_a_callback_ends_the_loop(qapp: QApplication) -> None:
    QTimer.singleShot(0, qapp, raise_missing_font)
    with capture_exceptions(), pytest.raises(RuntimeError, match=r"the report failed.*no font"):
        run_loop(QEventLoop(), "the report", seconds=30)


@pytest.mark.usefixtures("qapp")
def test_loop_that_nothing_ends_ends_in_time() -> None:
    with pytest.raises(RuntimeError, match="the report does not come to an end"):
        run_loop(QEventLoop(), "the report", seconds=0.2)
