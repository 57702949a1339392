"""The event stream: tells every client at once what changed, so that it can read it anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from service.envelope import Problem, failures
from service.events.ring import Ring
from service.security import AskedFirst, Caller, authenticated, require
from shared.codes import ErrorCode, Permission

HEARTBEAT_SECONDS = 15.0
MAX_STREAMS = 500

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `change` with a ChangeEvent as data, `resync` when events were "
        "missed and everything shown should be read again, `end` when the login has ended",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


def _message(event: str, data: str, event_id: str | None = None) -> bytes:
    named = f"id: {event_id}\n" if event_id else ""
    return f"{named}event: {event}\ndata: {data}\n\n".encode()


async def stream(
    ring: Ring, last_event_id: str | None, still_allowed: Callable[[], Awaitable[bool]], heartbeat: float
) -> AsyncIterator[bytes]:
    """The text of one client's stream: events from `last_event_id` on, a comment every `heartbeat` seconds.

    Ends when the ring is closed, and at the first heartbeat at which `still_allowed` says no.
    """
    bell = ring.join()
    try:
        # What happens from now on is told, also what happens while the first line is on its way.
        place = ring.place_of(last_event_id)
        # Opens the stream at once, and says how long to wait before the next try (milliseconds).
        yield b"retry: 2000\n\n"
        if place is None:
            place = ring.since(0).place
            yield _message("resync", "{}", ring.id_of(place))
        due = asyncio.get_running_loop().time() + heartbeat
        while not ring.closed:
            bell.clear()
            news = ring.since(place)
            place = news.place
            if news.lost:
                yield _message("resync", "{}", ring.id_of(place))
            for event in news.events:
                yield _message("change", event.model_dump_json(), event.id)
            if asyncio.get_running_loop().time() >= due:
                if not await still_allowed():
                    yield _message("end", "{}")
                    return
                yield b": alive\n\n"
                due = asyncio.get_running_loop().time() + heartbeat
            try:
                async with asyncio.timeout_at(due):
                    await bell.wait()
            except TimeoutError:
                continue
    finally:
        ring.leave(bell)


def router(ring: Ring, heartbeat: float = HEARTBEAT_SECONDS) -> APIRouter:
    """The route `/events`."""
    events = APIRouter(route_class=AskedFirst, tags=["events"])

    @events.get(
        "/events",
        response_class=StreamingResponse,
        responses={**failures(401, 403, 422, 503), **_STREAM},
    )
    async def get_events(
        request: Request,
        last_event_id: Annotated[str | None, Header()] = None,
        caller: Caller = require(Permission.INSPECTION_READ),
    ) -> StreamingResponse:
        """What changes, as it changes: server-sent events without contents."""
        if ring.closed or ring.readers >= MAX_STREAMS:
            raise Problem(503, ErrorCode.UNAVAILABLE, "实时通知的连接过多，请稍后再试")

        async def still_allowed() -> bool:
            try:
                now = await authenticated(request)
            except Problem:
                return False
            return Permission.INSPECTION_READ in now.permissions

        return StreamingResponse(
            stream(ring, last_event_id, still_allowed, heartbeat),
            media_type="text/event-stream",
            # A proxy must not collect events before it passes them on.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return events
