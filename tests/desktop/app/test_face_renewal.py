"""Old face data: renewed on request, after a login by password or challenge only."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.notices import FaceRenewal
from desktop.context import Context
from desktop.widgets import Banner
from shared.wire.account import Payload
from tests.desktop.client.fake_service import PAYLOAD
from tests.desktop.pages.fake_service import STATUS, FakeService, open_fake_context, success_answer

OLD = {**STATUS, "enrolled": True, "enrolled_at": "2024-01-02T00:00:00Z", "templates": 4, "renewal_due": True}


@pytest.fixture
def fake_service() -> FakeService:
    fake_service = FakeService()
    fake_service.answers["/api/auth/face"] = success_answer(OLD)
    return fake_service


@pytest.fixture
def context(qapp: QApplication, fake_service: FakeService) -> Iterator[Context]:
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        yield context


@pytest.fixture
def banner(qtbot: QtBot, context: Context) -> Banner:
    banner = Banner()
    qtbot.addWidget(banner)
    FaceRenewal(context, banner)
    return banner


def person(has_face: bool = True) -> Payload:
    payload = copy.deepcopy(PAYLOAD)
    payload["user"]["has_face"] = has_face
    return Payload.model_validate(payload)


def test_renewal_of_old_face_data_is_offered_until_logout(
    qtbot: QtBot, context: Context, banner: Banner
) -> None:
    context.enter(person())
    context.strong_login.emit()
    qtbot.waitUntil(lambda: not banner.isHidden())
    assert "more than a year old" in banner.text()
    context.leave()
    assert banner.isHidden()


def test_offer_disappears_after_it_is_accepted(qtbot: QtBot, context: Context, banner: Banner) -> None:
    context.enter(person())
    context.strong_login.emit()
    qtbot.waitUntil(lambda: not banner.isHidden())
    banner.action_chosen.emit()
    assert banner.isHidden()


def test_login_by_picture_makes_no_offer(context: Context, banner: Banner, fake_service: FakeService) -> None:
    context.enter(person())
    assert banner.isHidden()
    assert not [path for _, path, _ in fake_service.sent if path == "/api/auth/face"]


def test_user_without_face_data_gets_no_offer(
    context: Context, banner: Banner, fake_service: FakeService
) -> None:
    context.enter(person(has_face=False))
    context.strong_login.emit()
    assert not [path for _, path, _ in fake_service.sent if path == "/api/auth/face"]


def test_new_face_data_gets_no_offer(
    qtbot: QtBot, context: Context, banner: Banner, fake_service: FakeService
) -> None:
    fake_service.answers["/api/auth/face"] = success_answer({**OLD, "renewal_due": False})
    context.enter(person())
    answered: list[object] = []
    renewal = banner.findChild(FaceRenewal)
    assert renewal is not None
    renewal._on_status = answered.append  # type: ignore[method-assign, assignment]
    context.strong_login.emit()
    qtbot.waitUntil(lambda: bool(answered))
    assert banner.isHidden()
