"""The walk of a call: the packages of the project that it goes through, outermost first."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from shared.paths import program_folder

PACKAGES = (
    "desktop.canvas",
    "desktop.pages.workbench.open_record",
    "desktop.pages.workbench.results",
    "desktop.pages.workbench.sync",
    "desktop.pages.workbench",
    "desktop.pages",
    "desktop.journal",
    "desktop.client",
    "service.web",
    "service.inspection",
    "service.detection.dispatch",
    "service.detection.compute",
    "service.detection",
    "service.db",
)
"""The packages that docs/architecture.md draws; the first that fits counts. Whatever runs the work of others
without knowing it (`desktop.background`, `service.changes`, libraries) is not one."""


def walked(frame: FrameType | None = None, packages: Sequence[str] = PACKAGES) -> list[str]:
    """The packages on the stack of `frame` (the caller's unless given), outermost first.

    A package counts once for all its frames in a row; one that is entered again later is listed again.
    """
    frame = sys._getframe(1) if frame is None else frame
    packages_met: list[str] = []
    while frame is not None:
        package = _package(frame.f_code.co_filename, packages)
        if package and (not packages_met or packages_met[-1] != package):
            packages_met.append(package)
        frame = frame.f_back
    return packages_met[::-1]


def _package(filename: str, packages: Sequence[str]) -> str:
    path = Path(filename)
    if not path.is_relative_to(program_folder()):
        return ""
    module = ".".join(path.relative_to(program_folder()).with_suffix("").parts)
    return next((package for package in packages if module.startswith(f"{package}.")), "")
