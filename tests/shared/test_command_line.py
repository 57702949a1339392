"""Tests the command line that desktop and service share."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from shared import __version__
from shared.command_line import COMMANDS, main, usage
from shared.system.paths import program_folder


@pytest.mark.parametrize("arguments", [["--version"], *([command, "--version"] for command in COMMANDS)])
def test_every_command_prints_the_version(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"walkaround {__version__}\n"


def test_version_loads_neither_side() -> None:
    check = (
        "import sys\nfrom shared.command_line import main\n"
        "try: main(['serve', '--version'])\nexcept SystemExit: pass\n"
        "print([name for name in ('desktop', 'service', 'PySide6', 'numpy') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", check], cwd=program_folder(), capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [f"walkaround {__version__}", "[]"]


def test_help_names_every_command_and_the_version() -> None:
    assert "walkaround --version" in usage()
    # The service starts its workers by itself.
    assert [command for command in COMMANDS if f"  {command} " not in usage()] == ["worker"]


def test_missing_library_is_named_and_the_other_side_still_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    def load(module: str) -> SimpleNamespace:
        if module.startswith("service"):
            raise ImportError("libssl.so.3: cannot open shared object file: No such file or directory")
        ran.append(module)
        return SimpleNamespace(main=lambda _arguments: 0)

    monkeypatch.setattr("importlib.import_module", load)
    with pytest.raises(SystemExit) as end:
        main(["doctor"])
    assert end.value.code == 1
    assert "the library libssl.so.3 is missing" in capsys.readouterr().err
    assert ran == ["desktop.command_line"]


def test_output_into_a_pipe_is_utf8_where_the_region_has_other_characters() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "shared", "检测"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    assert run.returncode == 2
    assert "'检测'" in run.stderr.decode("utf-8")
