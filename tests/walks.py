"""Records the packages of the project that a call passes through."""

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
"""The packages of the diagram in docs/architecture.md; the first match counts. Modules that only run
functions of others (`desktop.background`, `service.changes`, libraries) do not count."""


def trace_packages(frame: FrameType | None = None, packages: Sequence[str] = PACKAGES) -> list[str]:
    """Return the packages on the stack of `frame` (default: the caller's), outermost first.

    Consecutive frames of a package count once. A package that is entered again later is listed again.
    """
    frame = sys._getframe(1) if frame is None else frame
    entered_packages: list[str] = []
    while frame is not None:
        package = _package(frame.f_code.co_filename, packages)
        if package and (not entered_packages or entered_packages[-1] != package):
            entered_packages.append(package)
        frame = frame.f_back
    return entered_packages[::-1]


def _package(filename: str, packages: Sequence[str]) -> str:
    path = Path(filename)
    if not path.is_relative_to(program_folder()):
        return ""
    module = ".".join(path.relative_to(program_folder()).with_suffix("").parts)
    return next((package for package in packages if module.startswith(f"{package}.")), "")
