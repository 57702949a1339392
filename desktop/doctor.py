"""Checks the desktop's side for `walkaround doctor`: Qt loads, and fonts exist."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain

from shared.checkup import CheckResult, Level


def main() -> int:
    """Print one line per check. Gives 1 when one of them failed."""
    failed = False
    for line in chain(fonts(), photos()):
        print(line)
        failed = failed or line.level is Level.FAIL
    return 1 if failed else 0


def fonts() -> Iterator[CheckResult]:
    """The libraries of the windows can be loaded, and a font has Chinese characters."""
    try:
        from PySide6.QtGui import QGuiApplication

        from desktop.localization.fonts import PACKAGE, shows_chinese
    except ImportError as problem:
        yield CheckResult(
            Level.FAIL,
            f"the libraries of the windows cannot be loaded ({problem})",
            "install the system packages that .ci/run lists; the service runs without them",
        )
        return
    # On Linux every platform has the fonts of the system, and this one is there without a display.
    platform = ["-platform", "offscreen"] if sys.platform.startswith("linux") else []
    application = QGuiApplication.instance() or QGuiApplication(["walkaround", *platform])
    if shows_chinese():
        yield CheckResult(Level.OK, "a font has Chinese characters")
    else:
        yield CheckResult(
            Level.WARN,
            "no font has Chinese characters, so no report with Chinese text can be written as PDF",
            f"install one, on Debian and Ubuntu the package {PACKAGE}",
        )
    del application


def photos() -> Iterator[CheckResult]:
    """HEIC photos can be opened."""
    try:
        from desktop.imaging.conversion.heif import OPENS_IOS_18, missing_package, version
    except ImportError:
        # `fonts` says why.
        return
    package = missing_package()
    if package:
        yield CheckResult(
            Level.WARN,
            "no library opens HEIC photos",
            f"install one, on Debian and Ubuntu the package {package}",
        )
    elif version() < OPENS_IOS_18:
        yield CheckResult(
            Level.WARN,
            "libheif {}.{} opens no HEIC photos of phones with iOS 18 or later".format(*version()),
            "update it to 1.18 or later, on Debian 12 from bookworm-backports",
        )
    else:
        yield CheckResult(Level.OK, "HEIC photos can be opened")
