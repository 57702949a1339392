"""Streams changes to every client immediately, so that it can reload the changed objects."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from service.events.change_feed import ChangeFeed
from service.web.envelope import Problem, failures
from service.web.routing import api_router
from service.web.security import Caller, authenticate_request, require
from shared.record.codes import ErrorCode, Permission
from shared.wire.events import ChangeEvent

HEARTBEAT_SECONDS = 15.0
RECHECK_SECONDS = 1.0
"""How long a withdrawn permission may still open an event."""
MAX_STREAMS = 500
MAX_STREAMS_PER_USER = 20
"""Most streams of one user, so that none uses up the streams of others. Each window has one."""

# The permission to read an object includes its changes. Other changes need the permission for the audit log.
_READ_PERMISSIONS: Final[Mapping[str, Permission]] = {
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

_STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
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
    """A filter for `caller`: passes changes of objects that they may read, and of their own account."""

    def may_see(event: ChangeEvent) -> bool:
        if event.kind == "user" and event.object_id == caller.user_id:
            return True
        return _READ_PERMISSIONS.get(event.kind, Permission.AUDIT_READ) in caller.permissions

    return may_see


async def stream(
    change_feed: ChangeFeed,
    last_event_id: str | None,
    current_filter: Callable[[], Awaitable[EventFilter | None]],
    heartbeat: float,
    user_id: str = "",
) -> AsyncIterator[bytes]:
    """The text of one client's stream: events after `last_event_id`, and a comment every `heartbeat` seconds.

    `current_filter` returns the filter for the events that the client may receive at this moment, or None if
    it may no longer receive any. It is called at each heartbeat, and before events if its last result is
    older than `RECHECK_SECONDS`. The stream ends when it returns None, or when the feed closes.
    """
    clock = asyncio.get_running_loop()
    with change_feed.count_reader(user_id):
        # From this position, so that changes during the first line are sent too.
        position = change_feed.find_position(last_event_id)
        # Opens the stream immediately, and sets the pause before a new connection (milliseconds).
        yield b"retry: 2000\n\n"
        if position is None:
            position = change_feed.events_after(0).position
            yield _message("resync", "{}", change_feed.event_id(position))
        may_see: EventFilter | None = None
        checked_at = -RECHECK_SECONDS
        due = clock.time() + heartbeat
        while True:
            count = change_feed.notifier.count
            if change_feed.is_closed:
                return
            page = change_feed.events_after(position)
            position = page.position
            is_heartbeat_due = clock.time() >= due
            if is_heartbeat_due or (
                (page.events or page.lost) and clock.time() - checked_at >= RECHECK_SECONDS
            ):
                may_see, checked_at = await current_filter(), clock.time()
                if may_see is None:
                    yield _message("end", "{}")
                    return
            if page.lost:
                yield _message("resync", "{}", change_feed.event_id(position))
            for event in page.events:
                if may_see is not None and may_see(event):
                    yield _message("change", event.model_dump_json(), event.id)
            if is_heartbeat_due:
                yield b": alive\n\n"
                due = clock.time() + heartbeat
            await change_feed.notifier.wait(count, due - clock.time())


def router(change_feed: ChangeFeed, heartbeat: float = HEARTBEAT_SECONDS) -> APIRouter:
    """The route `/events`."""
    events = api_router(tags=["events"])

    @events.get(
        "/events",
        response_class=StreamingResponse,
        responses={**failures(401, 403, 422, 503), **_STREAM_RESPONSES},
    )
    async def get_events(
        request: Request,
        last_event_id: Annotated[str | None, Header()] = None,
        caller: Caller = require(Permission.INSPECTION_READ),
    ) -> StreamingResponse:
        """Stream changes as server-sent events without contents."""
        has_too_many = (
            change_feed.reader_count >= MAX_STREAMS
            or change_feed.reader_count_of(caller.user_id) >= MAX_STREAMS_PER_USER
        )
        if change_feed.is_closed or has_too_many:
            raise Problem(503, ErrorCode.UNAVAILABLE, "实时通知的连接过多，请稍后重试")

        async def current_filter() -> EventFilter | None:
            try:
                current_caller = await authenticate_request(request)
            except Problem:
                return None
            if Permission.INSPECTION_READ not in current_caller.permissions:
                return None
            return event_filter(current_caller)

        return StreamingResponse(
            stream(change_feed, last_event_id, current_filter, heartbeat, caller.user_id),
            media_type="text/event-stream",
            # A proxy must forward each event immediately.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return events
