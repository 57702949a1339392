from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.fork_server import ForkedProcess, forked_seconds
from tests.service_process import running_service

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="services are forked on Linux only")


def run(folder: Path, *arguments: str, **variables: str) -> tuple[int, str, str]:
    """Run the command with these arguments: its exit status and both outputs."""
    with (folder / "stderr").open("wb") as stderr:
        process = ForkedProcess(arguments, {**os.environ, **variables}, stderr)
    with process.stdin, process.stdout:
        printed = process.stdout.read().decode()
    return process.wait(60), printed, (folder / "stderr").read_text("utf-8")


def test_forked_process_has_its_streams_environment_and_status(tmp_path: Path) -> None:
    status, printed, errors = run(tmp_path, "serve", "--help", COLUMNS="60")
    assert (status, errors) == (0, "")
    assert "usage: walkaround serve" in printed
    assert max(map(len, printed.splitlines())) <= 60
    status, printed, errors = run(tmp_path, "serve", WALKAROUND_BCRYPT_COST="no number")
    assert (status, printed) == (2, "")
    assert "bcrypt_cost" in errors.lower()


def test_killed_service_has_the_signal_as_its_status(tmp_path: Path) -> None:
    seconds_before = forked_seconds()
    with running_service(tmp_path) as running:
        assert running.process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            running.process.wait(0.01)
        running.process.kill()
        assert running.process.wait(60) == -signal.SIGKILL
        running.process.kill()
    assert forked_seconds() > seconds_before


def test_two_services_share_nothing(tmp_path: Path) -> None:
    with running_service(tmp_path / "one") as one, running_service(tmp_path / "two") as two:
        assert one.url != two.url
        assert one.process.stdin is not None
        one.process.stdin.close()
        assert one.process.wait(60) == 0
        assert httpx.get(f"{two.url}/healthz").json() == {"status": "ok"}
