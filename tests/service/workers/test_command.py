"""Tests `walkaround worker`: each kind loads only what it needs and ends with its input."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from service.workers import command
from shared.system.paths import program_command, program_folder

# Modules of a running service. A child process does not need them, and they take long to load.
SERVICE_MODULES = {
    "fastapi",
    "sqlalchemy",
    "sqlmodel",
    "uvicorn",
    "pydantic_settings",
    "asyncio",
    "multiprocessing",
}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "service.detection.compute.worker"),
        (["--check"], "service.detection.compute.model_check"),
        (["--faces"], "service.face.face_worker"),
        (["--tiles"], "service.files.tile_process"),
    ],
)
def test_option_selects_the_kind(arguments: list[str], wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[str] = []

    class Module:
        def __init__(self, name: str) -> None:
            self.main = lambda: served.append(name)

    monkeypatch.setattr(importlib, "import_module", Module)
    assert command.main(["worker", *arguments]) == 0
    assert served == [wanted]


@pytest.mark.parametrize("arguments", [["--faces", "--tiles"], ["--other"]])
def test_wrong_options_are_refused(arguments: list[str]) -> None:
    ended = subprocess.run(
        program_command("worker", *arguments), cwd=program_folder(), capture_output=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stdout == b""


@pytest.mark.parametrize("module", [module for module, _ in command.KINDS.values()])
def test_child_process_does_not_load_modules_of_the_service(module: str) -> None:
    script = f"import sys, {module}; print(*sorted({SERVICE_MODULES!r} & sys.modules.keys()))"
    assert _output(script).split() == []


def test_service_starts_without_the_methods_that_only_its_children_use() -> None:
    methods = {
        "service.detection.reference_difference",
        "service.detection.appearance",
        "onnxruntime",
        "dlib",
        "cv2",
    }
    assert _imported_by_the_service(methods) == []


def test_service_starts_without_what_a_login_needs() -> None:
    assert _imported_by_the_service({"jwt"}) == []
    script = """
import service.running
from service.db.database import Base
tables = Base.__subclasses__()
print(len(tables) > 40, [table for table in tables if table.__pydantic_complete__])
"""
    assert _output(script) == "True []\n"


def _imported_by_the_service(names: set[str]) -> list[str]:
    return _output(f"import sys, service.running; print(*sorted({names!r} & sys.modules.keys()))").split()


def _output(script: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=program_folder(), capture_output=True, check=True, text=True
    )
    return ended.stdout


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--faces"], ["--tiles"]])
def test_child_process_ends_when_its_input_is_closed(arguments: list[str]) -> None:
    program = program_command("worker", *arguments)
    ended = subprocess.run(
        program, cwd=program_folder(), input=b"", capture_output=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
