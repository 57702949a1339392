"""Writes docs/packages.md: every package with its modules and the first paragraph of its docstring.

python docs/packages.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "packages.md"
INTRODUCTION = """\
# Packages

Written by `python docs/packages.py` from the packages' docstrings.

Each package has one subject and about ten modules at most. The layers are in `[tool.importlinter]` of
pyproject.toml, and `make check` proves them: a package imports only those below it, without import cycles.
A new module of `desktop.pages.workbench` needs a layer.
"""


def page() -> str:
    """The text of docs/packages.md. Raises ValueError for a package without a docstring."""
    return "\n".join([INTRODUCTION, *_table(), ""])


def _packages() -> Iterator[Path]:
    for side in ("desktop", "service", "shared"):
        yield from sorted(
            file.parent for file in (ROOT / side).rglob("__init__.py") if file.parent.name != "versions"
        )


def _table() -> Iterator[str]:
    yield "| package | modules | subject |"
    yield "|---|---|---|"
    for folder in _packages():
        name = ".".join(folder.relative_to(ROOT).parts)
        text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
        if text is None:
            raise ValueError(f"{name} has no docstring")
        subject = " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
        modules = sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("__"))
        yield f"| `{name}` | {', '.join(modules)} | {subject} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
