"""Old face data: renewed on request, after a login by password or challenge only."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.face_renewal import FaceRenewal
from desktop.context import Context
from desktop.widgets import Banner
from shared.wire.account import Payload
from tests.desktop.client.played import PAYLOAD
from tests.desktop.pages.played_service import STATUS, Played, done, played_context

OLD = {**STATUS, "enrolled": True, "enrolled_at": "2024-01-02T00:00:00Z", "templates": 4, "renewal_due": True}


@pytest.fixture
def played() -> Played:
    played = Played()
    played.answers["/api/auth/face"] = done(OLD)
    return played


@pytest.fixture
def context(qapp: QApplication, played: Played) -> Iterator[Context]:
    with played_context(played) as context:
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


def test_old_face_data_is_offered_for_renewal_until_the_person_leaves(
    qtbot: QtBot, context: Context, banner: Banner
) -> None:
    context.enter(person())
    context.strongLogin.emit()
    qtbot.waitUntil(lambda: not banner.isHidden())
    assert "more than a year old" in banner.text()
    context.leave()
    assert banner.isHidden()


def test_offer_goes_once_it_is_taken(qtbot: QtBot, context: Context, banner: Banner) -> None:
    context.enter(person())
    context.strongLogin.emit()
    qtbot.waitUntil(lambda: not banner.isHidden())
    banner.action_chosen.emit()
    assert banner.isHidden()


def test_login_by_a_picture_alone_asks_nothing(context: Context, banner: Banner, played: Played) -> None:
    context.enter(person())
    assert banner.isHidden()
    assert not [path for _, path, _ in played.sent if path == "/api/auth/face"]


def test_who_has_no_face_data_is_not_asked(context: Context, banner: Banner, played: Played) -> None:
    context.enter(person(has_face=False))
    context.strongLogin.emit()
    assert not [path for _, path, _ in played.sent if path == "/api/auth/face"]


def test_new_face_data_is_left_alone(qtbot: QtBot, context: Context, banner: Banner, played: Played) -> None:
    played.answers["/api/auth/face"] = done({**OLD, "renewal_due": False})
    context.enter(person())
    answered: list[object] = []
    renewal = banner.findChild(FaceRenewal)
    assert renewal is not None
    renewal._on_status = answered.append  # type: ignore[method-assign, assignment]
    context.strongLogin.emit()
    qtbot.waitUntil(lambda: bool(answered))
    assert banner.isHidden()
