"""`walkaround worker`: each kind loads what it needs and ends with its input."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from service.workers import command
from shared.paths import program_command, program_folder

# Of a service that runs; a child process has no use for it, and it takes longer to load than the rest.
HEAVY = {"fastapi", "sqlalchemy", "sqlmodel", "uvicorn", "pydantic_settings", "asyncio", "multiprocessing"}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "service.detection.compute.worker"),
        (["--check"], "service.detection.compute.model_check"),
        (["--faces"], "service.face.face_worker"),
        (["--tiles"], "service.files.tile_process"),
    ],
)
def test_an_option_chooses_the_kind(
    arguments: list[str], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_child_process_loads_no_more_than_it_needs(module: str) -> None:
    script = f"import sys, {module}; print(*sorted({HEAVY!r} & sys.modules.keys()))"
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=program_folder(), capture_output=True, check=True
    )
    assert ended.stdout.decode().split() == []


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--faces"], ["--tiles"]])
def test_a_child_process_ends_when_its_input_is_closed(arguments: list[str]) -> None:
    program = program_command("worker", *arguments)
    ended = subprocess.run(
        program, cwd=program_folder(), input=b"", capture_output=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
