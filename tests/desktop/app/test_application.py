"""The running desktop: its parts are made once, switched while it runs, and ended in order."""

from __future__ import annotations

import ast
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.application import Desktop, build_pages
from desktop.app.running import make_application
from desktop.app.window import MainWindow
from desktop.connection import remote_service
from desktop.connection.local_service import ServiceState
from desktop.connection.remote_service import RemoteWatch, is_answering
from desktop.context import Context
from desktop.logs import Logs
from desktop.pages.login import LoginPage
from desktop.pages.me import MePage
from desktop.preferences import Preferences
from desktop.theme import Mode, theme_manager
from desktop.widgets import PageFactory
from shared.record.codes import Role
from shared.system.paths import program_folder
from tests.desktop.conftest import make_payload

pytestmark = pytest.mark.slow


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        is_health = self.path == "/healthz"
        body = json.dumps({"status": "ok"} if is_health else {"code": 1, "data": None, "msg": "no"}).encode()
        self.send_response(200 if is_health else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_arguments: object) -> None:
        pass


class Service:
    """A service that only says that it is alive, and can be stopped and started at one address."""

    def __init__(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Health)
        self.address = self.server.server_address
        self.url = f"http://127.0.0.1:{self.address[1]}"
        self._thread: threading.Thread | None = None
        self.start()

    def start(self) -> None:
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self.server.shutdown()
            self._thread.join()
            self._thread = None
        self.server.server_close()

    def again(self) -> None:
        self.server = ThreadingHTTPServer(self.address, _Health)
        self.start()


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.stop()


@pytest.fixture
def desktop(
    qtbot: QtBot, qapp: QApplication, service: Service, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desktop]:
    def login_page(context: Context, _use: object, on_ready: Callable[[], object] = list) -> PageFactory:
        def make() -> LoginPage:
            page = LoginPage(context, list)
            page.ready.connect(on_ready)
            return page

        return PageFactory(LoginPage, make)

    monkeypatch.setattr("desktop.app.application.login_page", login_page)
    monkeypatch.setattr(
        "desktop.app.later_pages.later_pages",
        lambda context: [PageFactory(MePage, lambda: MePage(context))],
    )
    desktop = Desktop(server_url=service.url)
    yield desktop
    desktop.close()
    theme_manager().set_mode(Mode.SYSTEM)


PAGES = ["login", "records", "workbench", "record", "catalogue", "statistics", "people", "me"]


def test_the_window_has_every_page(context: Context) -> None:
    pages = build_pages(context, lambda _url: None)
    assert [page.page_class.page_id for page in pages] == PAGES
    packages = {path.parent.name for path in (program_folder() / "desktop" / "pages").glob("*/page.py")}
    assert {page.page_class.__module__.split(".")[2] for page in pages} == packages


def test_every_link_leads_to_an_existing_page() -> None:
    ways = [
        (f"{path.relative_to(program_folder())}:{node.lineno}", node.args[0].value)
        for path in sorted((program_folder() / "desktop").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("navigate.emit")
        and isinstance(node.args[0], ast.Constant)
    ]
    assert len(ways) > 5
    assert [way for way in ways if way[1] not in PAGES] == []


def test_there_is_one_application(qapp: QApplication) -> None:
    assert make_application() is qapp


def test_a_service_elsewhere_is_watched(qtbot: QtBot, desktop: Desktop) -> None:
    assert desktop.context.service_state is ServiceState.STARTING
    assert not desktop.context.embedded
    desktop.start()
    qtbot.waitUntil(lambda: desktop.context.service_state is ServiceState.READY)
    assert desktop.window.isVisible()
    assert desktop.preferences.values.server_url == ""


def test_lost_and_restored_service_is_shown(
    qtbot: QtBot, qapp: QApplication, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_service, "READY_INTERVAL_MS", 10)
    monkeypatch.setattr(remote_service, "LOST_INTERVAL_MS", 10)
    states: list[ServiceState] = []
    watch = RemoteWatch(service.url, states.append, qapp)
    watch.check()
    qtbot.waitUntil(lambda: ServiceState.READY in states)
    service.stop()
    qtbot.waitUntil(lambda: ServiceState.FAILED in states)
    assert states[states.index(ServiceState.FAILED) - 1] is ServiceState.RESTARTING
    service.again()
    qtbot.waitUntil(lambda: states[-1] is ServiceState.READY)
    watch.deleteLater()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9", "http://", "nonsense", "http://[::1", "http://a:99999"]
)
def test_no_address_breaks_the_question(url: str) -> None:
    assert not is_answering(url)


def test_another_language_is_another_window_at_the_same_place(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()
    desktop.set_language("en")
    desktop.context.enter(make_payload(Role.ADMIN))
    desktop.window.go("me")
    before = desktop.window
    assert desktop.context.commands.run("language.zh_CN")
    # Making it, filling it and showing it have a turn of the event loop each.
    assert desktop.window is before
    qtbot.waitUntil(lambda: desktop.window is not before)
    assert desktop.window.page is not None
    assert desktop.window.page.page_id == "me"
    assert desktop.context.commands.title("edit.undo") == "撤销"
    # A worker writes the file, because the disk is waited for.
    qtbot.waitUntil(lambda: Preferences(desktop.preferences.path).values.language == "zh_CN", timeout=60_000)
    qtbot.waitUntil(lambda: len(_windows()) == 1)
    # What outlives a window must not call into the one that is gone.
    desktop.context.show_service(ServiceState.RESTARTING)
    theme_manager().set_mode(Mode.DARK)
    theme_manager().set_mode(Mode.LIGHT)
    desktop.context.leave()
    desktop.set_language("en")


def test_the_language_chosen_last_counts(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()
    desktop.context.enter(make_payload(Role.ADMIN))
    before = desktop.window
    desktop.set_language("zh_CN")
    desktop.set_language("en")
    qtbot.waitUntil(lambda: desktop.window is not before)
    qtbot.waitUntil(lambda: len(_windows()) == 1)
    assert desktop.language.code == "en"
    assert desktop.window.isVisible()
    desktop.set_language("zh_CN")
    desktop.context.leave()
    desktop.context.enter(make_payload(Role.VIEWER, user_id="u2"))
    shown = desktop.window
    qtbot.waitUntil(lambda: _windows() == [shown])
    desktop.set_language("en")
    desktop.close()


def _windows() -> list[MainWindow]:
    return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]


def test_other_pages_follow_the_login_page(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()
    first = desktop.window
    assert first.find_or_make_page("me") is None
    desktop.set_language("en")
    # While the window in the new language is made, two windows lack the pages.
    assert isinstance(first.page, LoginPage)
    first.page.ready.emit()
    qtbot.waitUntil(lambda: desktop.window is not first)
    qtbot.waitUntil(lambda: desktop.window.find_or_make_page("me") is not None)
    page = desktop.window.page
    assert isinstance(page, LoginPage)
    # Every further answer of the service says that the page is ready.
    page.ready.emit()
    desktop.context.enter(make_payload(Role.ADMIN))
    assert desktop.context.commands.is_possible("go.me")
    desktop.set_language("zh_CN")
    qtbot.waitUntil(lambda: len(_windows()) == 1)


def test_a_window_imports_no_page_before_it_is_needed() -> None:
    """Then on a thread of its own, which must leave no Qt object behind that belongs to it."""
    code = """
import gc, importlib, sys, threading
from PySide6.QtCore import QObject
import desktop.app.running
print(sorted(name for name in ("canvas", "exchange", "pages.records") if f"desktop.{name}" in sys.modules))
importing = threading.Thread(target=importlib.import_module, args=["desktop.app.later_pages"])
importing.start()
importing.join()
print("desktop.pages.workbench" in sys.modules, [o for o in gc.get_objects() if isinstance(o, QObject)])
"""
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.splitlines() == ["[]", "True []"]


def test_theme_is_stored(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()
    desktop.context.commands.run("theme.dark")
    assert theme_manager().theme.dark
    # A worker writes the file, because the disk is waited for.
    qtbot.waitUntil(lambda: Preferences(desktop.preferences.path).values.theme is Mode.DARK, timeout=60_000)


def test_last_change_before_the_end_is_stored(desktop: Desktop) -> None:
    desktop.start()
    desktop.preferences.change(language="zh_CN")
    desktop.close()
    assert Preferences(desktop.preferences.path).values.language == "zh_CN"


def test_another_user_gets_fresh_pages(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()
    desktop.context.enter(make_payload(Role.ADMIN))
    first = desktop.window
    desktop.context.leave()
    desktop.context.enter(make_payload(Role.ADMIN))
    assert desktop.window is first
    desktop.context.leave()
    desktop.context.enter(make_payload(Role.VIEWER, user_id="u2"))
    assert desktop.window is not first
    assert desktop.window.page is not None
    assert desktop.window.page.has_frame


def test_the_server_can_be_changed(qtbot: QtBot, desktop: Desktop, service: Service) -> None:
    desktop.start()
    desktop.context.enter(make_payload(Role.ADMIN))
    other = Service()
    try:
        desktop.use_server(other.url)
        assert desktop.context.session.base_url == other.url
        assert desktop.context.payload is None
        qtbot.waitUntil(lambda: desktop.context.service_state is ServiceState.READY)
        assert Preferences(desktop.preferences.path).values.server_url == other.url
    finally:
        desktop.close()
        other.stop()


def test_expired_login_is_reported_and_opens_the_login_page(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()
    desktop.context.enter(make_payload(Role.ADMIN))
    thread = threading.Thread(target=lambda: desktop._call_in_gui(desktop._on_login_lost))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: desktop.context.payload is None)
    assert desktop.window.page is not None
    assert desktop.window.page.page_id == "login"
    assert desktop.window.toast.isVisible()


def test_exception_in_a_slot_is_logged_and_reported(qtbot: QtBot, desktop: Desktop) -> None:
    desktop.start()

    def fail() -> None:
        raise ValueError("a slot failed")

    caught: list[BaseException] = []
    before = desktop.logs._previous_hooks
    # The hook that stood before the net is the test runner's, which fails the test for this exception.
    desktop.logs._previous_hooks = (lambda kind, error, trace: caught.append(error), before[1])
    QTimer.singleShot(0, fail)
    qtbot.waitUntil(lambda: desktop.crashes.dialog is not None)
    desktop.logs._previous_hooks = before
    assert [str(error) for error in caught] == ["a slot failed"]
    assert "a slot failed" in desktop.logs.file.read_text(encoding="utf-8")
    dialog = desktop.crashes.dialog
    assert dialog is not None
    assert dialog.isVisible()
    assert "ValueError" in dialog.report.toPlainText()
    assert "a slot failed" not in dialog.report.toPlainText()
    dialog.close()


def test_log_restores_all_hooks(tmp_path: Path) -> None:
    before = (sys.excepthook, threading.excepthook, list(logging.getLogger().handlers))
    logs = Logs(tmp_path / "logs", lambda _error: None)
    assert sys.excepthook != before[0]
    logs.close()
    assert (sys.excepthook, threading.excepthook, list(logging.getLogger().handlers)) == before


def test_a_folder_that_cannot_be_written_does_not_stop_the_program(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Logs(tmp_path / "file" / "logs", lambda _error: None).close()


def test_second_close_has_no_effect(desktop: Desktop) -> None:
    desktop.start()
    desktop.close()
    desktop.close()


LASTING = {"themeChanged", "loginChanged", "serviceChanged", "keysChanged"}


def test_signals_of_lasting_objects_are_connected_to_methods() -> None:
    """A lambda would outlive its page, and call into it when it is deleted."""
    wrong = []
    for path in sorted((program_folder() / "desktop").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "connect"
                and isinstance(node.func.value, ast.Attribute)
                and node.func.value.attr in LASTING
                and isinstance(node.args[0], ast.Lambda)
            ):
                wrong.append(f"{path.relative_to(program_folder())}:{node.lineno}")
    assert wrong == []
