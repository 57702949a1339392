"""Sessions as their owner and an administrator see and end them, against the real service."""

from __future__ import annotations

import dataclasses

import httpx
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.http.errors import NotLoggedIn
from desktop.context import Context
from desktop.pages.common import session_list
from desktop.pages.common.session_list import SessionList
from desktop.pages.people.user_section import EditUserForm
from desktop.widgets import Chip
from shared.record.codes import Role
from shared.wire.account import LoginSession
from shared.wire.common import Page, pagination
from tests.desktop.pages.fake_service import FakeService, failure_answer, open_fake_context
from tests.service_app import ADMIN

GOOD = "correct horse battery 9"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"


@dataclasses.dataclass
class Answers:
    """The questions asked, and the answer to give."""

    texts: list[str]
    yes: bool = True


@pytest.fixture(autouse=True)
def questions(monkeypatch: pytest.MonkeyPatch) -> Answers:
    answers = Answers([])

    def confirm(_parent: object, title: str, text: str, _verb: str) -> bool:
        answers.texts.append(f"{title} {text}")
        return answers.yes

    monkeypatch.setattr(session_list, "confirm", confirm)
    return answers


def open_session_list(context: Context, qtbot: QtBot, user_id: str | None = None) -> SessionList:
    view = SessionList(context, user_id)
    qtbot.addWidget(view)
    view.show()
    view.load()
    return view


def texts(view: SessionList) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if not label.isHidden()]


def web_login(service: str, username: str, password: str) -> None:
    body = {"username": username, "password": password}
    httpx.post(f"{service}/api/auth/login", json=body, headers={"User-Agent": FIREFOX}).raise_for_status()


def test_current_session_is_marked_and_only_others_can_be_ended(
    context: Context, service: str, qtbot: QtBot, questions: Answers
) -> None:
    context.session.account.end_other_sessions()
    web_login(service, *ADMIN)
    other = Session(service)
    other.account.login(*ADMIN)
    view = open_session_list(context, qtbot)
    qtbot.waitUntil(lambda: len(view.buttons) == 2)
    sessions = context.session.account.sessions().data
    (this_session,) = [session for session in sessions if session.current]
    assert this_session.program is not None
    assert this_session.program.startswith("Walkaround ")
    assert this_session.session_id not in view.buttons
    assert [chip.text for chip in view.findChildren(Chip)] == ["This session"]
    assert "Firefox 130 · Linux" in texts(view)
    assert "Password · 127.0.0.1" in texts(view)
    assert any(text.startswith("Logged in today ") for text in texts(view))

    (web,) = [session for session in sessions if session.program == "Firefox 130 · Linux"]
    assert view.buttons[web.session_id].accessibleName() == "End session: Firefox 130 · Linux"
    questions.yes = False
    view.buttons[web.session_id].click()
    assert questions.texts == ["End session? Firefox 130 · Linux at 127.0.0.1 is logged out immediately."]
    assert len(context.session.account.sessions().data) == 3
    questions.yes = True
    with qtbot.waitSignal(view.ended) as ended:
        view.buttons[web.session_id].click()
    assert ended.args == ["Session ended."]
    qtbot.waitUntil(lambda: len(view.buttons) == 1)

    with qtbot.waitSignal(view.ended) as ended:
        view.end_all.click()
    assert ended.args == ["1 session(s) ended."]
    qtbot.waitUntil(lambda: view.buttons == {})
    assert view.end_all.isHidden()
    with pytest.raises(NotLoggedIn):
        other.account.me()
    other.close()
    assert context.session.account.me().user.username == ADMIN[0]


def test_an_administrator_ends_the_sessions_of_a_user_in_their_form(
    context: Context, service: str, qtbot: QtBot
) -> None:
    user = context.session.users.create("wang", GOOD, [Role.VIEWER], "王五")
    desktop = Session(service)
    desktop.account.login("wang", GOOD)
    for _ in range(2):
        web_login(service, "wang", GOOD)
    form = EditUserForm(context, user)
    qtbot.addWidget(form)
    form.show()
    view = form.sessions
    qtbot.waitUntil(lambda: len(view.buttons) == 3)
    first = next(iter(view.buttons))
    with qtbot.waitSignal(view.ended):
        view.buttons[first].click()
    qtbot.waitUntil(lambda: len(view.buttons) == 2)
    with qtbot.waitSignal(view.ended):
        view.end_all.click()
    qtbot.waitUntil(lambda: "Not logged in anywhere." in texts(view))
    with pytest.raises(NotLoggedIn):
        desktop.account.me()
    desktop.close()


def test_session_that_ended_meanwhile_is_reported_and_the_list_reloaded(
    context: Context, service: str, qtbot: QtBot
) -> None:
    context.session.account.end_other_sessions()
    web_login(service, *ADMIN)
    view = open_session_list(context, qtbot)
    qtbot.waitUntil(lambda: len(view.buttons) == 1)
    context.session.account.end_other_sessions()
    next(iter(view.buttons.values())).click()
    qtbot.waitUntil(lambda: view.buttons == {} and view.error.text() != "")
    assert view.error.text() == "This session has ended already. Reload the list."


def test_more_sessions_than_one_page_are_counted(context: Context, qtbot: QtBot) -> None:
    (this_session,) = [session for session in context.session.account.sessions().data if session.current]
    view = open_session_list(context, qtbot)
    qtbot.waitUntil(lambda: "This session" in [chip.text for chip in view.findChildren(Chip)])
    view.show_sessions(Page[LoginSession](data=[this_session], pagination=pagination(1, 50, 73)))
    assert "and 72 more" in texts(view)


def test_failure_is_shown_in_the_list(qtbot: QtBot) -> None:
    fake_service = FakeService()
    fake_service.answers["/api/auth/sessions"] = failure_answer(503, "unavailable")
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "x")
        view = open_session_list(context, qtbot)
        assert "Loading…" in texts(view)
        qtbot.waitUntil(lambda: view.error.text() != "")
        assert "Loading…" not in texts(view)
        assert view.end_all.isHidden()
