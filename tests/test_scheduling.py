"""Runs a small suite in which tests hang and crash."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared.system.paths import program_folder

pytestmark = pytest.mark.slow

_CONFTEST = """
import os
import time

import pytest
from tests.scheduling import RunCount, make_scheduler

@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return make_scheduler(config, log)

def pytest_collection():
    # The workers that replace others still collect when the next one ends.
    if os.environ.get("PYTEST_XDIST_WORKER") in ("gw2", "gw3"):
        time.sleep(6)

def pytest_configure(config):
    config.pluginmanager.register(RunCount())
"""
_SETTINGS = "[pytest]\nfaulthandler_timeout = 3\nfaulthandler_exit_on_timeout = true\n"
_BAD = """
import os, time

def test_before():
    pass

def test_bad():
    {action}

def test_after():
    pass
"""


def run_suite(folder: Path, *options: str, modules: int) -> subprocess.CompletedProcess[str]:
    """Run a module with a test that hangs, one with a test that crashes, and `modules` others."""
    (folder / "conftest.py").write_text(_CONFTEST)
    (folder / "pytest.ini").write_text(_SETTINGS)
    (folder / "test_a_hang.py").write_text(_BAD.format(action="time.sleep(600)"))
    (folder / "test_b_crash.py").write_text(_BAD.format(action="os.abort()"))
    for number in range(modules):
        (folder / f"test_good_{number}.py").write_text("def test_one(): pass\ndef test_two(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder), *options]
    environment = {"PYTHONPATH": str(program_folder()), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize("modules", [0, 12])
def test_a_hang_and_a_crash_cost_one_test_each(tmp_path: Path, modules: int) -> None:
    run = run_suite(tmp_path, "-n", "2", "--dist", "loadscope", "--no-loadscope-reorder", modules=modules)
    assert re.search(rf"2 failed, {4 + 2 * modules} passed", run.stdout), run.stdout + run.stderr
    assert "crashed while running 'test_a_hang.py::test_bad'" in run.stdout
    assert "crashed while running 'test_b_crash.py::test_bad'" in run.stdout
    assert "did not run" not in run.stdout
    assert 'test_a_hang.py", line 8 in test_bad' in run.stderr


def test_summary_says_how_many_tests_did_not_run(tmp_path: Path) -> None:
    run = run_suite(
        tmp_path,
        "-n",
        "1",
        "--dist",
        "loadscope",
        "--max-worker-restart",
        "0",
        "--no-loadscope-reorder",
        modules=3,
    )
    assert "10 tests did not run" in run.stdout, run.stdout + run.stderr
