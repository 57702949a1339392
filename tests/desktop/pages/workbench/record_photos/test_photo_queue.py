"""Waiting photos belong to the user who added them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.client import Session
from desktop.context import Context, Unsent
from desktop.pages.workbench.record_photos.photo_queue import PhotoQueue
from desktop.preferences import Preferences
from shared.record.codes import Role
from tests.desktop.conftest import make_payload
from tests.desktop.pages.workbench.driver import picture


@pytest.fixture
def context(qtbot: QtBot) -> Iterator[Context]:
    """A desktop whose service cannot be reached."""
    session = Session("http://127.0.0.1:9", patience=0.0)
    yield Context(session, Preferences())
    session.close()


def unsent(context: Context) -> int:
    question = Unsent()
    context.unsent_requested.emit(question)
    return question.photos


def test_pending_photos_wait_for_their_user(context: Context, qtbot: QtBot) -> None:
    queue = PhotoQueue.of(context)
    context.enter(make_payload(Role.INSPECTOR, user_id="u1"))
    queue.add("r1", [(picture(1), "1.png"), (picture(2), "2.png")])
    qtbot.waitUntil(lambda: workers.busy() == 0)
    context.leave()
    context.enter(make_payload(Role.INSPECTOR, user_id="u2"))
    assert queue.count("r1") == 0
    queue.add("r1", [(picture(3), "3.png")])
    assert queue.count("r1") == 1
    assert unsent(context) == 3
    context.leave()
    context.enter(make_payload(Role.INSPECTOR, user_id="u1"))
    assert queue.count("r1") == 2
    assert unsent(context) == 3
    queue.cancel()
    assert unsent(context) == 1
