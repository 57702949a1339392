"""Streams changes to every client at once, so that it can read again what changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from service.events.change_feed import ChangeFeed
from service.routing import api_router
from service.web.envelope import Problem, failures
from service.web.security import Caller, authenticated, require
from shared.codes import ErrorCode, Permission
from shared.wire.events import ChangeEvent

HEARTBEAT_SECONDS = 15.0
ASK_AGAIN_SECONDS = 1.0
"""How long a right that was withdrawn may still open an event."""
MAX_STREAMS = 500
MAX_STREAMS_OF_ONE = 20
"""Streams of one user: each of their windows has one, and nobody takes those of the others."""

# A permission to read a thing includes its changes; other changes need the permission to read the audit log.
_READ_BY: Final[Mapping[str, Permission]] = {
    "record": Permission.INSPECTION_READ,
    "item": Permission.INSPECTION_ITEM_READ,
    "inspection_policy": Permission.INSPECTION_READ,
    "detection_job": Permission.INSPECTION_ITEM_READ,
    "model": Permission.INSPECTION_ITEM_READ,
    "file": Permission.FILE_READ,
    "aircraft": Permission.CATALOGUE_READ,
    "flight": Permission.CATALOGUE_READ,
    "task": Permission.CATALOGUE_READ,
    "reference_image": Permission.CATALOGUE_READ,
    "user": Permission.USER_MANAGE,
    "face_policy": Permission.SETTINGS_MANAGE,
    "webhook": Permission.SETTINGS_MANAGE,
}

EventFilter = Callable[[ChangeEvent], bool]
"""Whether a caller may receive an event."""

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `change` with a ChangeEvent as data, `resync` when events were "
        "missed and everything shown should be read again, `end` when the login has ended",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


def _message(event: str, data: str, event_id: str | None = None) -> bytes:
    id_line = f"id: {event_id}\n" if event_id else ""
    return f"{id_line}event: {event}\ndata: {data}\n\n".encode()


def event_filter(caller: Caller) -> EventFilter:
    """Which events `caller` may receive: changes of what they may read, and of their own account."""

    def may_see(event: ChangeEvent) -> bool:
        if event.kind == "user" and event.object_id == caller.user_id:
            return True
        return _READ_BY.get(event.kind, Permission.AUDIT_READ) in caller.permissions

    return may_see


async def stream(
    change_feed: ChangeFeed,
    last_event_id: str | None,
    ask: Callable[[], Awaitable[EventFilter | None]],
    heartbeat: float,
    user_id: str = "",
) -> AsyncIterator[bytes]:
    """The text of one client's stream: events from `last_event_id` on, a comment every `heartbeat` seconds.

    `ask` gives which events the client may receive at this moment, None when it may no longer receive any. It
    is called at each heartbeat, and before events when its last answer is older than `ASK_AGAIN_SECONDS`. The
    stream ends with its None, and when the feed is closed.
    """
    clock = asyncio.get_running_loop()
    with change_feed.reading(user_id):
        # Changes from now on are sent, including those while the first line is on its way.
        place = change_feed.position_of(last_event_id)
        # Opens the stream at once, and says how long to wait before the next try (milliseconds).
        yield b"retry: 2000\n\n"
        if place is None:
            place = change_feed.events_after(0).place
            yield _message("resync", "{}", change_feed.id_of(place))
        may_see: EventFilter | None = None
        answered_at = -ASK_AGAIN_SECONDS
        due = clock.time() + heartbeat
        while True:
            count = change_feed.changed.count
            if change_feed.closed:
                return
            news = change_feed.events_after(place)
            place = news.place
            beat = clock.time() >= due
            if beat or ((news.events or news.lost) and clock.time() - answered_at >= ASK_AGAIN_SECONDS):
                may_see, answered_at = await ask(), clock.time()
                if may_see is None:
                    yield _message("end", "{}")
                    return
            if news.lost:
                yield _message("resync", "{}", change_feed.id_of(place))
            for event in news.events:
                if may_see is not None and may_see(event):
                    yield _message("change", event.model_dump_json(), event.id)
            if beat:
                yield b": alive\n\n"
                due = clock.time() + heartbeat
            await change_feed.changed.wait(count, due - clock.time())


def router(change_feed: ChangeFeed, heartbeat: float = HEARTBEAT_SECONDS) -> APIRouter:
    """The route `/events`."""
    events = api_router(tags=["events"])

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
        crowded = (
            change_feed.readers >= MAX_STREAMS or change_feed.readers_of(caller.user_id) >= MAX_STREAMS_OF_ONE
        )
        if change_feed.closed or crowded:
            raise Problem(503, ErrorCode.UNAVAILABLE, "实时通知的连接过多，请稍后重试")

        async def ask() -> EventFilter | None:
            try:
                now = await authenticated(request)
            except Problem:
                return None
            return event_filter(now) if Permission.INSPECTION_READ in now.permissions else None

        return StreamingResponse(
            stream(change_feed, last_event_id, ask, heartbeat, caller.user_id),
            media_type="text/event-stream",
            # A proxy must not collect events before it passes them on.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return events
