"""Tests the limit of the sum of bodies, and which bodies count towards which sum."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.web.bodies import RETRY_SECONDS, BodyLimit, BodyRule, BodySum, body_rules

MIB = 2**20


async def read_all(_scope: Scope, receive: Receive, send: Send) -> None:
    """Read the whole body, then answer with 204."""
    while (await receive()).get("more_body", False):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def answer(app: ASGIApp, pieces: Iterable[bytes] | AsyncIterator[bytes]) -> list[Message]:
    """What `app` sends for a body in `pieces`."""
    sent: list[Message] = []
    if not isinstance(pieces, AsyncIterator):
        pieces = each(pieces)

    async def receive() -> Message:
        piece = await anext(pieces, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "http", "path": "/", "headers": [(b"transfer-encoding", b"chunked")]}
    await app(scope, receive, send)
    return sent


async def each(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def test_a_body_without_room_is_refused_until_another_is_answered() -> None:
    bodies = BodySum(100)
    app = BodyLimit(read_all, lambda _path: BodyRule(80, bodies))

    async def scene() -> tuple[list[Message], list[Message], list[Message]]:
        room_asked, may_end = asyncio.Event(), asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            yield b"x" * 60
            room_asked.set()
            await may_end.wait()

        first = asyncio.create_task(answer(app, slow()))
        await room_asked.wait()
        refused = await answer(app, [b"x" * 30, b"x" * 11])
        fitting = await answer(app, [b"x" * 40])
        assert bodies.held == 60
        may_end.set()
        assert (await first)[0]["status"] == 204
        return refused, fitting, await answer(app, [b"x" * 80])

    refused, fitting, later = await scene()
    assert refused[0]["status"] == 503
    headers = dict(refused[0]["headers"])
    assert headers[b"retry-after"] == str(RETRY_SECONDS).encode()
    assert headers[b"connection"] == b"close"
    assert json.loads(refused[1]["body"])["data"] == {"error": "unavailable"}
    assert (fitting[0]["status"], later[0]["status"]) == (204, 204)
    assert bodies.held == 0


@pytest.mark.parametrize("pieces", [[b"x" * 81], [b"x" * 80, b"x"]])
async def test_a_body_that_is_too_large_is_not_counted_longer(pieces: list[bytes]) -> None:
    bodies = BodySum(1000)
    sent = await answer(BodyLimit(read_all, lambda _path: BodyRule(80, bodies)), pieces)
    assert sent[0]["status"] == 413
    assert bodies.held == 0


def test_face_logins_take_no_room_from_bodies_with_a_login() -> None:
    rule = body_rules(16 * MIB, 2048 * MIB, 256 * MIB)
    of_faces, with_login = rule("/api/auth/loginByFaceInfo").bodies, rule("/inspection_item/create").bodies
    assert of_faces is not None
    assert with_login is not None
    assert (of_faces.max_bytes, with_login.max_bytes) == (64 * MIB, 192 * MIB)
    assert rule("/auth/loginByFaceChallenge").bodies is of_faces
    assert rule("/api/phone/uploads/u1").bodies is with_login
    # Small, or written to disk as they arrive.
    for path in ("/api/auth/login", "/api/phone/claim", "/api/files", "/api/detection/models/m/trial"):
        assert rule(path).bodies is None, path


def test_one_body_always_fits_into_a_sum() -> None:
    rule: Any = body_rules(16 * MIB, 16 * MIB, MIB)
    assert rule("/auth/loginByFaceInfo").bodies.max_bytes == 16 * MIB
    assert rule("/users").bodies.max_bytes == 16 * MIB
