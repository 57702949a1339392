"""Listening for changes, with a fake service (httpx.MockTransport)."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import httpx
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.client import Session
from desktop.context import Context
from desktop.preferences import Preferences
from desktop.record.live_changes import ChangeListener
from tests.desktop.client.fake_service import BASE, SECRET, Service


class SilentStream(httpx.SyncByteStream):
    """A stream that only says that it is there."""

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b": still here\n\n"


def test_listening_that_stops_while_it_connects_ends(preferences: Preferences, qtbot: QtBot) -> None:
    service = Service()
    is_asked, may = threading.Event(), threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/events"):
            return service(request)
        is_asked.set()
        assert may.wait(20)
        return httpx.Response(200, stream=SilentStream())

    session = Session(BASE, patience=0.0, transport=httpx.MockTransport(answer))
    session.account.login("zhang", SECRET)
    context = Context(session, preferences)
    listener = ChangeListener(context, context)
    listener.start()
    qtbot.waitUntil(is_asked.is_set)
    listener.stop()
    may.set()
    qtbot.waitUntil(lambda: workers.busy() == 0)
    session.close()
