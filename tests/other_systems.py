"""Simulates Windows and macOS for modules under test."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

import pytest

_POSIX_ONLY = {"nice", "getuid", "geteuid", "fchmod", "sysconf", "chown", "setsid", "fork"}


class _SimulatedModule:
    """A module with replaced and missing attributes."""

    def __init__(self, module: ModuleType, missing: set[str], **attributes: Any) -> None:
        self._module, self._missing = module, missing
        self.__dict__ |= attributes

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(name)
        return getattr(self._module, name)


def pretend_windows(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Let these modules see Windows: its names, and `os` without the functions that it lacks there."""
    _replace_modules(monkeypatch, modules, "win32", "nt", _POSIX_ONLY)


def pretend_macos(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Let these modules see the names of macOS."""
    _replace_modules(monkeypatch, modules, "darwin", "posix", set())


def _replace_modules(
    monkeypatch: pytest.MonkeyPatch,
    modules: tuple[ModuleType, ...],
    platform: str,
    name: str,
    missing: set[str],
) -> None:
    replacements = {
        "os": _SimulatedModule(os, missing, name=name),
        "sys": _SimulatedModule(sys, set(), platform=platform),
    }
    for module in modules:
        used = [name for name in replacements if getattr(module, name, None) is {"os": os, "sys": sys}[name]]
        assert used, f"{module.__name__} uses neither os nor sys"
        for name in used:
            monkeypatch.setattr(module, name, replacements[name])
