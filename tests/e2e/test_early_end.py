"""Tests that a desktop that receives a signal while it starts ends cleanly, with its service."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from shared.system.paths import SERVICE_ADDRESS_FILE, program_command, program_folder

pytestmark = pytest.mark.slow


@pytest.mark.slow(40)
def test_a_signal_before_the_window_ends_desktop_and_service(tmp_path: Path) -> None:
    data = tmp_path / "data"
    options = {"QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)}
    command = program_command("run", "--data-dir", str(data))
    with subprocess.Popen(command, cwd=program_folder(), env={**os.environ, **options}) as process:
        try:
            deadline = time.monotonic() + 30
            # The lock exists before the service answers, and before there is a window.
            while not data.exists() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert not (data / SERVICE_ADDRESS_FILE).exists()
