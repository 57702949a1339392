"""Lets modules believe that they run on Windows or macOS, to try what they do there."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

import pytest

_POSIX_ONLY = {"nice", "getuid", "geteuid", "fchmod", "sysconf", "chown", "setsid", "fork"}


class _Other:
    """A module with some attributes replaced, and others missing."""

    def __init__(self, module: ModuleType, missing: set[str], **attributes: Any) -> None:
        self._module, self._missing = module, missing
        self.__dict__ |= attributes

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(name)
        return getattr(self._module, name)


def on_windows(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Show these modules the names of Windows, and none of the functions that `os` lacks there."""
    _show(monkeypatch, modules, "win32", "nt", _POSIX_ONLY)


def on_macos(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Show these modules the names of macOS."""
    _show(monkeypatch, modules, "darwin", "posix", set())


def _show(
    monkeypatch: pytest.MonkeyPatch,
    modules: tuple[ModuleType, ...],
    platform: str,
    name: str,
    missing: set[str],
) -> None:
    shown = {"os": _Other(os, missing, name=name), "sys": _Other(sys, set(), platform=platform)}
    for module in modules:
        used = [each for each in shown if getattr(module, each, None) is {"os": os, "sys": sys}[each]]
        assert used, f"{module.__name__} asks for no system"
        for each in used:
            monkeypatch.setattr(module, each, shown[each])
