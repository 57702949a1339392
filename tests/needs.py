"""Skips tests that need a program or font that is missing here, or fails them with `--require-needs`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial

import pytest

from tests.postgresql import find_binaries

_ASK_FONTS = (
    "import sys; from desktop.app.running import make_application; "
    "from desktop.localization.fonts import shows_chinese; "
    "application = make_application(); sys.exit(0 if shows_chinese() else 1)"
)


def _has_chinese_font() -> bool:
    # In a process of its own: the tests of the desktop add a font to this one.
    return subprocess.run([sys.executable, "-c", _ASK_FONTS], timeout=60, check=False).returncode == 0


def _has_program(name: str) -> bool:
    return shutil.which(name) is not None


NEEDS: dict[str, tuple[str, Callable[[], bool]]] = {
    "postgresql": ("no PostgreSQL server binary on this machine", lambda: find_binaries() is not None),
    "browser": ("Chromium is not installed", partial(_has_program, "chromium")),
    "cjk": ("no font with Chinese characters is installed", _has_chinese_font),
    "wrk": ("wrk is not installed", partial(_has_program, "wrk")),
    "npm": ("npm is not installed", partial(_has_program, "npm")),
    "xvfb": ("xvfb-run is not installed", partial(_has_program, "xvfb-run")),
}
"""For each marker of a need: why a test is skipped without it, and whether this machine has it."""


@cache
def is_available(marker: str) -> bool:
    """Return True if this machine has what tests with `marker` need."""
    return NEEDS[marker][1]()


def check_needs(item: pytest.Item) -> None:
    """Skip a test if this machine lacks what one of its markers needs; fail it with `--require-needs`."""
    for marker, (reason, _) in NEEDS.items():
        if item.get_closest_marker(marker) is not None and not is_available(marker):
            if item.config.getoption("--require-needs"):
                pytest.fail(f"{reason}, and --require-needs is set", pytrace=False)
            pytest.skip(reason)
