"""Tests the change feed, one client's stream, and the route."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import replace
from types import AsyncGeneratorType
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.changes import ObjectChange
from service.events.change_feed import ChangeFeed
from service.events.routes import MAX_STREAMS_PER_USER, EventFilter, event_filter, router, stream
from service.web.envelope import Problem, install_handlers
from service.web.routing import add_routes
from service.web.security import Caller
from shared.record.codes import ErrorCode, Role
from tests.narrowing import as_instance
from tests.service.domain_app import authenticate_by_role, create_caller, create_client, role_headers


def record_change(number: int) -> ObjectChange:
    return ObjectChange("update", "record", f"r{number}", "u1", "10.0.0.1", {"name": ["secret", "contents"]})


async def pass_all_events() -> EventFilter:
    return lambda event: True


async def end_of_login() -> None:
    return None


def parse_message(message: bytes) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in message.decode().strip().splitlines())


async def read_messages(messages: AsyncIterator[bytes], count: int) -> list[dict[str, str]]:
    async with asyncio.timeout(20):
        return [parse_message(await anext(messages)) for _ in range(count)]


@pytest.fixture
def change_feed() -> ChangeFeed:
    """A feed that keeps the last ten changes."""
    return ChangeFeed(10)


async def test_change_arrives_without_its_content(change_feed: ChangeFeed) -> None:
    messages = stream(change_feed, None, pass_all_events, 60)
    assert await read_messages(messages, 1) == [{"retry": "2000"}]
    waiting = asyncio.create_task(read_messages(messages, 2))
    await asyncio.sleep(0.01)
    await asyncio.to_thread(
        change_feed.after_commit,
        [record_change(1), ObjectChange("login", "user", audit_only=True), record_change(2)],
    )
    first, second = await waiting
    assert first["event"] == "change"
    data = json.loads(first["data"])
    assert set(data) == {"id", "action", "kind", "object_id", "actor", "at"}
    assert (data["action"], data["kind"], data["object_id"], data["actor"]) == (
        "update",
        "record",
        "r1",
        "u1",
    )
    assert data["id"] == first["id"]
    assert data["at"].endswith("Z")
    assert json.loads(second["data"])["object_id"] == "r2"
    assert "secret" not in first["data"]
    await as_instance(messages, AsyncGeneratorType).aclose()
    assert change_feed.reader_count == 0


async def test_client_continues_after_its_last_event(change_feed: ChangeFeed) -> None:
    change_feed.after_commit([record_change(n) for n in range(1, 6)])
    third = change_feed.event_id(3)
    messages = stream(change_feed, third, pass_all_events, 60)
    got = await read_messages(messages, 3)
    assert [json.loads(m["data"])["object_id"] for m in got[1:]] == ["r4", "r5"]


async def test_client_that_missed_too_much_must_reload(change_feed: ChangeFeed) -> None:
    first = change_feed.event_id(0)
    change_feed.after_commit([record_change(n) for n in range(1, 20)])
    messages = stream(change_feed, first, pass_all_events, 60)
    _, resync = await read_messages(messages, 2)
    assert resync["event"] == "resync"
    assert resync["id"] == change_feed.event_id(19)
    change_feed.after_commit([record_change(20)])
    (news,) = await read_messages(messages, 1)
    assert json.loads(news["data"])["object_id"] == "r20"


async def test_slow_client_gets_reset_event(change_feed: ChangeFeed) -> None:
    messages = stream(change_feed, None, pass_all_events, 60)
    change_feed.after_commit([record_change(0)])
    await read_messages(messages, 1)
    # The client reads nothing during many changes.
    change_feed.after_commit([record_change(n) for n in range(1, 50)])
    (resync,) = await read_messages(messages, 1)
    assert resync["event"] == "resync"


@pytest.mark.parametrize("event_id", ["", "x", "other-3", "x-", "-1", "٣-٣"])
async def test_client_with_an_id_of_another_run_must_reload(change_feed: ChangeFeed, event_id: str) -> None:
    messages = stream(change_feed, event_id, pass_all_events, 60)
    assert [m.get("event") for m in await read_messages(messages, 2)] == [None, "resync"]


async def test_client_with_an_id_from_the_future_must_reload(change_feed: ChangeFeed) -> None:
    assert change_feed.find_position(change_feed.event_id(1)) is None
    assert change_feed.find_position(change_feed.event_id(0)) == 0


async def test_heartbeat_is_sent_without_changes(change_feed: ChangeFeed) -> None:
    messages = stream(change_feed, None, pass_all_events, 0.02)
    await read_messages(messages, 1)
    async with asyncio.timeout(20):
        assert await anext(messages) == b": alive\n\n"
        assert await anext(messages) == b": alive\n\n"


async def test_stream_ends_with_the_login(change_feed: ChangeFeed) -> None:
    got = [parse_message(message) async for message in stream(change_feed, None, end_of_login, 0.02)]
    assert got[-1]["event"] == "end"
    assert change_feed.reader_count == 0


async def test_stream_ends_with_the_login_during_many_changes() -> None:
    change_feed = ChangeFeed(1000)

    async def busy() -> None:
        number = 0
        while True:
            change_feed.after_commit([record_change(number := number + 1)])
            await asyncio.sleep(0.001)

    noise = asyncio.create_task(busy())
    async with asyncio.timeout(20):
        got = [parse_message(message) async for message in stream(change_feed, None, end_of_login, 0.05)]
    noise.cancel()
    assert got[-1]["event"] == "end"


def test_client_receives_only_changes_that_it_may_read() -> None:
    changes = [
        ObjectChange("create", "user", "u2", "u1"),
        ObjectChange("update", "user", "nobody", "u1"),
        ObjectChange("update", "face_policy", "1", "u1"),
        ObjectChange("restore", "service"),
        ObjectChange("something", "of another version", "x"),
        ObjectChange("update", "task", "t1", "u1"),
        ObjectChange("update", "record", "r1", "u1"),
    ]

    async def receive(caller: Caller) -> list[str]:
        change_feed = ChangeFeed()

        async def ask() -> EventFilter:
            return event_filter(caller)

        messages = stream(change_feed, change_feed.event_id(0), ask, 60)
        change_feed.after_commit(changes)
        got: list[str] = []
        await read_messages(messages, 1)
        while "r1" not in got:
            (message,) = await read_messages(messages, 1)
            got.append(json.loads(message["data"])["object_id"])
        return got

    assert asyncio.run(receive(create_caller(Role.VIEWER))) == ["t1", "r1"]
    assert asyncio.run(receive(replace(create_caller(Role.VIEWER), user_id="u2"))) == ["u2", "t1", "r1"]
    everything = [record_change.object_id for record_change in changes]
    assert asyncio.run(receive(create_caller(Role.ADMIN))) == everything


async def test_client_receives_no_change_after_its_login(change_feed: ChangeFeed) -> None:
    messages = stream(change_feed, None, end_of_login, 60)
    await read_messages(messages, 1)
    change_feed.after_commit([record_change(1)])
    # Long before the heartbeat.
    assert [message["event"] for message in await read_messages(messages, 1)] == ["end"]


def test_streams_are_limited_per_user(change_feed: ChangeFeed) -> None:
    with ExitStack() as streams, create_client(router(change_feed), role=Role.VIEWER) as client:
        for user_id in ("another user", create_caller(Role.VIEWER).user_id):
            for _ in range(MAX_STREAMS_PER_USER):
                streams.enter_context(change_feed.count_reader(user_id))
        answer = client.get("/api/events")
    assert answer.status_code == 503
    assert change_feed.reader_count == 0
    assert "连接过多" in answer.json()["msg"]


async def test_close_ends_every_stream(change_feed: ChangeFeed) -> None:
    async def read() -> list[bytes]:
        return [message async for message in stream(change_feed, None, pass_all_events, 60)]

    reader_count = [asyncio.create_task(read()) for _ in range(3)]
    await asyncio.sleep(0.01)
    assert change_feed.reader_count == 3
    await asyncio.to_thread(change_feed.close)
    async with asyncio.timeout(20):
        await asyncio.gather(*reader_count)
    assert change_feed.reader_count == 0


def test_change_is_added_after_a_readers_loop_has_closed(change_feed: ChangeFeed) -> None:
    async def read() -> None:
        messages = stream(change_feed, None, pass_all_events, 60)
        await read_messages(messages, 1)
        count_reader = asyncio.create_task(read_messages(messages, 1))
        await asyncio.sleep(0.01)
        assert not count_reader.done()

    # The end of the loop cancels its last task.
    asyncio.run(read())
    change_feed.after_commit([record_change(1)])
    assert change_feed.reader_count == 0


async def test_stream_opened_after_the_close_ends(change_feed: ChangeFeed) -> None:
    change_feed.close()
    async with asyncio.timeout(20):
        got = [message async for message in stream(change_feed, None, pass_all_events, 60)]
    assert got == [b"retry: 2000\n\n"]


def test_route_checks_the_login_again() -> None:
    questions = 0

    async def authenticate(token: str, address: str) -> Caller:
        nonlocal questions
        questions += 1
        if questions > 2:
            raise Problem(401, ErrorCode.LOGIN_EXPIRED, "登录已过期，请重新登录")
        return create_caller(Role.VIEWER)

    app = FastAPI()
    install_handlers(app)
    app.state.authenticate = authenticate
    add_routes(app, router(ChangeFeed(), heartbeat=0.02))
    with TestClient(app) as client:
        answer = client.get("/api/events", headers={"Authorization": "Bearer x"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.count(": alive") == 1
    assert answer.text.endswith("event: end\ndata: {}\n\n")


def test_server_with_an_open_stream_stops(change_feed: ChangeFeed) -> None:
    app = FastAPI()
    app.state.authenticate = authenticate_by_role
    add_routes(app, router(change_feed))

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            change_feed.close()
            await super().shutdown(sockets)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        # Without a time limit uvicorn waits until streams end by themselves.
        server = Server(uvicorn.Config(app, log_config=None, ws="none", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/api/events"
        got: list[Any] = []
        with httpx.stream("GET", url, headers=role_headers(Role.VIEWER), timeout=10) as answer:
            lines = answer.iter_lines()
            got.append(next(lines))
            change_feed.after_commit([record_change(1)])
            while not got[-1].startswith("data"):
                got.append(next(lines))
            server.should_exit = True
            assert list(lines)[-1] == ""
        thread.join(60)
        assert not thread.is_alive()
