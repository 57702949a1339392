"""Tests which modules the tests import."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, also from packages."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_only_end_to_end_tests_import_the_demo() -> None:
    # They drive the windows as the demo does. The samples of both are in shared.samples.
    files = [path for path in TESTS.rglob("*.py") if path.parent != TESTS / "e2e"]
    assert files
    importers = [
        path.name
        for path in files
        for name in imported_modules(path)
        if f"{name}.".startswith("desktop.demo.")
    ]
    assert importers == []


def add_helpers(files: Iterable[Path]) -> set[Path]:
    """Return `files` and the test modules that they import, directly or indirectly."""
    modules: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path not in modules:
            modules.add(path)
            for name in imported_modules(path):
                # The imported name is a module or an object in one.
                for module in (name, name.rpartition(".")[0]):
                    helper = TESTS.parent.joinpath(*module.split(".")).with_suffix(".py")
                    if helper.is_relative_to(TESTS) and helper.is_file():
                        waiting.append(helper)
    return modules


def test_no_test_of_the_service_imports_the_desktop() -> None:
    files = add_helpers((TESTS / "service").rglob("*.py"))
    assert TESTS / "service_process.py" in files
    desktop = ("desktop.", "tests.desktop.", "tests.e2e.", "PySide6.")
    imports = {
        (str(path.relative_to(TESTS)), name)
        for path in files
        for name in imported_modules(path)
        if f"{name}.".startswith(desktop)
    }
    assert imports == set()
