"""Simulates Windows or macOS for modules, to test their behaviour there."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

import pytest

_POSIX_ONLY = {"nice", "getuid", "geteuid", "fchmod", "sysconf", "chown", "setsid", "fork"}


class _ModuleView:
    """A module with some attributes replaced and others missing."""

    def __init__(self, module: ModuleType, missing: set[str], **attributes: Any) -> None:
        self._module, self._missing = module, missing
        self.__dict__ |= attributes

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(name)
        return getattr(self._module, name)


def simulate_windows(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Let these modules see the names of Windows, without the functions that `os` lacks there."""
    _replace_system(monkeypatch, modules, "win32", "nt", _POSIX_ONLY)


def simulate_macos(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Let these modules see the names of macOS."""
    _replace_system(monkeypatch, modules, "darwin", "posix", set())


def _replace_system(
    monkeypatch: pytest.MonkeyPatch,
    modules: tuple[ModuleType, ...],
    platform: str,
    name: str,
    missing: set[str],
) -> None:
    replacements = {
        "os": _ModuleView(os, missing, name=name),
        "sys": _ModuleView(sys, set(), platform=platform),
    }
    for module in modules:
        used_names = [
            name_used
            for name_used in replacements
            if getattr(module, name_used, None) is {"os": os, "sys": sys}[name_used]
        ]
        assert used_names, f"{module.__name__} does not ask for the system"
        for name_used in used_names:
            monkeypatch.setattr(module, name_used, replacements[name_used])
