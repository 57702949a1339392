"""Lists the checks of this computer in the order in which they are made, and has the service make its own.

The service's run in a process of their own. So they can be made while the service does not start, and the
desktop imports nothing of it (ADR 0045).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from desktop.client.http.address import server_key
from desktop.display import has_display
from desktop.doctor import computer
from desktop.doctor.network import ServiceLocation, network
from desktop.preferences import Preferences
from shared.system.checkup import CheckResult, fail, from_json
from shared.system.paths import program_command, program_command_folder

Check = tuple[str, Callable[[], Iterator[CheckResult]]]
_SERVICE_SECONDS = 120.0


def computer_checks(facts: computer.DisplayFacts) -> list[Check]:
    """Return the checks that need no service."""
    return [
        ("display", partial(computer.display, facts)),
        ("input method", computer.input_methods),
        ("fonts", partial(computer.fonts, facts)),
        ("camera", computer.camera),
        ("photos", computer.photos),
        ("folders", computer.folders),
        ("journals", computer.journals),
        ("clock", computer.clock),
    ]


def local_checks() -> list[Check]:
    """Return the checks for the command line, with the connection to the last used server, if any."""
    application = QGuiApplication.instance()
    if application is None:
        # The offscreen platform needs no display and has the fonts of the system.
        application = QGuiApplication(["walkaround", *([] if has_display() else ["-platform", "offscreen"])])
    checks = computer_checks(computer.DisplayFacts.now())
    preferences = Preferences().values
    if preferences.server_url:
        trusted = preferences.certificates.get(server_key(preferences.server_url))
        checks.append(("network", partial(network, ServiceLocation(preferences.server_url, trusted))))
    return checks


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
            timeout=_SERVICE_SECONDS,
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
