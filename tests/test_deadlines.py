"""Tests that a child process that hangs ends the waiting, and that its output is shown."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared.system.paths import program_folder
from tests.deadlines import CHILD_SECONDS, limit_children

_HANG = "import sys, time; print('half of it'); sys.stdout.flush(); time.sleep(600)"


def test_child_without_a_timeout_is_ended_in_time() -> None:
    with limit_children(1), pytest.raises(subprocess.TimeoutExpired) as caught:
        subprocess.run([sys.executable, "-c", _HANG], capture_output=True, check=False)
    assert caught.value.stdout == b"half of it\n"


def test_waiting_for_a_child_ends_in_time() -> None:
    with limit_children(0.2), subprocess.Popen(["sleep", "600"]) as child:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait()
        child.kill()


def test_thread_watches_a_child_without_a_limit() -> None:
    with limit_children(0.2), ThreadPoolExecutor(1) as pool, subprocess.Popen(["sleep", "1"]) as child:
        assert pool.submit(child.wait).result() == 0


def test_deadline_of_a_child_is_below_the_deadline_of_its_test(request: pytest.FixtureRequest) -> None:
    assert float(request.config.getini("faulthandler_timeout")) > CHILD_SECONDS


def test_report_shows_the_output_of_the_child(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_runtest_makereport\n")
    test = f"import subprocess, sys\ndef test(): subprocess.run([sys.executable, '-c', {_HANG!r}],"
    (tmp_path / "test_hang.py").write_text(test + " capture_output=True, timeout=1)\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    environment = {"PYTHONPATH": str(program_folder()), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "stdout of the child process" in run.stdout, run.stdout + run.stderr
    assert "half of it\n" in run.stdout
