"""The tour of a page in the real window: real controls, no focus taken, once for each person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.application import build_pages
from desktop.app.window import MainWindow
from desktop.client import Session
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.records import RecordsPage
from desktop.preferences import Preferences
from desktop.tour import controller as tour_controller
from shared.record.codes import Role
from shared.wire.inspection import RecordCreate
from tests.desktop.conftest import make_payload
from tests.service_app import ADMIN
from tests.service_process import create_first_admin, service_process


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("tour") / "data") as url:
        create_first_admin(url)
        session = Session(url)
        session.account.login(*ADMIN)
        session.records.create(RecordCreate(task_id="EXT-1", inspection_name="Gearbox"))
        session.close()
        yield url


@pytest.fixture
def context(service: str, tmp_path: Path, qapp: QApplication) -> Iterator[Context]:
    session = Session(service)
    payload = session.account.login(*ADMIN)
    context = Context(session, Preferences(tmp_path / "preferences.json"))
    context.service_state = ServiceState.READY
    context.enter(payload)
    yield context
    context.closing.emit()
    session.close()


@pytest.fixture
def window(context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    monkeypatch.setattr(tour_controller, "_START_DELAY_MS", 0)
    window = MainWindow(context, build_pages(context, lambda _url: None))
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.stop_making_pages()
    if window.page is not None:
        window.page.leave()
    window.hide()


def is_running(window: MainWindow) -> bool:
    return window.tour.is_running


def running_on(window: MainWindow, qtbot: QtBot) -> RecordsPage:
    page = window.page
    assert isinstance(page, RecordsPage)
    qtbot.waitUntil(lambda: window.tour.is_running)
    return page


def test_each_stop_points_at_a_visible_control(window: MainWindow, qtbot: QtBot) -> None:
    running_on(window, qtbot)
    tour = window.tour
    assert 4 <= len(tour.stops) <= 6
    for number, stop in enumerate(list(tour.stops), 1):
        where = QRect(stop.target.mapTo(window, stop.target.rect().topLeft()), stop.target.size())
        assert tour.frame.isVisible()
        assert tour.frame.geometry().intersects(where)
        assert window.rect().contains(tour.bubble.geometry())
        assert tour.bubble.title.text() == stop.title
        assert tour.bubble.count.text() == f"{number} of {len(tour.stops)}"
        tour.bubble.next_button.click()
    assert not tour.is_running
    assert not tour.frame.isVisible()


def test_tour_takes_no_focus_and_blocks_no_control(window: MainWindow, qtbot: QtBot) -> None:
    page = running_on(window, qtbot)
    assert not window.tour.bubble.isAncestorOf(window.focusWidget() or window)
    page.filters.search.setFocus()
    qtbot.keyClicks(page.filters.search, "gear")
    assert page.filters.search.text() == "gear"
    assert window.tour.is_running
    assert QApplication.activeModalWidget() is None


def test_escape_ends_it_wherever_the_focus_is(window: MainWindow, qtbot: QtBot) -> None:
    page = running_on(window, qtbot)
    page.filters.search.setFocus()
    qtbot.keyClick(page.filters.search, Qt.Key.Key_Escape)
    assert not is_running(window)
    window.tour.start()
    assert window.tour.bubble.next_button.hasFocus()
    qtbot.keyClick(window.tour.bubble.next_button, Qt.Key.Key_Escape)
    assert not is_running(window)
    assert not window.tour.bubble.isAncestorOf(window.focusWidget() or window)


def test_tour_starts_once_and_on_request(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    page = running_on(window, qtbot)
    window.tour.bubble.skip_button.click()
    assert window.go("catalogue")
    assert window.go("records")
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.stack.content)
    assert not window.tour._start_timer.isActive()
    assert not is_running(window)
    tours = Preferences(context.preferences.path).values.tours
    assert [key.partition(":")[2] for key in tours] == ["records"]
    assert context.commands.run("tour")
    assert is_running(window)
    assert window.tour.bubble.back_button.isHidden()


def test_it_ends_with_its_page(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    running_on(window, qtbot)
    assert window.go("catalogue")
    assert not window.tour.is_running
    assert not context.commands.is_possible("tour")


@pytest.mark.parametrize("is_key", [True, False])
def test_it_does_not_start_on_a_page_in_use(
    window: MainWindow, context: Context, qtbot: QtBot, is_key: bool
) -> None:
    page = running_on(window, qtbot)
    window.tour.end()
    context.preferences.change(tours=[])
    timer = window.tour._start_timer
    timer.setInterval(60_000)
    assert window.go("catalogue")
    assert window.go("records")
    qtbot.waitUntil(timer.isActive)
    qtbot.mouseClick(window.rail, Qt.MouseButton.LeftButton)
    assert timer.isActive()
    if is_key:
        qtbot.keyClick(page.table, Qt.Key.Key_Down)
    else:
        qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton)
    assert not timer.isActive()
    assert window.go("catalogue")
    assert window.go("records")
    qtbot.waitUntil(timer.isActive)
    assert context.commands.run("tour")
    assert is_running(window)


def test_stops_promise_only_what_the_user_may_do(
    window: MainWindow, context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    running_on(window, qtbot)
    assert "Its form can" in window.tour.stops[0].text
    monkeypatch.setattr(context, "payload", make_payload(Role.INSPECTOR))
    window.tour.start()
    assert window.tour.stops[0].title == "Create a record"
    assert "Its form can" not in window.tour.stops[0].text


def test_enter_and_arrows_walk_through_the_stops(window: MainWindow, qtbot: QtBot) -> None:
    page = running_on(window, qtbot)
    tour = window.tour
    page.table.setFocus()
    total = len(tour.stops)
    for key, number in (
        (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_Return, 3),
        (Qt.Key.Key_Left, 2),
        (Qt.Key.Key_Left, 1),
    ):
        qtbot.keyClick(window.focusWidget(), key)
        assert tour.bubble.count.text() == f"{number} of {total}"
    # While typing they belong to the text.
    page.filters.search.setFocus()
    qtbot.keyClicks(page.filters.search, "ab")
    qtbot.keyClick(page.filters.search, Qt.Key.Key_Left)
    qtbot.keyClick(page.filters.search, Qt.Key.Key_Return)
    assert page.filters.search.cursorPosition() == 1
    assert tour.bubble.count.text() == f"1 of {total}"
    page.table.setFocus()
    for _ in range(total):
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert not is_running(window)
