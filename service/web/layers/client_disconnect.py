"""Cancels the requests of clients that disconnected."""

from __future__ import annotations

import asyncio
import logging
from collections import deque

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("walkaround.http")

WATCH_AFTER_SECONDS = 0.1
"""The delay before a request is watched: most requests are answered sooner and need no watching."""


class CancelOnDisconnect:
    """Cancels a read request, and the query that it waits for, when its client has left.

    A request that changes something runs to its end: its client may reconnect and ask for the outcome.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
            return
        request = asyncio.current_task()
        assert request is not None
        # The body of a read request is not used. If one arrives, the operation receives an empty one.
        buffered: deque[Message] = deque()
        watch_task: asyncio.Task[None] | None = None
        has_left = False

        async def watch() -> None:
            nonlocal has_left
            while (await receive())["type"] != "http.disconnect":
                if not buffered:
                    buffered.append({"type": "http.request", "body": b"", "more_body": False})
            has_left = True
            request.cancel()

        def start_watching() -> None:
            nonlocal watch_task
            watch_task = asyncio.create_task(watch())

        def stop_watching() -> None:
            timer.cancel()
            if watch_task is not None:
                watch_task.cancel()

        async def send_and_stop_watching(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                # The server reports the end of an answer as a disconnect.
                stop_watching()
            await send(message)

        async def receive_buffered() -> Message:
            return buffered.popleft() if buffered else await receive()

        timer = asyncio.get_running_loop().call_later(WATCH_AFTER_SECONDS, start_watching)
        try:
            await self.app(scope, receive_buffered, send_and_stop_watching)
        except asyncio.CancelledError:
            if not has_left or request.uncancel():
                raise
            log.info("the client has left: its request was cancelled")
        finally:
            stop_watching()
