"""Records exceptions in callbacks of Qt, which would only be printed while the event loop continues."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


@contextmanager
def record_callback_errors() -> Iterator[list[BaseException]]:
    """In the block, add exceptions that nothing catches to the yielded list, and report them as before."""
    errors: list[BaseException] = []
    report = sys.excepthook

    def record(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        errors.append(error)
        report(kind, error, trace)

    sys.excepthook = record
    try:
        yield errors
    finally:
        sys.excepthook = report
