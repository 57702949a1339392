"""Handles the parts that every request has: ID, log line, headers, host, prefix and crashes.

Pure ASGI: one BaseHTTPMiddleware costs more than half of the throughput.
"""

from __future__ import annotations

import contextvars
import json
import logging
import random
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.db.storage_faults import classify_storage_fault
from service.exception_trace import trace_of
from service.web.envelope import failure_body
from service.web.language import accept_language
from shared.record.codes import ErrorCode, StorageFault
from shared.wire.text import fill

log = logging.getLogger("walkaround.http")

request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")

_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})

SECURITY_HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    # An answer that is opened in a browser may load and run nothing. The page of the API sets its own policy.
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
)

_ADDED_HEADERS = [
    (name.encode(), value.encode())
    for name, value in (
        *SECURITY_HEADERS,
        ("cache-control", "no-store"),
        # `AnswerForm` compresses answers for clients that accept it.
        ("vary", "Accept-Encoding"),
    )
]


_RETRY_AFTER = (b"retry-after", b"5")
"""Added to each 503 that does not say itself when to repeat the request, as docs/api.md promises."""

# Not the random numbers of the system: the ID of a request is not a secret, and calling the system releases
# the interpreter's lock.
_random = random.Random(secrets.randbits(128))  # noqa: S311


def new_request_id() -> str:
    """A random ID for a request whose client sent none."""
    return f"{_random.getrandbits(64):016x}"


async def send_failure(
    send: Send,
    status: int,
    error: ErrorCode,
    msg: str,
    more_headers: Sequence[tuple[bytes, bytes]] = (),
    *,
    close: bool = False,
    **details: Any,
) -> None:
    """Answer a request that reaches no operation; with `close` the connection ends."""
    body = json.dumps(failure_body(error, msg, details), ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if close:
        headers.append((b"connection", b"close"))
    headers.extend(more_headers)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _has_two_lengths(headers: Headers) -> bool:
    # RFC 9112, 6.1: a proxy may have used the other length, and read the rest as the request of another user.
    return "content-length" in headers and "transfer-encoding" in headers


RequestObserver = Callable[[str, str | None, int, float, str, Headers], None]
"""Receives the end of a request: method; template of the path, None if no route matched; status, 0 if the
client left before the answer; seconds; ID; headers."""


class RequestMiddleware:
    """Adds an ID, a log line and the security headers to each request, and answers it after a crash.

    `observers` are called at the end of each request. With `writes_log` the middleware writes the log line.
    """

    def __init__(
        self, app: ASGIApp, observers: Sequence[RequestObserver] = (), *, writes_log: bool = True
    ) -> None:
        self.app = app
        self._observers = tuple(observers)
        self._writes_log = writes_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_headers = Headers(scope=scope)
        given_id = request_headers.get("x-request-id", "")
        this_id = given_id if _VALID_ID.fullmatch(given_id) else new_request_id()
        token = request_id.set(this_id)
        language = accept_language.set(request_headers.get("accept-language", ""))
        started_at = time.perf_counter()
        status = 0
        # The router and the layers inside change their scope; the server reads its own.
        inner_scope = {**scope}

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.get("headers") or ()
                given_names = {name.lower() for name, _ in headers}
                message["headers"] = [
                    *headers,
                    (b"x-request-id", this_id.encode()),
                    *(pair for pair in _ADDED_HEADERS if pair[0] not in given_names),
                ]
                if status == 503 and _RETRY_AFTER[0] not in given_names:
                    message["headers"].append(_RETRY_AFTER)
            await send(message)

        try:
            if _has_two_lengths(request_headers):
                msg = "请求同时使用了 Content-Length 和 Transfer-Encoding，请只用其中一个"
                await send_failure(send_with_headers, 400, ErrorCode.INVALID_INPUT, msg, close=True)
                return
            await self.app(inner_scope, receive, send_with_headers)
        except Exception as problem:
            storage_fault = classify_storage_fault(problem)
            if storage_fault in _UNAVAILABLE:
                log.error("%s: %s", this_id, storage_fault)
            else:
                log.error("%s: unexpected %s", this_id, trace_of(problem))
            if status:
                # Too late for another answer. The server would log the text of the exception.
                return
            if storage_fault in _UNAVAILABLE:
                # As an upload that does not fit is answered: waiting alone frees no room.
                is_full = storage_fault is StorageFault.DISK_FULL
                answer = (507, ErrorCode.STORAGE_FULL) if is_full else (503, ErrorCode.UNAVAILABLE)
                await send_failure(send_with_headers, *answer, _UNAVAILABLE[storage_fault])
                return
            msg = fill("服务出错，请重试；如再次出现，请将编号 {number} 告知管理员", number=this_id)
            await send_failure(send_with_headers, 500, ErrorCode.INTERNAL, msg, request_id=this_id)
        finally:
            if self._observers:
                # A route of this path that lacks the method is named as well.
                route = None if status == 405 else getattr(inner_scope.get("route"), "path", None)
                seconds = time.perf_counter() - started_at
                for observe in self._observers:
                    observe(scope["method"], route, status, seconds, this_id, request_headers)
            if self._writes_log and log.isEnabledFor(logging.INFO):
                milliseconds = (time.perf_counter() - started_at) * 1000
                path = scope["path"].encode("unicode_escape").decode("ascii")
                log.info("%s %s %s %d %.1f ms", this_id, scope["method"], path, status, milliseconds)
            accept_language.reset(language)
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
    """Refuses a Host header that is not an address of the service: prevents DNS rebinding by web pages."""

    def __init__(self, app: ASGIApp, allowed: Iterable[str]) -> None:
        self.app = app
        self.allowed = {host.lower() for host in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self.allowed and not _is_plain_health_check(scope):
            host = Headers(scope=scope).get("host", "").lower()
            name = host.rsplit(":", 1)[0] if re.search(r":\d*$", host) else host
            if name not in self.allowed:
                await send_failure(send, 400, ErrorCode.INVALID_INPUT, "Host 请求头不是本服务的地址")
                return
        await self.app(scope, receive, send)


def _is_plain_health_check(scope: Scope) -> bool:
    # Load balancers ask for the health in HTTP/1.0, without a Host. A browser always sends one.
    return scope["path"] == "/healthz" and "host" not in Headers(scope=scope)


class ApiPrefix:
    """Adds the prefix `/api` to a path that lacks it, so that every operation answers without it as well."""

    def __init__(self, app: ASGIApp, first_segments: Iterable[str]) -> None:
        self.app = app
        self.first_segments = frozenset(first_segments)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].split("/", 2)[1:2] != ["api"]:
            first = scope["path"].split("/", 2)[1] if scope["path"].startswith("/") else ""
            if first in self.first_segments:
                scope["path"] = "/api" + scope["path"]
                if scope.get("raw_path") is not None:
                    scope["raw_path"] = b"/api" + scope["raw_path"]
        await self.app(scope, receive, send)


def allowed_hosts(host: str, extra_hosts: Iterable[str]) -> set[str]:
    """The accepted Host names: `extra_hosts` and the names of loopback.

    The set is empty, which accepts any name, if `host` is not loopback and there are no `extra_hosts`.
    """
    hosts = set(extra_hosts)
    if host in {"127.0.0.1", "localhost", "::1"}:
        return hosts | _LOOPBACK
    return hosts | _LOOPBACK if hosts else set()
