"""Tests how a missing need is reported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shared.system.paths import program_folder
from tests import needs

pytestmark = pytest.mark.slow

_TEST = "tests/test_postgresql.py"


@pytest.mark.parametrize(("options", "outcome"), [((), "6 skipped"), (("--require-needs",), "6 errors")])
def test_missing_need_is_skipped_unless_it_is_required(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], outcome: str
) -> None:
    monkeypatch.setenv("WALKAROUND_TEST_POSTGRESQL", "")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", _TEST, *options]
    run = subprocess.run(
        command, cwd=program_folder(), capture_output=True, text=True, timeout=120, check=False
    )
    assert outcome in run.stdout, run.stdout + run.stderr
    assert needs.NEEDS["postgresql"][0] in run.stdout


def test_every_need_has_a_marker(request: pytest.FixtureRequest) -> None:
    markers = {line.partition(":")[0] for line in request.config.getini("markers")}
    assert set(needs.NEEDS) <= markers
