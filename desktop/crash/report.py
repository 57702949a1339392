"""Makes the report of a failure: kinds and places of errors, versions, last lines of the log. No values."""

from __future__ import annotations

import platform
import re
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from shared import __version__
from shared.system.paths import program_folder
from shared.system.redaction import redact

LOG_LINES = 30
_LOG_TAIL_BYTES = 64 * 1024
_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_MAX_CAUSES = 5
"""How many causes of an error are described."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The description of an error: its kind and its frames, outermost first. Refers to no object."""

    lines: tuple[str, ...]

    @property
    def key(self) -> str:
        """Equal for the same error at the same place."""
        return "\n".join(self.lines)


def describe_failure(error: BaseException) -> Failure:
    """Describe an error and its causes by their kinds and frames.

    Messages are left out, because they may contain typed text.
    """
    lines: list[str] = []
    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if cause is None:
            break
        lines.append(("caused by " if lines else "") + type(cause).__qualname__)
        lines += [
            f"  {_short_path(frame.filename)}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(cause.__traceback__)
        ]
        is_context_suppressed = cause.__suppress_context__
        cause = cause.__cause__ or (None if is_context_suppressed else cause.__context__)
    return Failure(tuple(lines))


def _short_path(file: str) -> str:
    """The path of a file relative to the program; for a library, its last two parts."""
    path = Path(file)
    try:
        return path.relative_to(program_folder()).as_posix()
    except ValueError:
        return "/".join(path.parts[-2:])


def report_text(failure: Failure, log_file: Path, count: int = 1) -> str:
    """The report to copy: versions, system, the failure, and the last lines of the log without secrets."""
    lines = [
        f"Walkaround {__version__}",
        f"Python {sys.version.split()[0]}, Qt {qVersion()}, {QGuiApplication.platformName()}",
        platform.platform(terse=True),
        "",
        *failure.lines,
    ]
    if count > 1:
        lines.append(f"{count} times")
    tail = log_tail(log_file)
    if tail:
        lines += ["", "Log:", *tail]
    return redact("\n".join(lines))


def log_tail(log_file: Path) -> list[str]:
    """The first lines of the last log entries. Further lines are left out: they may be an error's message."""
    try:
        with log_file.open("rb") as log:
            log.seek(max(0, log_file.stat().st_size - _LOG_TAIL_BYTES))
            text = log.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if _LOG_LINE.match(line)][-LOG_LINES:]
