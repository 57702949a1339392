"""Defines the result of an installation check, for both sides of `walkaround doctor`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class CheckResult(NamedTuple):
    """One line of the report: what was found and, unless it is fine, what to do."""

    level: Level
    found: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.level:<5} {self.found}" + (f": {self.advice}" if self.advice else "")
