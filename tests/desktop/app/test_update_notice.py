"""The line above the page that tells of a newer version, to those who can install it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.application import Desktop
from desktop.app.assistance import About
from desktop.app.notices import UpdateNotice
from desktop.client.updates import VARIABLE, Update
from desktop.pages.login import LoginPage
from desktop.pages.me import MePage
from desktop.widgets import PageFactory
from shared.record.codes import Role
from tests.desktop.conftest import make_payload
from tests.update_site import UpdateSite, update_site

pytestmark = pytest.mark.slow

__all__ = ["update_site"]


@pytest.fixture
def desktop(
    qtbot: QtBot, qapp: QApplication, update_site: UpdateSite, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desktop]:
    monkeypatch.setenv(VARIABLE, update_site.url)
    monkeypatch.setattr(
        "desktop.app.application.login_page",
        lambda context, *_: PageFactory(LoginPage, lambda: LoginPage(context, list)),
    )
    monkeypatch.setattr(
        "desktop.app.later_pages.later_pages",
        lambda context: [PageFactory(MePage, lambda: MePage(context))],
    )
    desktop = Desktop(server_url="http://127.0.0.1:9")
    yield desktop
    desktop.close()


def test_administrator_sees_a_newer_version_until_it_is_dismissed(
    desktop: Desktop, update_site: UpdateSite, qtbot: QtBot
) -> None:
    update_site.publish(version="9.1.0", url="https://files.example/walkaround")
    with qtbot.waitSignal(desktop.updates.update_found):
        desktop.updates.check()
    assert desktop.window.update_banner.isHidden()
    desktop.context.enter(make_payload(Role.ADMIN))
    banner = desktop.window.update_banner
    assert not banner.isHidden()
    assert "9.1.0" in banner.text()
    desktop.set_language("zh_CN")
    assert "9.1.0" in desktop.window.update_banner.text()
    desktop.window.update_banner._close()
    desktop._show_update()
    assert desktop.window.update_banner.isHidden()
    update_site.publish(version="9.2.0")
    with qtbot.waitSignal(desktop.updates.update_found):
        desktop.updates.check()
    assert "9.2.0" in desktop.window.update_banner.text()


def test_other_users_see_no_notice(desktop: Desktop, update_site: UpdateSite, qtbot: QtBot) -> None:
    update_site.publish(version="9.1.0")
    with qtbot.waitSignal(desktop.updates.update_found):
        desktop.updates.check()
    desktop.context.enter(make_payload(Role.INSPECTOR))
    assert desktop.window.update_banner.isHidden()


def test_no_request_is_sent_without_an_address(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("asked")

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("desktop.app.notices.run", fail)
    notice = UpdateNotice()
    notice.start()
    notice.check()
    assert notice.current_update is None
    assert not notice._timer.isActive()


def test_page_of_the_version_is_opened(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "desktop.app.notices.QDesktopServices.openUrl", lambda url: opened.append(url.toString())
    )
    notice = UpdateNotice(address="https://files.example/v.json")
    notice.open_page()
    notice._on_checked(Update("9.1.0", ""))
    notice.open_page()
    notice._on_checked(Update("9.1.0", "https://files.example/walkaround"))
    notice.open_page()
    assert opened == ["https://files.example/walkaround"]


def test_about_shows_the_update_address(desktop: Desktop, update_site: UpdateSite) -> None:
    assert update_site.url in About(desktop.window, desktop.context)._privacy_text()


def test_an_installed_version_is_offered_to_everyone_until_it_is_dismissed(
    desktop: Desktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.context.enter(make_payload(Role.INSPECTOR))
    desktop.updates.check_installed()
    assert desktop.window.update_banner.isHidden()
    monkeypatch.setattr("desktop.app.notices.newer_program", lambda: Path("/new"))
    desktop.updates.check_installed()
    assert "was installed" in desktop.window.update_banner.text()
    monkeypatch.setattr(desktop.window, "unsent_photos", lambda: 0)
    desktop.window.update_banner.action_chosen.emit()
    assert desktop.crashes.restart_requested
    desktop.window.update_banner._close()
    desktop._show_update()
    assert desktop.window.update_banner.isHidden()
