"""Tests that an exception in a callback ends a step of the demo."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QTimer
from pytestqt.exceptions import capture_exceptions

from desktop.demo.driver.window_driver import StepFailedError, WindowDriver, process_events, wait_until


def raise_missing_font() -> None:
    raise ValueError("no font")


@pytest.mark.usefixtures("qapp")
def test_exception_in_a_callback_ends_the_waiting() -> None:
    start = time.monotonic()
    QTimer.singleShot(0, raise_missing_font)
    driver = WindowDriver(lambda _name, _seconds: None)
    with (
        capture_exceptions(),
        pytest.raises(StepFailedError, match="an unexpected error occurred: no font"),
        driver.step("write the report"),
    ):
        wait_until(lambda: False, "the report is written", seconds=30)
    assert time.monotonic() - start < 20


@pytest.mark.usefixtures("qapp")
def test_exception_in_a_callback_fails_its_step() -> None:
    driver = WindowDriver(lambda _name, _seconds: None)
    QTimer.singleShot(0, raise_missing_font)
    with capture_exceptions(), pytest.raises(StepFailedError), driver.step("write the report"):
        process_events()
    with driver.step("close the window"):
        process_events()
