"""Lets web pages of the origins in the settings use the service (CORS).

The layer is active only if the settings name an origin. It does not change requests of other origins, or
without an origin.
"""

from __future__ import annotations

from collections.abc import Collection

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from service.web.envelope import failure_body
from service.web.middleware import SECURITY_HEADERS, new_request_id
from shared.record.codes import ErrorCode
from shared.wire.common import ERROR_HEADER, UPDATED_BY
from shared.wire.face import DEVICE_HEADER

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT")

REQUEST_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range"),
    *("Last-Event-ID", "Range", "X-Request-Id", DEVICE_HEADER),
)
"""Request headers that a page may set: those that operations read."""

EXPOSED_HEADERS = (
    *("Allow", "Content-Disposition", "Content-Range", "ETag", "Retry-After", "WWW-Authenticate"),
    *(UPDATED_BY, ERROR_HEADER, "X-Request-Id"),
)
"""Response headers that a page may read, beside the ones that every page may read."""

PREFLIGHT_SECONDS = 600
"""How long a browser may cache the answer to a preflight."""

_NO_ORIGIN = Headers({})


class AllowedOrigins(CORSMiddleware):
    """Answers the preflights of pages of `origins`, and lets these pages read the answers.

    Tokens are sent in a header that only the page can set. So cookies and other credentials are not allowed.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=METHODS,
            allow_headers=REQUEST_HEADERS,
            expose_headers=EXPOSED_HEADERS,
            max_age=PREFLIGHT_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self.is_allowed_origin(Headers(scope=scope).get("origin", "")):
            await super().__call__(scope, receive, send)
        else:
            await self.simple_response(scope, receive, send, _NO_ORIGIN)

    def preflight_response(self, request_headers: Headers) -> Response:
        """The answer to a preflight, with the headers that every answer has."""
        response = super().preflight_response(request_headers)
        if response.status_code != 200:
            text = "请求无法解析，请检查请求的格式"
            failure = JSONResponse(failure_body(ErrorCode.INVALID_INPUT, text), response.status_code)
            failure.headers["Vary"] = response.headers["Vary"]
            response = failure
        response.headers.update(dict(SECURITY_HEADERS))
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Request-Id"] = new_request_id()
        return response
