"""Prints every package with its modules and the first paragraph of its docstring, as a table in Markdown.

python docs/packages.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def table() -> Iterator[str]:
    """The lines of the table. Raises ValueError for a package without a docstring."""
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


def _packages() -> Iterator[Path]:
    for side in ("desktop", "service", "shared"):
        yield from sorted(
            file.parent for file in (ROOT / side).rglob("__init__.py") if file.parent.name != "versions"
        )


if __name__ == "__main__":
    print("\n".join(table()))
