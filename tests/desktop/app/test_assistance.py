"""The system check is reached from the main window, also while there is no service and no login."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop.app.application import build_pages
from desktop.app.window import MainWindow
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.doctor.dialog import DoctorDialog, list_checks
from shared.system.checkup import ok


@pytest.fixture
def window(qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    monkeypatch.setattr(
        "desktop.doctor.dialog.list_checks", lambda _context: [lambda: [("a", ok("no camera"))]]
    )
    window = MainWindow(context, build_pages(context, lambda _url: None))
    window.show()
    yield window
    window.close()
    window.deleteLater()


def test_login_page_offers_the_check_when_the_service_does_not_start(
    qtbot: QtBot, context: Context, window: MainWindow
) -> None:
    context.embedded = True
    context.show_service(ServiceState.FAILED)
    (button,) = [
        button for button in window.banner.findChildren(QPushButton) if button.text() == "System check…"
    ]
    assert button.isVisible()
    button.click()
    (dialog,) = window.findChildren(DoctorDialog)
    qtbot.waitUntil(dialog.again.isEnabled)
    dialog.close()
    context.show_service(ServiceState.READY)
    assert not window.banner.isVisible()


def test_check_is_a_command_without_login(qtbot: QtBot, context: Context, window: MainWindow) -> None:
    assert context.commands.run("doctor")
    (dialog,) = window.findChildren(DoctorDialog)
    qtbot.waitUntil(dialog.again.isEnabled)
    dialog.close()


def test_checks_fit_where_the_service_is(qtbot: QtBot, context: Context) -> None:
    remote = len(list_checks(context))
    context.embedded = True
    context.data_folder = None
    assert len(list_checks(context)) == remote - 1, "the own service has not said its address"
