"""Limits bodies, each by its size and its time and those in memory by their sum, and reads JSON ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.message import Message as MimeHeaders
from functools import partial

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.web.envelope import Problem
from service.web.middleware import send_failure
from shared.record.codes import ErrorCode
from shared.wire.phone import MAX_PART_BYTES
from shared.wire.text import fill

BODY_SECONDS = 30.0
"""How long a body may take, in addition to the time that its size allows. Limits slow senders."""

BODY_RATE = 16 * 1024
"""Bytes per second that a body needs after `BODY_SECONDS`; even slow networks are faster."""

OPEN_BODY_RATE = 128 * 1024
"""The same for a large body of a client without a login, which holds memory that others wait for."""

SMALL_BODY_BYTES = 64 * 1024
"""Most bytes of a body without a login: as much as the server buffers for each connection."""

RETRY_SECONDS = 5
"""When a client may try again whose body found no room."""


class BodySum:
    """The bytes of all bodies of one kind that are in memory, and their limit."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.held = 0


@dataclass(frozen=True)
class BodyRule:
    """The limits of the bodies for a path.

    `bodies`: what they count towards; None for bodies that are small or written to disk as they arrive.
    """

    max_bytes: int
    bodies: BodySum | None = None
    rate: int = BODY_RATE


BodyRules = Callable[[str], BodyRule]
"""Returns the limits of the bodies for a path."""


_SMALL = frozenset(
    {
        *("/auth/faceChallenge", "/auth/first-run", "/auth/login", "/auth/logout", "/auth/refresh"),
        *("/phone/claim", "/phone/uploads"),
    }
)
_OF_FACES = frozenset({"/auth/loginByFaceChallenge", "/auth/loginByFaceInfo"})
_UPLOADS = frozenset({"/files", "/detection/models"})


def body_rules(max_body_bytes: int, max_upload_bytes: int, max_bodies_bytes: int) -> BodyRules:
    """The rules of the service's paths.

    `max_bodies_bytes` limits the sum of all bodies in memory. Face logins get a quarter of it, so that
    clients without a login take no room from the others.
    """
    quarter = max_bodies_bytes // 4
    of_faces = BodySum(max(quarter, max_body_bytes))
    with_login = BodySum(max(max_bodies_bytes - quarter, max_body_bytes))

    def rule(path: str) -> BodyRule:
        path = path.removeprefix("/api")
        if path in _SMALL:
            return BodyRule(SMALL_BODY_BYTES)
        if path in _OF_FACES:
            return BodyRule(max_body_bytes, of_faces, OPEN_BODY_RATE)
        if path in _UPLOADS or path.endswith("/trial"):
            return BodyRule(max_upload_bytes)
        return BodyRule(MAX_PART_BYTES if path.startswith("/phone/") else max_body_bytes, with_login)

    return rule


class _RefusedError(Exception):
    """The body was larger than the limit, took too long, or found no room."""


class BodyLimit:
    """Refuses a body that is too large, by its Content-Length or its received bytes, or that is too slow.

    Refuses with 503 a body that would exceed the sum of bodies. A body counts until it is answered.
    """

    def __init__(self, app: ASGIApp, rules: BodyRules) -> None:
        self.app = app
        self.rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        names = {name for name, _ in scope["headers"]}
        if b"content-length" not in names and b"transfer-encoding" not in names:
            # There is no body.
            await self.app(scope, receive, send)
            return
        rule = self.rules(scope["path"])
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdigit() and int(length) > rule.max_bytes:
            await _too_large(send, rule.max_bytes)
            return
        body = _Body(rule, receive, send)
        try:
            await self.app(scope, body.receive, body.send)
        except _RefusedError:
            await body.refuse()
        finally:
            body.release()


class _Body:
    """The body of one request."""

    def __init__(self, rule: BodyRule, receive: Receive, send: Send) -> None:
        self._rule, self._receive, self._send = rule, receive, send
        self._clock = asyncio.get_running_loop()
        self._started_at = self._clock.time()
        self._received, self._is_complete, self._is_refused = 0, False, False
        self._refusal: Callable[[Send], Awaitable[None]] | None = None

    async def receive(self) -> Message:
        """The next message of the client. Raises _RefusedError."""
        time = BODY_SECONDS + self._received / self._rule.rate
        # After the body comes the end of the connection, which may take long.
        deadline = None if self._is_complete else self._started_at + time
        try:
            async with asyncio.timeout_at(deadline):
                message = await self._receive()
        except TimeoutError:
            self._refusal = _too_slow
            raise _RefusedError from None
        self._is_complete = not message.get("more_body", False)
        self._count(len(message.get("body", b"")))
        return message

    def _count(self, size: int) -> None:
        self._received += size
        if self._received > self._rule.max_bytes:
            self._refusal = partial(_too_large, limit=self._rule.max_bytes)
        bodies = self._rule.bodies
        if bodies is not None:
            bodies.held += size
            if bodies.held > bodies.max_bytes:
                self._refusal = self._refusal or _too_many
        if self._refusal is not None:
            raise _RefusedError

    async def send(self, message: Message) -> None:
        """Send a message of the operation, or the refusal if the operation answers the exception itself."""
        if self._refusal is None:
            await self._send(message)
        else:
            await self.refuse()

    async def refuse(self) -> None:
        """Send the refusal, once."""
        if self._refusal is not None and not self._is_refused:
            self._is_refused = True
            await self._refusal(self._send)

    def release(self) -> None:
        """Stop counting the body."""
        if self._rule.bodies is not None:
            self._rule.bodies.held -= self._received


def size_text(size: int) -> str:
    """`size` bytes in MB, or in KB below one MB; both are powers of two."""
    return f"{size // 2**20} MB" if size >= 2**20 else f"{size // 2**10} KB"


# The rest of a refused body is not read, so the connection cannot be used again.


async def _too_large(send: Send, limit: int) -> None:
    msg = fill("请求内容过大，上限为 {limit}", limit=size_text(limit))
    await send_failure(send, 413, ErrorCode.TOO_LARGE, msg, close=True, limit=limit)


async def _too_slow(send: Send) -> None:
    msg = "请求内容传输超时，请检查网络后重试"
    await send_failure(send, 408, ErrorCode.TOO_SLOW, msg, close=True)


async def _too_many(send: Send) -> None:
    msg = "服务正在接收的内容过多，请稍后重试"
    headers = [(b"retry-after", str(RETRY_SECONDS).encode())]
    await send_failure(send, 503, ErrorCode.UNAVAILABLE, msg, headers, close=True)


_JSON = "application/json"
_NOT_READABLE = "请求无法解析，请检查请求的格式"
_NOT_JSON = "不支持的内容类型，请以 Content-Type: application/json 发送 JSON"


async def read_json(request: Request) -> None:
    """Read and parse the body of a request, if it has one; the request stores it for the operation.

    Raises Problem 415 if the content type is not JSON. Raises Problem 422 if the text is not JSON, is not
    UTF-8, is nested too deep or contains an integer with too many digits.
    """

    try:
        if await request.body():
            if not _is_json_type(request.headers.get("content-type", "")):
                raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, _NOT_JSON)
            await request.json()
    except ClientDisconnect as problem:
        raise Problem(400, ErrorCode.INVALID_INPUT, _NOT_READABLE) from problem
    except (ValueError, RecursionError):
        # Without the cause, because its text repeats the input.
        fault = {"field": "", "type": "json_invalid", "message": _NOT_READABLE}
        raise Problem(422, ErrorCode.INVALID_INPUT, _NOT_READABLE, fields=[fault]) from None


def _is_json_type(content_type: str) -> bool:
    if content_type == _JSON:
        return True
    headers = MimeHeaders()
    headers["content-type"] = content_type
    kind = headers.get_content_type()
    return kind == _JSON or (kind.startswith("application/") and kind.endswith("+json"))
