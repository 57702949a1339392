"""Makes the report of a failure: kinds and places of errors, versions, last lines of the log; no values."""

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
from shared.paths import root
from shared.redaction import redacted

LOG_LINES = 30
_LOG_TAIL_BYTES = 64 * 1024
_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_DEEPEST = 5
"""How many causes of an error are followed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as its kind and where it happened, outermost frame first. Holds no object of the program."""

    lines: tuple[str, ...]

    @property
    def key(self) -> str:
        """The same for the same error at the same place."""
        return "\n".join(self.lines)


def failure_of(error: BaseException) -> Failure:
    """Kinds and frames of an error and of what caused it; no messages, which may hold what was typed."""
    lines: list[str] = []
    current: BaseException | None = error
    for _ in range(_DEEPEST):
        if current is None:
            break
        lines.append(("caused by " if lines else "") + type(current).__qualname__)
        lines += [
            f"  {_short_path(frame.filename)}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(current.__traceback__)
        ]
        suppressed = current.__suppress_context__
        current = current.__cause__ or (None if suppressed else current.__context__)
    return Failure(tuple(lines))


def _short_path(file: str) -> str:
    """A file as seen from the program; of a library, its last two parts."""
    path = Path(file)
    try:
        return path.relative_to(root()).as_posix()
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
    return redacted("\n".join(lines))


def log_tail(log_file: Path) -> list[str]:
    """The last entries of a log, each by its first line: what follows may be the message of an error."""
    try:
        with log_file.open("rb") as log:
            log.seek(max(0, log_file.stat().st_size - _LOG_TAIL_BYTES))
            text = log.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if _LOG_LINE.match(line)][-LOG_LINES:]
