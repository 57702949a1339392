"""Where the program's own files lie, from a checkout, from a wheel and in the frozen program."""

from __future__ import annotations

import sys
from pathlib import Path


def root() -> Path:
    """The folder that holds `resources/` and, unless frozen, the packages."""
    if getattr(sys, "frozen", False):
        return Path(sys._MEIPASS)  # type: ignore[attr-defined]
    return Path(__file__).resolve().parent.parent


def resource(*parts: str) -> Path:
    """The path of a file below `resources/`, for example ``resource("icons", "plus.svg")``."""
    return root().joinpath("resources", *parts)


def own_command(*words: str) -> list[str]:
    """The argument list that starts this same program with `words`, also when frozen."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *words]
    return [sys.executable, "-m", "shared", *words]
