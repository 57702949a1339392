"""Runs a command of the program in a process of its own, as a user does."""

from __future__ import annotations

import subprocess

from shared.system.paths import program_command, program_folder


def run_program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command `walkaround` with `arguments` to its end."""
    command = program_command(*arguments)
    return subprocess.run(
        command, cwd=program_folder(), capture_output=True, text=True, timeout=60, check=False
    )
