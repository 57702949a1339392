"""What the tests may import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, also those that it takes from a package."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_no_test_imports_the_demo() -> None:
    # What the demo and the tests both show is in shared.samples.
    files = list(TESTS.rglob("*.py"))
    assert files
    found = [path.name for path in files for name in imported(path) if f"{name}.".startswith("desktop.demo.")]
    assert found == []


def test_no_test_of_faces_in_the_service_imports_the_desktop() -> None:
    files = list((TESTS / "service" / "face").rglob("*.py"))
    assert files
    found = [path.name for path in files for name in imported(path) if f"{name}.".startswith("desktop.")]
    assert found == []
