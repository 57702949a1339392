"""Starts the program again after its own end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from shared.system.paths import program_command, program_command_folder


def start_program_again(server_url: str | None, data_folder: Path | None) -> None:
    """Start the desktop with the same options in a new process, which continues after this one ends."""
    arguments = ["run"]
    if server_url:
        arguments += ["--server", server_url]
    if data_folder is not None:
        arguments += ["--data-dir", str(data_folder.absolute())]
    subprocess.Popen(  # noqa: S603 - our own command
        program_command(*arguments),
        stdin=subprocess.DEVNULL,
        cwd=program_command_folder(),
        env={**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"},
        start_new_session=os.name == "posix",
    )
