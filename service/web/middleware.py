"""Handles what is common to every request: id, log line, headers, limits, prefix and crashes.

Pure ASGI: one BaseHTTPMiddleware costs more than half of the throughput.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import random
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.db.storage_faults import classify_storage_fault
from service.exception_trace import trace_of
from service.web.envelope import failure_body
from service.web.route_index import SEEN_ROUTE
from shared.codes import ErrorCode, StorageFault

log = logging.getLogger("walkaround.http")

request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")

_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})

SECURITY_HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    # Opened in a browser, no answer may load or run anything; the page of the API has a policy of its own.
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
)

_ADDED_HEADERS = [
    (name.encode(), value.encode())
    for name, value in (
        *SECURITY_HEADERS,
        ("cache-control", "no-store"),
        # `AnswerForm` compresses for those who ask for it.
        ("vary", "Accept-Encoding"),
    )
]


# Of the program, not of the system: an id of a request is no secret, and asking the system releases the
# interpreter's lock.
_random = random.Random(secrets.randbits(128))  # noqa: S311


def new_request_id() -> str:
    """A random id for a request whose client gave none."""
    return f"{_random.getrandbits(64):016x}"


async def _answer(
    send: Send, status: int, error: ErrorCode, msg: str, *, close: bool = False, **details: Any
) -> None:
    body = json.dumps(failure_body(error, msg, details), ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


BODY_SECONDS = 30.0
"""How long a body may take, in addition to the time that its size allows: slow bytes hold no connection."""

BODY_RATE = 16 * 1024
"""Bytes per second below which a body is refused after `BODY_SECONDS`: a slow network is faster."""


class _RefusedError(Exception):
    """The body went over the limit, or its time, while it arrived."""


def _is_repeated(headers: Headers) -> bool:
    # RFC 9112, 6.1: someone in between may have read the other length, and taken what follows for a request
    # of another user.
    return "content-length" in headers and "transfer-encoding" in headers


RequestObserver = Callable[[str, str | None, int, float, str, Headers], None]
"""Is notified how a request ended: its method; the template of its path, None if no route matched it; the
status, 0 if the client left before there was an answer; seconds; its id; its headers."""


class RequestMiddleware:
    """Gives each request an id, a log line, the security headers, and an answer to a crash.

    `observers` are notified how each request ended. `logs`: the middleware writes the log line itself.
    """

    def __init__(self, app: ASGIApp, observers: Sequence[RequestObserver] = (), *, logs: bool = True) -> None:
        self.app = app
        self._observers = tuple(observers)
        self._logs = logs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_headers = Headers(scope=scope)
        given_id = request_headers.get("x-request-id", "")
        number = given_id if _VALID_ID.fullmatch(given_id) else new_request_id()
        token = request_id.set(number)
        started = time.perf_counter()
        status = 0
        if self._observers:
            scope[SEEN_ROUTE] = []

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.get("headers") or ()
                present = {name.lower() for name, _ in headers}
                message["headers"] = [
                    *headers,
                    (b"x-request-id", number.encode()),
                    *(pair for pair in _ADDED_HEADERS if pair[0] not in present),
                ]
            await send(message)

        try:
            if _is_repeated(request_headers):
                msg = "请求同时使用了 Content-Length 和 Transfer-Encoding，请只用其中一个"
                await _answer(send_with_headers, 400, ErrorCode.INVALID_INPUT, msg, close=True)
                return
            await self.app(scope, receive, send_with_headers)
        except Exception as problem:
            log.error("%s: unexpected %s", number, trace_of(problem))
            if status:
                # Too late for another answer. The server ends the connection, and would log the text.
                return
            storage_fault = classify_storage_fault(problem)
            if storage_fault in _UNAVAILABLE:
                await _answer(send_with_headers, 503, ErrorCode.UNAVAILABLE, _UNAVAILABLE[storage_fault])
                return
            msg = f"服务出错，请重试；如再次出现，请将编号 {number} 告知管理员"
            await _answer(send_with_headers, 500, ErrorCode.INTERNAL, msg, request_id=number)
        finally:
            if self._observers:
                route = scope[SEEN_ROUTE][0] if scope[SEEN_ROUTE] else None
                seconds = time.perf_counter() - started
                for observe in self._observers:
                    observe(scope["method"], route, status, seconds, number, request_headers)
            if self._logs and log.isEnabledFor(logging.INFO):
                milliseconds = (time.perf_counter() - started) * 1000
                path = scope["path"].encode("unicode_escape").decode("ascii")
                log.info("%s %s %s %d %.1f ms", number, scope["method"], path, status, milliseconds)
            request_id.reset(token)


_UNAVAILABLE = {
    StorageFault.DISK_FULL: "服务器磁盘空间不足，修改未保存，请联系管理员清理磁盘后重试",
    StorageFault.NOT_WRITABLE: "服务器没有数据目录的写入权限，修改未保存，请联系管理员处理后重试",
    StorageFault.DAMAGED_DATABASE: "服务器数据库已损坏，请联系管理员从备份恢复",
    StorageFault.BUSY_DATABASE: "数据库繁忙，操作未完成，请稍后重试；如反复出现，请联系管理员",
    StorageFault.NO_DATABASE: "数据库无响应，操作可能未完成，请稍后核对并重试；如反复出现，请联系管理员",
    StorageFault.NO_FILE_STORE: "文件存储无响应，请稍后重试；如反复出现，请联系管理员",
}


class HostCheck:
    """Refuses a Host header that is not ours: a web page cannot reach the service by DNS rebinding."""

    def __init__(self, app: ASGIApp, allowed: Iterable[str]) -> None:
        self.app = app
        self.allowed = {host.lower() for host in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self.allowed:
            host = Headers(scope=scope).get("host", "").lower()
            name = host.rsplit(":", 1)[0] if re.search(r":\d*$", host) else host
            if name not in self.allowed:
                await _answer(send, 400, ErrorCode.INVALID_INPUT, "Host 请求头不是本服务的地址")
                return
        await self.app(scope, receive, send)


class BodyLimit:
    """Refuses a body over the limit, by its Content-Length or while it arrives, or that does not arrive."""

    def __init__(self, app: ASGIApp, body_bytes: Callable[[str], int]) -> None:
        self.app = app
        self.body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        names = {name for name, _ in scope["headers"]}
        if b"content-length" not in names and b"transfer-encoding" not in names:
            # There is no body.
            await self.app(scope, receive, send)
            return
        limit = self.body_bytes(scope["path"])
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdigit() and int(length) > limit:
            await _too_large(send, limit)
            return
        clock = asyncio.get_running_loop()
        started_at, received, complete = clock.time(), 0, False
        refuse: Callable[[], Awaitable[None]] | None = None
        refused = False

        async def receive_limited() -> Message:
            nonlocal received, complete, refuse
            # After the body the end of the connection follows, which may take long.
            due = None if complete else started_at + BODY_SECONDS + received / BODY_RATE
            try:
                async with asyncio.timeout_at(due):
                    message = await receive()
            except TimeoutError:
                refuse = partial(_too_slow, send)
                raise _RefusedError from None
            received += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if received > limit:
                refuse = partial(_too_large, send, limit)
                raise _RefusedError
            return message

        async def send_or_refuse(message: Message) -> None:
            # The reader of the body may turn the exception into another answer: this one is sent instead.
            nonlocal refused
            if refuse is None:
                await send(message)
            elif not refused:
                refused = True
                await refuse()

        try:
            await self.app(scope, receive_limited, send_or_refuse)
        except _RefusedError:
            if refuse is not None and not refused:
                await refuse()


# The rest of a refused body is not read, so the connection cannot be used again.


async def _too_large(send: Send, limit: int) -> None:
    msg = f"请求内容过大，上限为 {limit // 2**20} MB"
    await _answer(send, 413, ErrorCode.TOO_LARGE, msg, close=True, limit=limit)


async def _too_slow(send: Send) -> None:
    msg = "请求内容传输超时，请检查网络后重试"
    await _answer(send, 408, ErrorCode.TOO_SLOW, msg, close=True)


class ApiPrefix:
    """Lets every operation answer without the prefix `/api` as well: such a path is rewritten to it."""

    def __init__(self, app: ASGIApp, first_words: Iterable[str]) -> None:
        self.app = app
        self.first_words = frozenset(first_words)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].split("/", 2)[1:2] != ["api"]:
            first = scope["path"].split("/", 2)[1] if scope["path"].startswith("/") else ""
            if first in self.first_words:
                raw = scope.get("raw_path")
                scope = {**scope, "path": "/api" + scope["path"]}
                if raw is not None:
                    scope["raw_path"] = b"/api" + raw
        await self.app(scope, receive, send)


def allowed_hosts(host: str, configured: Iterable[str]) -> set[str]:
    """The Host names to accept: those given; on loopback only loopback's; otherwise (empty set) any."""
    hosts = set(configured)
    if host in {"127.0.0.1", "localhost", "::1"}:
        return hosts | _LOOPBACK
    return hosts | _LOOPBACK if hosts else set()
