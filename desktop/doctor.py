"""The desktop's side of `walkaround doctor`: Qt can be loaded, and there are fonts for what is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from shared.checkup import Level, Line


def main() -> int:
    """Print one line per check. Gives 1 when one of them failed."""
    failed = False
    for line in fonts():
        print(line)
        failed = failed or line.level is Level.FAIL
    return 1 if failed else 0


def fonts() -> Iterator[Line]:
    """The libraries of the windows can be loaded, and a font has Chinese characters."""
    try:
        from PySide6.QtGui import QGuiApplication

        from desktop.fonts import PACKAGE, shows_chinese
    except ImportError as problem:
        yield Line(
            Level.FAIL,
            f"the libraries of the windows cannot be loaded ({problem})",
            "install the system packages that .ci/run lists; the service runs without them",
        )
        return
    # On Linux every platform has the fonts of the system, and this one is there without a display.
    platform = ["-platform", "offscreen"] if sys.platform.startswith("linux") else []
    application = QGuiApplication.instance() or QGuiApplication(["walkaround", *platform])
    if shows_chinese():
        yield Line(Level.OK, "a font has Chinese characters")
    else:
        yield Line(
            Level.WARN,
            "no font has Chinese characters, so no report with Chinese text can be written as PDF",
            f"install one, on Debian and Ubuntu the package {PACKAGE}",
        )
    del application
