"""Defines how the service answers: envelopes, refusals of the contract and every other failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from service.web.field_errors import field_faults, sentence
from shared.codes import ErrorCode
from shared.wire.common import Failure


class Refusal(Exception):  # noqa: N818 - a documented answer, not an error
    """A failure that the contract documents: HTTP 200, code 1, its message and data."""

    def __init__(self, msg: str, data: Any = None) -> None:
        super().__init__(msg)
        self.msg = msg
        self.data = data


class Problem(Exception):  # noqa: N818 - carries a status and a sentence
    """Any other failure: an HTTP status, a stable code, a Chinese sentence to act on, and details."""

    def __init__(
        self,
        status: int,
        error: ErrorCode | str,
        msg: str,
        *,
        headers: Mapping[str, str] | None = None,
        **details: Any,
    ) -> None:
        super().__init__(msg)
        self.status = status
        self.error = str(error)
        self.msg = msg
        self.headers = dict(headers or {})
        self.details = details


_FALLBACK: dict[int, tuple[ErrorCode, str]] = {
    400: (ErrorCode.INVALID_INPUT, "请求无法解析，请检查请求的格式"),
    401: (ErrorCode.NOT_LOGGED_IN, "请先登录"),
    403: (ErrorCode.PERMISSION_MISSING, "没有此操作的权限，请联系管理员"),
    404: (ErrorCode.NOT_FOUND, "请求的地址不存在"),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "此地址不支持该请求方法"),
    413: (ErrorCode.TOO_LARGE, "请求内容过大"),
    415: (ErrorCode.UNSUPPORTED_MEDIA, "不支持的内容类型"),
    422: (ErrorCode.INVALID_INPUT, "请求的内容有误，请检查后重试"),
    429: (ErrorCode.TOO_MANY_REQUESTS, "请求过于频繁，请稍后重试"),
    503: (ErrorCode.UNAVAILABLE, "服务繁忙，请稍后重试"),
}

_DESCRIPTIONS = {
    400: "Not a request that can be read",
    401: "No token, a bad one or an expired one",
    403: "A permission is missing",
    404: "No such thing",
    409: "In conflict with what is there",
    410: "It was there and has ended",
    412: "If-Match names an older version",
    413: "Larger than allowed",
    415: "Not a type that is read here",
    416: "No such range",
    422: "A field is missing or wrong",
    429: "Too many requests; Retry-After says when",
    503: "Not available now",
    507: "No room to store it",
}


# By reference: for a `model`, FastAPI makes a validator for each status of each operation, which doubled the
# time until the service answers. `service.web.api_docs` defines what is referred to.
_FAILURE = {"application/json": {"schema": {"$ref": f"#/components/schemas/{Failure.__name__}"}}}


def invalid(field: str, kind: str, message: str) -> Problem:
    """422 for one field: `kind` is the stable type of the fault, `message` the rule in Chinese."""
    fault = {"field": field, "type": kind, "message": message}
    return Problem(422, ErrorCode.INVALID_INPUT, sentence([fault]), fields=[fault])


def description(status: int) -> str:
    """What a failure with this status means, for OpenAPI."""
    return _DESCRIPTIONS[status]


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route for the failures it can answer, for OpenAPI."""
    return {status: {"content": _FAILURE, "description": description(status)} for status in statuses}


def failure_body(error: str, msg: str, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The envelope of a failure as a plain dict."""
    return {"code": 1, "data": {"error": error, **(details or {})}, "msg": msg}


async def _on_refusal(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Refusal)
    return JSONResponse({"code": 1, "data": problem.data, "msg": problem.msg})


async def _on_problem(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Problem)
    body = failure_body(problem.error, problem.msg, problem.details)
    return JSONResponse(body, status_code=problem.status, headers=problem.headers)


async def _on_invalid(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, RequestValidationError)
    faults = field_faults(problem.errors())
    msg = sentence(faults) or "请求内容应为 JSON 对象，并以 Content-Type: application/json 发送"
    return JSONResponse(failure_body(ErrorCode.INVALID_INPUT, msg, {"fields": faults}), status_code=422)


async def _on_http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    headers = dict(problem.headers or {})
    asks = request.method == "OPTIONS"
    if problem.status_code == 405 or (asks and request.scope["path"] == _EVERYTHING):
        headers["Allow"] = ", ".join(sorted(_methods(request)))
        if asks:
            return Response(status_code=204, headers=headers)
    error, msg = _FALLBACK.get(problem.status_code, (ErrorCode.INTERNAL, "服务出错，请稍后重试"))
    return JSONResponse(failure_body(error, msg), status_code=problem.status_code, headers=headers)


_EVERYTHING = "*"
"""The path of an OPTIONS that asks about the server as a whole (RFC 9110, 9.3.7)."""


def _methods(request: Request) -> set[str]:
    # Each method of a path is a route of its own, and the router names only those of the first.
    path = request.scope["path"]
    routes = [route for route in iter_route_contexts(request.app.routes) if route.path and route.methods]
    if path != _EVERYTHING:
        exact = [route for route in routes if route.path == path]
        routes = exact or [route for route in routes if compile_path(route.path or "")[0].match(path)]
    methods = {method for route in routes for method in route.methods or ()}
    # `layers.answer_form.AnswerForm` answers HEAD, the handler of this failure OPTIONS.
    return methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())


def install_handlers(app: FastAPI) -> None:
    """Make every failure of `app` leave as an envelope, never as HTML or a trace."""
    app.add_exception_handler(Refusal, _on_refusal)
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
