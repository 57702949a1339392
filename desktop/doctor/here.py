"""Lists the checks of this computer in the order in which they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtGui import QGuiApplication

from desktop.client.http.address import server_key
from desktop.display import has_display
from desktop.doctor import computer
from desktop.doctor.network import ServiceLocation, network
from desktop.preferences import Preferences
from shared.system.checkup import CheckResult

Check = tuple[str, Callable[[], Iterator[CheckResult]]]


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
