"""Finds the packages of the project on the call stack."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from shared.system.paths import program_folder

PACKAGES = (
    "desktop.canvas",
    "desktop.record",
    "desktop.pages.workbench.results",
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
"""The packages in the diagrams of docs/architecture.md; the first one that matches counts. Packages that run
the functions of others (`desktop.background`, `service.changes`) are left out."""


def packages_on_stack(frame: FrameType | None = None, packages: Sequence[str] = PACKAGES) -> list[str]:
    """The packages on the stack of `frame`, by default the caller's frame, outermost first.

    Consecutive frames of a package count once. A package that is entered again later is listed again.
    """
    frame = sys._getframe(1) if frame is None else frame
    found: list[str] = []
    while frame is not None:
        package = _package_of(frame.f_code.co_filename, packages)
        if package and (not found or found[-1] != package):
            found.append(package)
        frame = frame.f_back
    return found[::-1]


def _package_of(path_text: str, packages: Sequence[str]) -> str:
    path = Path(path_text)
    if not path.is_relative_to(program_folder()):
        return ""
    module = ".".join(path.relative_to(program_folder()).with_suffix("").parts)
    return next((package for package in packages if module.startswith(f"{package}.")), "")
