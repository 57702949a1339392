"""Users, audit log and face login as an administrator sees them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.api.administration import AuditFilter
from desktop.client.http.errors import NotLoggedIn, Refused
from desktop.context import Context
from desktop.localization.dates import format_second
from desktop.pages.common.forms.passwords import PasswordPrompt
from desktop.pages.people import PeoplePage
from desktop.pages.people.details import detail_lines, referenced_objects
from desktop.pages.people.user_section import EditUserForm, NewUserForm, SetPasswordForm
from shared.names import user_label
from shared.record.codes import Role
from shared.wire.catalogue import AircraftWrite
from shared.wire.face import FacePolicy
from tests.desktop.children import child
from tests.desktop.conftest import make_payload
from tests.desktop.keyrings import MemoryKeyring
from tests.desktop.pages.fake_service import (
    FakeService,
    failure_answer,
    open_administration,
    open_fake_context,
    refusal_answer,
    success_answer,
)
from tests.narrowing import not_none
from tests.service_app import ADMIN

GOOD = "correct horse battery 9"


@pytest.fixture(autouse=True)
def _yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.pages.people.user_section.confirm", lambda *_: True)
    monkeypatch.setattr("desktop.pages.common.forms.form.confirm", lambda *_: True)


def users(page: PeoplePage) -> list[str]:
    model = page.users.table.rows_model
    return [user.username for user in model.rows()]


def choose(page: PeoplePage, qtbot: QtBot, user_name: str) -> None:
    qtbot.waitUntil(lambda: user_name in users(page))
    page.users.table.select_row(users(page).index(user_name))


def test_user_is_created_if_every_field_is_valid(context: Context, qtbot: QtBot) -> None:
    page = open_administration(context, qtbot)
    qtbot.waitUntil(lambda: users(page) != [])
    page.users.new.click()
    form = child(page.users, NewUserForm)
    form.fields["username"].set_text("zhang")
    form.fields["name"].set_text("张三")
    form.password.set_text(GOOD)
    form.confirmation.set_text("something else")
    form.roles.boxes[Role.INSPECTOR].click()
    form.submit()
    assert form.roles.error()
    form.roles.boxes[Role.PLANNER].click()
    form.roles.boxes[Role.VIEWER].click()
    form.submit()
    assert form.confirmation.error()
    assert form.fields["name"].text() == "张三"
    form.confirmation.set_text(GOOD)
    with qtbot.waitSignal(form.saved) as saved:
        form.submit()
    assert sorted(saved.args[0].roles) == [Role.PLANNER, Role.VIEWER]
    choose(page, qtbot, "zhang")
    assert "Planner" in page.users.table.rows_model.index(1, 2).data()


def test_taken_name_and_common_password_are_reported_in_the_form(context: Context, qtbot: QtBot) -> None:
    page = open_administration(context, qtbot)
    qtbot.waitUntil(lambda: users(page) != [])
    page.users.open_new_form()
    form = child(page.users, NewUserForm)
    form.fields["username"].set_text("somebody")
    for field in (form.password, form.confirmation):
        field.set_text("password123")
    form.submit()
    qtbot.waitUntil(lambda: bool(form.password.error()))
    assert form.password.text() == "password123"
    form.fields["username"].set_text(ADMIN[0])
    for field in (form.password, form.confirmation):
        field.set_text(GOOD)
    form.submit()
    qtbot.waitUntil(lambda: bool(form.fields["username"].error()))
    assert form.fields["username"].error() == "This username is already taken. Enter another one."
    form.reject()


def test_roles_password_and_disabling_take_effect(context: Context, qtbot: QtBot, service: str) -> None:
    context.session.users.create("wang", GOOD, [Role.VIEWER], "王五")
    page = open_administration(context, qtbot)
    choose(page, qtbot, "wang")
    page.users.edit_selected()
    edit = child(page.users, EditUserForm)
    edit.roles.boxes[Role.INSPECTOR].click()
    with qtbot.waitSignal(edit.saved) as saved:
        edit.submit()
    assert set(saved.args[0].roles) == {Role.VIEWER, Role.INSPECTOR}
    assert saved.args[0].name == "王五"

    choose(page, qtbot, "wang")
    page.users.password.click()
    form = child(page.users, SetPasswordForm)
    for field in (form.password, form.confirmation):
        field.set_text("another good one 7")
    with qtbot.waitSignal(form.saved):
        form.submit()
    other = Session(service)
    assert other.account.login("wang", "another good one 7").user.username == "wang"

    choose(page, qtbot, "wang")
    assert page.users.remove.text() == "Disable"
    with qtbot.waitSignal(page.toast):
        page.users.remove.click()
    with pytest.raises(Refused):
        other.account.login("wang", "another good one 7")
    other.close()
    choose(page, qtbot, "wang")
    qtbot.waitUntil(lambda: page.users.remove.text() == "Enable")


def test_last_administrator_cannot_lose_the_role(context: Context, qtbot: QtBot) -> None:
    page = open_administration(context, qtbot)
    choose(page, qtbot, ADMIN[0])
    with qtbot.waitSignal(page.toast) as toast:
        page.users.remove.click()
    assert toast.args[0] == "At least one administrator must remain enabled."
    assert context.session.users.list(1, 50, ADMIN[0]).data[0].enabled


def test_log_names_users_and_objects_and_can_be_filtered(context: Context, qtbot: QtBot) -> None:
    aircraft = context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-8819"))
    context.session.catalogue.aircraft.delete(aircraft.aircraft_id)
    context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-5623"))
    page = open_administration(context, qtbot, "audit")
    audit = page.audit
    qtbot.waitUntil(lambda: audit.table.rows_model.rowCount() > 2)
    me = not_none(context.payload).user
    qtbot.waitUntil(lambda: audit.table.rows_model.index(0, 2).data() == user_label(me.name, me.username))
    qtbot.waitUntil(lambda: audit.table.rows_model.index(0, 4).data() == "Aircraft · B-5623")
    assert audit.table.rows_model.index(1, 3).data() == "Deleted"
    audit.table.select_row(2)
    assert "Name: – → B-8819" in audit.details.toPlainText()
    assert "B-8819" in audit.table.rows_model.index(2, 4).data()

    audit.action.set_value("login")
    audit.action.picked.emit("login")
    qtbot.waitUntil(lambda: {e.action for e in audit.table.rows_model.rows()} == {"login"})
    assert audit.value() == AuditFilter(action="login")
    audit.clear.click()
    qtbot.waitUntil(lambda: audit.table.rows_model.rows()[0].kind == "aircraft")
    assert not audit.clear.isVisible()


def test_the_switch_of_face_login_reaches_the_service(context: Context, qtbot: QtBot) -> None:
    page = open_administration(context, qtbot, "faces")
    faces = page.faces
    qtbot.waitUntil(lambda: faces.stack.currentWidget() is faces.stack.content, timeout=60_000)
    assert faces.policy.switch.isChecked()
    with qtbot.waitSignal(page.toast):
        faces.policy.switch.click()
    assert not context.session.faces.policy().login_enabled
    context.session.faces.change_policy(FacePolicy(login_enabled=True))


def test_a_device_is_allowed_renamed_and_removed_at_the_service(
    context: Context, qtbot: QtBot, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_administration(context, qtbot, "faces")
    faces = page.faces
    qtbot.waitUntil(lambda: faces.stack.currentWidget() is faces.stack.content, timeout=60_000)
    form = faces.devices.open_form(None)
    form.fields["name"].set_text("Gate A")
    form.submit()
    qtbot.waitUntil(lambda: [each.name for each in context.session.faces.devices()] == ["Gate A"])
    qtbot.waitUntil(lambda: faces.devices.none_label.isHidden())
    assert len(memory_keyring.passwords) == 1
    assert context.device_token.read() in memory_keyring.passwords.values()
    (device,) = context.session.faces.devices()
    form = faces.devices.open_form(device)
    form.fields["name"].set_text("Gate B")
    form.submit()
    qtbot.waitUntil(lambda: [each.name for each in context.session.faces.devices()] == ["Gate B"])
    monkeypatch.setattr("desktop.pages.people.face_policy.cards.confirm", lambda *_: True)
    faces.devices.remove(device)
    qtbot.waitUntil(lambda: not faces.devices.none_label.isHidden())
    assert context.session.faces.devices() == []
    kinds = {entry.kind for entry in context.session.audit.page().data}
    assert "face_device" in kinds


def test_logging_in_again_ends_the_login_before(service: str) -> None:
    session = Session(service)
    session.account.login(*ADMIN)
    before = session._transport._login
    session.account.login_again(*ADMIN)
    assert session.account.me().user.username == ADMIN[0]
    session._transport._login = before
    with pytest.raises(NotLoggedIn):
        session.account.me()
    session.account.login(*ADMIN)
    with pytest.raises(Refused):
        session.account.login_again(ADMIN[0], "wrong password")
    assert session.account.me().user.username == ADMIN[0]
    session.close()


@pytest.mark.parametrize(
    ("details", "lines"),
    [
        ({"name": {"old": None, "new": "B"}}, ["Name: – → B"]),
        ({"roles": [["viewer"], ["admin"]]}, ["Roles: Viewer → Administrator"]),
        ({"password": True, "of_another": 3}, ["Password: Yes", "of_another: 3"]),
        ({"methods": ["pwd", "face"]}, ["Login methods: Password, Face"]),
        ({"roles": ["viewer", "admin"]}, ["Roles: Viewer, Administrator"]),
        (
            {"state": "canceled", "error": "no_photo"},
            ["Status: Cancelled", "Error: This item has no photo. Add one first."],
        ),
        ({"fields": ["email", "work_years"]}, ["Modified fields: Email, Years of service"]),
        ({"labels": {"dent": "major"}}, ["Labels: dent: major"]),
        ({"released_by": "u1", "released_by_name": "李四"}, ["Reviewed by: 李四"]),
        ({"executor_id": {"old": "u1", "new": "u9"}}, ["Inspector: 王五 → u9"]),
        ({"from": {"inspection_id": "r1"}}, ["Source: Record: 左翼"]),
        ({"text": {"old": "裂纹", "new": None}}, ["Comment: 裂纹 → –"]),
        ({"given_to": "u1", "note": "slat"}, ["Inspector: 王五", "Note: slat"]),
        ({"assigned": "alignment"}, ["Assigned by: Matching"]),
        ({"deleted_at": "no time"}, ["Deleted at: no time"]),
        ({}, []),
    ],
)
def test_details_list_the_changes(details: dict[str, Any], lines: list[str]) -> None:
    names = {("user", "u1"): "王五", ("record", "r1"): "左翼"}
    assert detail_lines(details, names) == lines


def test_times_in_details_are_shown_like_the_time_of_the_entry() -> None:
    at = datetime(2026, 5, 1, 10, 20, 30, tzinfo=UTC)
    lines = [f"Reviewed at: {format_second(at)}"]
    assert (
        detail_lines({"released_at": at.isoformat()})
        == detail_lines({"released_at": "2026-05-01T10:20:30"})
        == lines
    )


def test_objects_that_details_refer_to_are_found() -> None:
    details = {
        "executor_id": {"old": None, "new": "u1"},
        "task_id": ["t1", "t2"],
        "from": {"inspection_id": "r1"},
        "photo_id": "p1",
    }
    assert referenced_objects(details) == {("user", "u1"), ("task", "t1"), ("task", "t2"), ("record", "r1")}


# -- what needs a recent password login, with a played service

USER = {
    **make_payload(Role.VIEWER, user_id="u2", name="李四").user.model_dump(mode="json"),
    "roles": ["viewer"],
}
PAGE = {"data": [USER], "pagination": {"current_page": 1, "page_size": 25, "total": 1, "total_pages": 1}}


class Locked:
    """Answers PUT and POST of users only after a login."""

    def __init__(self, fake_service: FakeService) -> None:
        self.fake_service = fake_service
        self.fresh = False
        fake_service.answers["/api/users"] = self.listing
        fake_service.answers["/api/users/u2"] = self.change
        fake_service.answers["/api/auth/login"] = self.login
        self.tokens = FakeService().answers["/api/auth/login"]

    def listing(self, request: httpx.Request) -> httpx.Response:
        return success_answer(PAGE) if request.method == "GET" else self.change(request)

    def change(self, _request: httpx.Request) -> httpx.Response:
        return success_answer(USER) if self.fresh else failure_answer(403, "password_login_needed")

    def login(self, request: httpx.Request) -> httpx.Response:
        self.fresh = b"own password" in request.content
        return self.tokens if self.fresh else refusal_answer("wrong_login", "用户名或密码错误")


@pytest.fixture
def page_with_old_login(qtbot: QtBot) -> Iterator[tuple[PeoplePage, FakeService]]:
    fake_service = FakeService()
    lock = Locked(fake_service)
    with open_fake_context(fake_service) as context:
        lock.fresh = True
        context.session.account.login("zhang", "own password")
        lock.fresh = False
        context.enter(make_payload(Role.ADMIN))
        page = open_administration(context, qtbot)
        choose(page, qtbot, "user-u2")
        yield page, fake_service


def test_old_login_needs_the_password_and_repeats_the_request(
    page_with_old_login: tuple[PeoplePage, FakeService], qtbot: QtBot
) -> None:
    page, fake_service = page_with_old_login
    page.users.open_new_form()
    form = child(page.users, NewUserForm)
    form.fields["username"].set_text("zhao")
    form.fields["name"].set_text("赵六")
    for field in (form.password, form.confirmation):
        field.set_text(GOOD)
    form.submit()
    qtbot.waitUntil(lambda: form.findChild(PasswordPrompt) is not None)
    ask = child(form, PasswordPrompt)
    ask.submit()
    assert ask.password.error()
    ask.password.set_text("a wrong one")
    ask.submit()
    qtbot.waitUntil(lambda: ask.go.isEnabled())
    assert ask.password.error() == "Wrong username or password."
    ask.password.set_text("own password")
    with qtbot.waitSignal(form.saved):
        ask.submit()
    sent = fake_service.bodies("/api/users")
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert sent[1]["name"] == "赵六"


def test_cancelled_password_prompt_keeps_the_form(
    page_with_old_login: tuple[PeoplePage, FakeService], qtbot: QtBot
) -> None:
    page, _ = page_with_old_login
    page.users.edit_selected()
    form = child(page.users, EditUserForm)
    form.fields["name"].set_text("李四四")
    form.submit()
    qtbot.waitUntil(lambda: form.findChild(PasswordPrompt) is not None)
    child(form, PasswordPrompt).cancel.click()
    assert form.banner.text()
    assert form.save.isEnabled()
    assert form.fields["name"].text() == "李四四"
    form.reject()
