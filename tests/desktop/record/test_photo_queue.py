"""Waiting photos belong to the user who added them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.client import Session
from desktop.context import Context, Unsent
from desktop.preferences import Preferences
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from shared.record.codes import Role
from tests.desktop.conftest import make_payload
from tests.desktop.pages.workbench.driver import picture

PICTURES = (
    QueuedPicture("r1", picture(1), "1.png", item_id="i1"),
    QueuedPicture("r1", picture(2), "2.png"),
)


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
    queue.add([QueuedPicture("r1", picture(1), "1.png"), QueuedPicture("r1", picture(2), "2.png")])
    qtbot.waitUntil(lambda: workers.busy() == 0)
    context.leave()
    context.enter(make_payload(Role.INSPECTOR, user_id="u2"))
    assert queue.count("r1") == 0
    queue.add([QueuedPicture("r1", picture(3), "3.png")])
    assert queue.count("r1") == 1
    assert unsent(context) == 3
    context.leave()
    context.enter(make_payload(Role.INSPECTOR, user_id="u1"))
    assert queue.count("r1") == 2
    assert unsent(context) == 3
    queue.cancel(lambda _: True)
    assert unsent(context) == 1


def test_photo_of_an_item_waits_for_the_service(context: Context, qtbot: QtBot) -> None:
    queue = PhotoQueue.of(context)
    lost: list[QueuedPicture] = []
    queue.lost.connect(lambda picture, _error: lost.append(picture))
    context.enter(make_payload(Role.INSPECTOR, user_id="u1"))
    queue.add(PICTURES)
    qtbot.waitUntil(lambda: workers.busy() == 0, timeout=60_000)
    assert (unsent(context), lost, queue.failures) == (2, [], [])
    assert queue.count("r1") == 1


def test_photos_of_items_and_records_are_discarded_separately(context: Context, qtbot: QtBot) -> None:
    queue = PhotoQueue.of(context)
    context.enter(make_payload(Role.INSPECTOR, user_id="u1"))
    queue.add(PICTURES)
    queue.cancel(lambda each: bool(each.item_id))
    assert queue.first is not None
    assert (queue.first.name, unsent(context)) == ("2.png", 1)
    queue.cancel(lambda each: not each.item_id)
    assert (unsent(context), queue.away) == (0, False)
    qtbot.waitUntil(lambda: workers.busy() == 0, timeout=60_000)
