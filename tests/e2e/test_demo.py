"""Tests `walkaround demo` as a user starts it: a whole inspection, and the files that it writes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared.system.paths import program_command, program_folder
from tests.e2e.demo_output import check_demo_output

pytestmark = pytest.mark.slow


def run_demo(out: Path, *, temporary: Path) -> subprocess.CompletedProcess[str]:
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONIOENCODING": "utf-8"}
    environment.pop("DISPLAY", None)
    return subprocess.run(
        program_command("demo", "--out", str(out)),
        cwd=program_folder(),
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )


def test_demo_plays_a_whole_inspection(tmp_path: Path) -> None:
    out = tmp_path / "绕机 检查" / "out"
    temporary = tmp_path / "tmp"
    run = run_demo(out, temporary=temporary)
    assert run.returncode == 0, run.stdout + run.stderr
    check_demo_output(out)
    lines = run.stdout.splitlines()
    assert sum(bool(re.match(r" *\d+\.\d s  ", line)) for line in lines) >= 15
    assert str(out / "workbench.png") in lines[-1]
    assert str(out / "report.pdf") in lines[-1]
    assert "Traceback" not in run.stderr
    # No temporary file remains, and the home directory of the user was not changed.
    assert [path.name for path in temporary.iterdir() if path.name.startswith("walkaround")] == []
    home = Path(os.environ["HOME"])
    assert [path for path in home.rglob("*") if path.is_file() and "alkaround" in str(path)] == []


def test_demo_that_cannot_write_reports_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = run_demo(tmp_path / "file" / "out", temporary=tmp_path / "tmp")
    assert run.returncode != 0
    assert "Traceback" not in run.stderr
    assert str(tmp_path / "file") in run.stdout + run.stderr


_UNANSWERED = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from desktop.demo import play_demo, run
from desktop.demo.driver.window_driver import wait_until
from desktop.widgets import confirm

def step(demo):
    with demo.driver.step("delete the record"):
        window = demo.desktop.window
        QTimer.singleShot(0, lambda: confirm(window, "Delete record?", "It has 3 items.", "Delete"))
        wait_until(lambda: False, "the record is deleted", seconds=600)

run.STEPS = [step]
sys.exit(play_demo(Path(sys.argv[1])))
"""


def test_question_in_a_callback_ends_the_demo(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _UNANSWERED, str(tmp_path / "out")],
        cwd=program_folder(),
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    last_line = run.stdout.splitlines()[-1]
    assert "FAILED" in last_line
    assert "delete the record: " in last_line
    assert "Delete record? / It has 3 items." in last_line
