"""The question whether a server is trusted, in the dialog that chooses a server and beside the window."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel
from pytestqt.qtbot import QtBot

from desktop.app.application import Desktop
from desktop.client.http.errors import Untrusted
from desktop.connection import remote_service
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.login import LoginPage
from desktop.pages.login.service_choice import ServerDialog, TrustDialog, format_fingerprint
from desktop.preferences import Preferences
from desktop.theme import Mode, stylesheet, theme_manager
from desktop.widgets import PageFactory
from tests.desktop.children import child
from tests.desktop.pages.fake_service import FakeService, open_fake_context
from tests.desktop.tls_server import TlsServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TlsServer]:
    with TlsServer(tmp_path).running() as server:
        yield server


@pytest.fixture
def context(qapp: QApplication) -> Iterator[Context]:
    with open_fake_context(FakeService()) as context:
        yield context


def texts(dialog: QDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def visible_question(dialog: QDialog) -> TrustDialog | None:
    visible = [trust_dialog for trust_dialog in dialog.findChildren(TrustDialog) if trust_dialog.isVisible()]
    return visible[0] if visible else None


def connect(qtbot: QtBot, dialog: ServerDialog, url: str) -> TrustDialog:
    dialog.network_server.setChecked(True)
    dialog.address.set_text(url)
    dialog.use.click()
    qtbot.waitUntil(lambda: visible_question(dialog) is not None)
    return child(dialog, TrustDialog)


def test_fingerprint_is_shown_in_two_lines() -> None:
    lines = format_fingerprint(":".join(f"{number:02X}" for number in range(32))).split("\n")
    assert [line.count(":") for line in lines] == [15, 15]
    assert (lines[0][:5], lines[1][-5:]) == ("00:01", "1E:1F")


def test_server_is_used_after_its_fingerprint_is_trusted(
    qtbot: QtBot, context: Context, server: TlsServer
) -> None:
    dialog = ServerDialog("", context.preferences)
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    dialog.show()
    question = connect(qtbot, dialog, server.url)
    assert format_fingerprint(server.fingerprint) in texts(question)
    assert "walkaround tls" in texts(question)
    # Enter and Esc mean no: nothing is kept, and nothing was sent.
    assert question.cancel_button.isDefault()
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    assert chosen == []
    assert context.preferences.values.certificates == {}
    assert "not trusted" in dialog.address.error()
    assert server.paths == []
    question = connect(qtbot, dialog, server.url)
    question.confirm_button.click()
    qtbot.waitUntil(lambda: chosen == [server.url])
    assert not dialog.isVisible()
    assert Preferences(context.preferences.path).values.certificates == {server.key: server.fingerprint}


def test_trusted_server_needs_no_second_question(qtbot: QtBot, context: Context, server: TlsServer) -> None:
    context.preferences.change(certificates={server.key: server.fingerprint})
    dialog = ServerDialog(server.url, context.preferences)
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.use.click()
    assert chosen.args == [server.url]


def test_http_address_leads_to_the_https_server(qtbot: QtBot, context: Context, server: TlsServer) -> None:
    dialog = ServerDialog("", context.preferences)
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    dialog.show()
    question = connect(qtbot, dialog, server.url.replace("https", "http"))
    assert dialog.address.text() == server.url
    question.confirm_button.click()
    qtbot.waitUntil(lambda: chosen == [server.url])


def test_server_without_tls_is_reported(qtbot: QtBot, context: Context) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection = listening.accept()[0]
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        dialog = ServerDialog(f"https://127.0.0.1:{listening.getsockname()[1]}", context.preferences)
        qtbot.addWidget(dialog)
        dialog.use.click()
        qtbot.waitUntil(lambda: dialog.address.error() != "")
        thread.join()
    assert dialog.address.error().startswith("This server does not use HTTPS.")
    assert dialog.use.isEnabled()


def test_address_without_an_answer_stays_unchanged(qtbot: QtBot, context: Context) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    dialog = ServerDialog(url, context.preferences)
    qtbot.addWidget(dialog)
    dialog.use.click()
    qtbot.waitUntil(lambda: dialog.address.error() != "")
    assert dialog.address.error().startswith("Cannot connect")
    assert dialog.address.text() == url


def test_changed_certificate_needs_a_second_confirmation(
    qtbot: QtBot, context: Context, server: TlsServer
) -> None:
    before = server.fingerprint
    context.preferences.change(certificates={server.key: before, "other:1": "AB"})
    server.replace_certificate()
    dialog = ServerDialog("", context.preferences)
    qtbot.addWidget(dialog)
    dialog.show()
    question = connect(qtbot, dialog, server.url)
    assert format_fingerprint(before) in texts(question)
    assert format_fingerprint(server.fingerprint) in texts(question)
    assert "has changed" in texts(question)
    assert "has changed" in dialog.address.error()
    assert not question.confirm_button.isEnabled()
    question.confirm_button.click()
    assert context.preferences.values.certificates[server.key] == before
    question.compared.click()
    with qtbot.waitSignal(dialog.chosen):
        question.confirm_button.click()
    assert context.preferences.values.certificates == {server.key: server.fingerprint, "other:1": "AB"}


@pytest.fixture
def desktop(
    qtbot: QtBot, qapp: QApplication, server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desktop]:
    """A desktop that was started with `--server`."""
    monkeypatch.setattr(
        "desktop.app.application.login_page",
        lambda context, *_: PageFactory(LoginPage, lambda: LoginPage(context, list)),
    )
    monkeypatch.setattr(remote_service, "READY_INTERVAL_MS", 10)
    desktop = Desktop(server_url=server.url)
    yield desktop
    desktop.close()
    theme_manager().set_mode(Mode.SYSTEM)


def wait_for_trust_dialog(qtbot: QtBot, desktop: Desktop) -> TrustDialog:
    def visible() -> list[TrustDialog]:
        return [dialog for dialog in desktop.window.findChildren(TrustDialog) if dialog.isVisible()]

    qtbot.waitUntil(lambda: bool(visible()))
    (dialog,) = visible()
    return dialog


def test_desktop_asks_for_trust_when_it_starts(qtbot: QtBot, desktop: Desktop, server: TlsServer) -> None:
    desktop.start()
    question = wait_for_trust_dialog(qtbot, desktop)
    assert format_fingerprint(server.fingerprint) in texts(question)
    assert "not trusted" in desktop.window.banner.text()
    assert question.styleSheet() == stylesheet(theme_manager().theme)
    question.confirm_button.click()
    qtbot.waitUntil(lambda: desktop.context.service_state is ServiceState.READY)
    assert desktop.context.untrusted is None
    assert desktop.context.session.account.first_run_needed() is False
    assert desktop.preferences.values.certificates == {server.key: server.fingerprint}


def test_refused_trust_is_asked_again_on_retry(qtbot: QtBot, desktop: Desktop, server: TlsServer) -> None:
    desktop.start()
    first = wait_for_trust_dialog(qtbot, desktop)
    answers: list[Untrusted] = []
    assert desktop._remote_watch is not None
    desktop._remote_watch.untrusted.connect(answers.append)
    first.cancel_button.click()
    # It goes on asking the server, but not the person.
    qtbot.waitUntil(lambda: len(answers) > 3)
    assert [dialog for dialog in desktop.window.findChildren(TrustDialog) if dialog.isVisible()] == []
    assert desktop.context.service_state is ServiceState.FAILED
    desktop.window.retry_requested.emit()
    wait_for_trust_dialog(qtbot, desktop)


def test_certificate_that_changes_at_run_time_stops_the_work(
    qtbot: QtBot, desktop: Desktop, server: TlsServer
) -> None:
    before = server.fingerprint
    desktop.preferences.change(certificates={server.key: before})
    desktop.use_server(server.url)
    desktop.start()
    qtbot.waitUntil(lambda: desktop.context.service_state is ServiceState.READY)
    server.replace_certificate()
    question = wait_for_trust_dialog(qtbot, desktop)
    assert format_fingerprint(before) in texts(question)
    assert desktop.context.service_state is ServiceState.FAILED
    assert "has changed" in desktop.window.banner.text()
    question.compared.click()
    question.confirm_button.click()
    qtbot.waitUntil(lambda: desktop.context.service_state is ServiceState.READY)
    assert desktop.preferences.values.certificates == {server.key: server.fingerprint}
