"""Waits for what the service does beside the test."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float = 90) -> None:
    """Wait until `condition` holds. Raises AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"the condition does not hold after {seconds} s"
        # The processes of the service yield the processor to the tests beside them.
        time.sleep(0.05)
