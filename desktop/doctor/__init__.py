"""Checks the desktop's side of an installation, shows both sides and repairs what can be repaired.

`main` is the desktop's part of `walkaround doctor`, `DoctorDialog` shows the same checks in a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from desktop.display import check_window_libraries, has_display
from shared.system.checkup import CheckResult, fail, run_checks, warn


def main(arguments: Sequence[str]) -> int:
    """Print one line per result. Returns 1 when one of them is a fault."""
    try:
        if has_display():
            check_window_libraries()
        import PySide6.QtWidgets  # noqa: F401 - whether the libraries of the windows load
    except ImportError as problem:
        return run_checks("desktop", arguments, [("windows", partial(no_window_libraries, problem))])
    from desktop.doctor.checks import local_checks

    return run_checks("desktop", arguments, local_checks())


def no_window_libraries(problem: ImportError) -> Iterator[CheckResult]:
    """Report that the GUI libraries cannot be loaded, which is a fault only when there is a display."""
    message = "the libraries of the windows cannot be loaded ({problem})"
    advice = "install its package; README.txt of the portable archive lists them all"
    yield (fail if has_display() else warn)(message, advice, problem=problem)
