"""Tests that the desktop restarts its service, and that the service ends with its desktop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from shared.system.paths import program_command, program_folder
from tests.service.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="kill -9")]


@dataclass
class RunningDesktop:
    """A desktop process on its own data folder, and the service that it started."""

    process: subprocess.Popen[bytes]
    data: Path

    def service(self, after: int = 0) -> tuple[str, int]:
        """Address and process ID of the running service, whose process ID is not `after`."""
        wait_until(lambda: self._address_and_process()[1] not in (0, after))
        return self._address_and_process()

    def _address_and_process(self) -> tuple[str, int]:
        assert self.process.poll() is None, "the desktop ended"
        try:
            line = json.loads((self.data / "service.json").read_text("utf-8"))
        except (OSError, ValueError):
            return "", 0
        return line["url"], line["pid"]

    def first_run_requests(self) -> int:
        """How often the login page asked the service whether there is a user."""
        return (self.data / "logs" / "service.log").read_text("utf-8").count("GET /api/auth/first-run 200")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningDesktop]:
    data = tmp_path / "data"
    process = subprocess.Popen(
        program_command("run", "--data-dir", str(data)),
        cwd=program_folder(),
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield RunningDesktop(process, data)
    finally:
        process.kill()
        process.wait(60)


def is_alive(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def test_desktop_restarts_its_service_after_kill_9(running: RunningDesktop) -> None:
    _, pid = running.service()
    wait_until(lambda: running.first_run_requests() >= 1)
    os.kill(pid, signal.SIGKILL)
    first_run_requests = running.first_run_requests()
    url, other = running.service(after=pid)
    assert other != pid
    # The window connects to the new service, at its new address.
    wait_until(lambda: running.first_run_requests() > first_run_requests)
    assert is_alive(url)
    assert running.process.poll() is None


def test_service_ends_when_its_desktop_is_killed(running: RunningDesktop) -> None:
    url, _ = running.service()
    assert is_alive(url)
    running.process.kill()
    running.process.wait(60)
    # Not by force: it removes its address.
    wait_until(lambda: not is_alive(url) and not (running.data / "service.json").exists())
