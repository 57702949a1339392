"""A desktop that is killed in the middle of an edit, the next one on its data, and a restore beside it."""

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

from shared.paths import program_command, program_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9")


class DrivenDesktop:
    """A desktop of `desktop_driver`, which says what happened."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def read_report(self, what: str) -> dict[str, Any]:
        """The next thing that it says, which is to be `what`."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the desktop ended"
        report: dict[str, Any] = json.loads(line)
        assert report.pop("what") == what
        return report


@contextmanager
def driven(*arguments: str) -> Iterator[DrivenDesktop]:
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
    with driven("edit", data) as desktop:
        ids = desktop.read_report("edited")
        desktop.process.kill()
    # The service of the killed one may still be on its way: the next desktop uses it or takes its place.
    with driven("recover", data, ids["record_id"], ids["item_id"]) as desktop:
        offered = desktop.read_report("offered")
        assert offered == {"held": True, "waiting": [{"item_name": "while away"}]}
        assert desktop.read_report("kept") == {"name": "while away"}
        restarted = desktop.read_report("restarted")
        assert restarted["name"] == "in between"
        assert restarted["states"][0].startswith("restarting: ")
        assert "you can continue working" in restarted["states"][0]
        assert restarted["states"][-1] == "ready: "
        assert desktop.process.wait(30) == 0


def test_nothing_is_restored_under_an_open_desktop(tmp_path: Path) -> None:
    data = tmp_path / "data"

    def walkaround(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            program_command(*arguments, "--data-dir", str(data)),
            cwd=program_folder(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    with driven("open", str(data)) as desktop:
        desktop.read_report("open")
        assert walkaround("backup", str(tmp_path / "backup.zip")).returncode == 0
        refused = walkaround("restore", str(tmp_path / "backup.zip"), "--force")
        assert refused.returncode == 1
        assert "close Walkaround" in refused.stderr
