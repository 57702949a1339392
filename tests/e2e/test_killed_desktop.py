"""Tests a killed desktop, the next desktop on its data, and a restore while a desktop is open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from shared.system.paths import program_folder
from tests.service.program import run_program

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="kill -9")]


class DrivenDesktop:
    """A desktop of `desktop_driver`, which prints events."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def read_report(self, event: str) -> dict[str, Any]:
        """Read the next event, which must be `event`, and return its other fields."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the desktop ended"
        report: dict[str, Any] = json.loads(line)
        assert report.pop("event") == event
        return report


@contextmanager
def drive_desktop(*arguments: str) -> Iterator[DrivenDesktop]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.desktop_driver", *arguments],
        cwd=program_folder(),
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "WALKAROUND_BCRYPT_COST": "4"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield DrivenDesktop(process)
        finally:
            process.kill()


def test_edit_survives_the_end_of_desktop_and_service(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with drive_desktop("edit", data) as desktop:
        ids = desktop.read_report("edited")
        desktop.process.kill()
    # The service of the killed desktop may still be starting: the next desktop uses or replaces it.
    with drive_desktop("recover", data, ids["record_id"], ids["item_id"]) as desktop:
        offered = desktop.read_report("offered")
        assert offered == {"held": True, "waiting": [{"item_name": "while away"}]}
        assert desktop.read_report("kept") == {"name": "while away"}
        restarted = desktop.read_report("restarted")
        assert restarted["name"] == "in between"
        assert restarted["states"][0].startswith("restarting: ")
        assert "you can continue working" in restarted["states"][0]
        assert restarted["states"][-1] == "ready: "
        assert desktop.process.wait(30) == 0


def test_restore_is_refused_while_a_desktop_is_open(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", str(tmp_path / "backup.zip")
    with drive_desktop("open", str(data)) as desktop:
        desktop.read_report("open")
        assert run_program("backup", backup, "--data-dir", str(data)).returncode == 0
        refused = run_program("restore", backup, "--force", "--data-dir", str(data))
        assert refused.returncode == 1
        assert "close Walkaround" in refused.stderr
