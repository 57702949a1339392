"""Cancels the requests of clients that disconnected."""

from __future__ import annotations

import asyncio
import logging
from collections import deque

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("walkaround.http")

LOOK_AFTER_SECONDS = 0.1
"""Most requests are answered sooner, so that nothing watches for their clients."""


class CancelOnDisconnect:
    """Cancels a request that only reads when its client has left, and with it the query that it waits for.

    A request that changes something is finished: the client that was cut off may ask for its outcome again.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
            return
        request = asyncio.current_task()
        assert request is not None
        # A request that reads has no body that matters: messages that arrive are buffered for the reader.
        buffered: deque[Message] = deque()
        watching: asyncio.Task[None] | None = None
        left = False

        async def watch() -> None:
            nonlocal left
            while (message := await receive())["type"] != "http.disconnect":
                buffered.append(message)
            left = True
            request.cancel()

        def start_watching() -> None:
            nonlocal watching
            watching = asyncio.create_task(watch())

        def stop_watching() -> None:
            timer.cancel()
            if watching is not None:
                watching.cancel()

        async def send_and_stop_watching(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                # The server reports the end of an answer like that of a connection.
                stop_watching()
            await send(message)

        async def receive_buffered() -> Message:
            return buffered.popleft() if buffered else await receive()

        timer = asyncio.get_running_loop().call_later(LOOK_AFTER_SECONDS, start_watching)
        try:
            await self.app(scope, receive_buffered, send_and_stop_watching)
        except asyncio.CancelledError:
            if not left or request.uncancel():
                raise
            log.info("the client has left: its request was ended")
        finally:
            stop_watching()
