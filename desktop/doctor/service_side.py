"""Has the service's own checks made by `walkaround doctor` in a process of its own.

So they can be made while the service does not start, and the desktop imports nothing of it (ADR 0045).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from shared.system.checkup import CheckResult, fail, from_json
from shared.system.paths import program_command, program_command_folder

_TIMEOUT_SECONDS = 120.0


def service_checks(data_folder: Path) -> list[tuple[str, CheckResult]]:
    """Run the service's checks for the data in `data_folder`; return names of checks with their results."""
    command = program_command("doctor", "--data-dir", str(data_folder), "--side", "service", "--json")
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"},
            cwd=program_command_folder(),
            timeout=_TIMEOUT_SECONDS,
            encoding="utf-8",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return [("service", _no_answer_result())]
    results = [from_json(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return results or [("service", _no_answer_result())]


def _no_answer_result() -> CheckResult:
    return fail(
        "the service cannot be checked",
        "run “walkaround doctor” in a terminal and read its output",
    )
