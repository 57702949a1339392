"""Loads the tools of the translation catalogues and compiles the catalogues for tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from shared.system.paths import resource_path


def load_tool(name: str) -> ModuleType:
    """Import the tool `name` from the folder of the catalogues."""
    path = resource_path("translations", f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"translations_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def compile_catalogues(folder: Path) -> Path:
    """Compile the current catalogues into `folder` and return it."""
    assert load_tool("compile").main(folder) == 0
    return folder
