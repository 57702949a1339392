"""Every page of an empty service says the next step: a button that does it, or who can."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.app.application import build_pages
from desktop.app.window import MainWindow
from desktop.client import Session
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.first_steps.coordinator import FirstStepsPanel
from desktop.preferences import Preferences
from desktop.widgets import Button, EmptyState, LoadingState
from desktop.widgets.states import ErrorState
from shared.record.codes import Role
from tests.narrowing import not_none
from tests.service_app import ADMIN
from tests.service_process import create_first_admin, service_process

pytestmark = pytest.mark.slow

READER = ("viewer", "Walk-around-at-dawn-7")
WHO = ("Planners and administrators", "Inspectors create them", "A user with edit permission")
EMPTY = [
    ("records", ""),
    ("workbench", ""),
    ("record", ""),
    *(("catalogue", section) for section in ("aircraft", "flights", "tasks", "references")),
    ("statistics", ""),
    ("people", "webhooks"),
]
FILLED = [("catalogue", "models"), ("people", "users"), ("people", "audit"), ("people", "faces"), ("me", "")]
"""Pages that are never empty: they have the built-in model, the first administrator, their settings."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("empty") / "data") as url:
        create_first_admin(url)
        session = Session(url)
        session.account.login(*ADMIN)
        session.users.create(*READER, [Role.VIEWER])
        session.close()
        yield url


@pytest.fixture
def window(
    service: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot, request: pytest.FixtureRequest
) -> Iterator[MainWindow]:
    session = Session(service)
    payload = session.account.login(*request.param)
    preferences = Preferences(tmp_path / "preferences.json")
    preferences.change(tours_start=False)
    context = Context(session, preferences)
    context.service_state = ServiceState.READY
    context.enter(payload)
    window = MainWindow(context, build_pages(context, lambda _url: None))
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    yield window
    window.stop_making_pages()
    not_none(window.page).leave()
    context.closing.emit()
    window.hide()
    session.close()


def states(page: QWidget) -> list[QWidget]:
    kinds = (EmptyState, FirstStepsPanel)
    return [state for kind in kinds for state in page.findChildren(kind) if state.isVisible()]


def is_loaded(page: QWidget) -> bool:
    """Nothing is being fetched any more."""
    return not any(state.isVisible() for state in page.findChildren(LoadingState))


def open_page(window: MainWindow, qtbot: QtBot, page_id: str, section: str) -> QWidget:
    assert window.go(page_id, {"section": section} if section else {})
    page = not_none(window.page)
    qtbot.waitUntil(lambda: is_loaded(page))
    assert not [state for state in page.findChildren(ErrorState) if state.isVisible()]
    return page


@pytest.mark.parametrize("window", [ADMIN], indirect=True)
def test_an_administrator_has_a_button_on_every_empty_page(window: MainWindow, qtbot: QtBot) -> None:
    for page_id, section in EMPTY:
        page = open_page(window, qtbot, page_id, section)
        qtbot.waitUntil(lambda page=page: bool(states(page)))  # type: ignore[misc]
        for state in states(page):
            name = state.accessibleName()
            assert name, f"{page_id} {section} shows an empty state without words"
            buttons = [
                button for button in state.findChildren(Button) if button.isVisible() and button.isEnabled()
            ]
            assert buttons, f"{page_id} {section} offers nothing to do: {name}"
            assert all(button.text() for button in buttons)
    for page_id, section in FILLED:
        page = open_page(window, qtbot, page_id, section)
        assert not states(page), f"{page_id} {section} can be empty: say the next step, and list it above"


@pytest.mark.parametrize("window", [READER], indirect=True)
def test_viewer_sees_who_can_create_records(window: MainWindow, qtbot: QtBot) -> None:
    for page_id, section in EMPTY:
        if page_id == "people":
            continue
        page = open_page(window, qtbot, page_id, section)
        qtbot.waitUntil(lambda page=page: bool(states(page)))  # type: ignore[misc]
        for state in states(page):
            name = state.accessibleName()
            acts = any(button.isVisible() for button in state.findChildren(Button))
            assert acts or any(who in name for who in WHO), f"{page_id} {section}: {name}"
