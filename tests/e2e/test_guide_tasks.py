"""The guide leads through the window by the names that it uses (`tests/e2e/guide_walk.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared.system.paths import program_folder
from tests.deadlines import CHILD_SECONDS


@pytest.mark.slow(90)
@pytest.mark.parametrize("language", ["en", pytest.param("zh_CN", marks=pytest.mark.cjk)])
@pytest.mark.parametrize("walk", ["first_record", "work_of_all_roles"])
def test_guide_leads_through_the_window(walk: str, language: str, tmp_path: Path) -> None:
    """In a process of its own, which ends with the desktop and all its threads."""
    test = f"tests/e2e/guide_walk.py::test_{walk}_from_the_guide[{language}]"
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'walk'}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, test],
        cwd=program_folder(),
        env=environment,
        capture_output=True,
        text=True,
        timeout=CHILD_SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
