"""The tools of the catalogues as modules, and the catalogues as the tests read them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from shared.paths import resource


def tool(name: str) -> ModuleType:
    """The module of a tool in the folder of the catalogues."""
    path = resource("translations", f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"translations_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def compiled(folder: Path) -> Path:
    """Compile the catalogues as they are now into `folder`."""
    assert tool("compile").main(folder) == 0
    return folder
