"""Defines the form of answers: envelopes, refusals that the contract documents, and all other failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from service.web.field_errors import describe_faults, field_faults
from service.web.language import translate
from shared.record.codes import ErrorCode
from shared.wire.common import ERROR_HEADER, Failure


class Refusal(Exception):  # noqa: N818 - a documented answer, not an error
    """A failure that the contract documents: HTTP 200, code 1, its message and data.

    The contract leaves no room for `error`, the stable code, in `data`: it is in the header `X-Error`.
    """

    def __init__(self, msg: str, data: str | None = None, *, error: ErrorCode | str) -> None:
        super().__init__(msg)
        self.msg = msg
        self.data = data
        self.error = str(error)


class Problem(Exception):  # noqa: N818 - carries a status and a sentence
    """Any other failure: an HTTP status, a stable code, a Chinese sentence with the remedy, and details."""

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
    400: "Malformed request",
    401: "No valid token",
    403: "Permission missing",
    404: "Not found",
    409: "Conflict with the current state",
    410: "No longer available",
    412: "Changed since the version in If-Match",
    413: "Too large",
    415: "Unsupported media type",
    416: "Range not satisfiable",
    422: "A field is missing or invalid",
    429: "Too many requests; repeat after Retry-After",
    503: "Temporarily unavailable",
    507: "Storage full",
}


# A reference, because FastAPI would create a validator for a `model` for each status of each operation, which
# doubled the time of the start. `service.web.api_docs` adds the schema.
_FAILURE = {"application/json": {"schema": {"$ref": f"#/components/schemas/{Failure.__name__}"}}}


def invalid(field: str, kind: str, message: str) -> Problem:
    """A Problem 422 for one field: `kind` is the stable type of the fault, `message` the rule in Chinese."""
    fault = {"field": field, "type": kind, "message": message}
    return Problem(422, ErrorCode.INVALID_INPUT, describe_faults([fault]), fields=[fault])


def failure_description(status: int) -> str:
    """The description of a failure with this status, for OpenAPI."""
    return _DESCRIPTIONS[status]


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route with these failures, for OpenAPI."""
    return {status: {"content": _FAILURE, "description": failure_description(status)} for status in statuses}


def failure_body(error: str, msg: str, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The envelope of a failure as a plain dict, in the language that the request prefers."""
    data = {"error": error, **(details or {})}
    if "fields" in data:
        data["fields"] = [{**fault, "message": translate(fault["message"])} for fault in data["fields"]]
    return {"code": 1, "data": data, "msg": translate(msg)}


async def _handle_refusal(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Refusal)
    # The messages of the contract have no English form.
    data = None if problem.data is None else translate(problem.data)
    body = {"code": 1, "data": data, "msg": translate(problem.msg)}
    return JSONResponse(body, headers={ERROR_HEADER: problem.error})


async def _handle_problem(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Problem)
    body = failure_body(problem.error, problem.msg, problem.details)
    return JSONResponse(body, status_code=problem.status, headers=problem.headers)


async def _handle_invalid_input(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, RequestValidationError)
    faults = field_faults(problem.errors())
    # A rule about several fields names none.
    rules = [fault["message"] for fault in faults if fault["type"] == "value_error"]
    msg = describe_faults(faults) or next(
        iter(rules), "请求内容应为 JSON 对象，并以 Content-Type: application/json 发送"
    )
    return JSONResponse(failure_body(ErrorCode.INVALID_INPUT, msg, {"fields": faults}), status_code=422)


async def _handle_http_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    headers = dict(problem.headers or {})
    is_options = request.method == "OPTIONS"
    if problem.status_code == 405 or (is_options and request.scope["path"] == _WHOLE_SERVER):
        headers["Allow"] = ", ".join(sorted(_allowed_methods(request)))
        if is_options:
            return Response(status_code=204, headers=headers)
    error, msg = _FALLBACK.get(problem.status_code, (ErrorCode.INTERNAL, "服务出错，请稍后重试"))
    return JSONResponse(failure_body(error, msg), status_code=problem.status_code, headers=headers)


_WHOLE_SERVER = "*"
"""The path of an OPTIONS that asks about the server as a whole (RFC 9110, 9.3.7)."""


def _allowed_methods(request: Request) -> set[str]:
    # Each method of a path is a route, and the router lists only the methods of the first one.
    path = request.scope["path"]
    routes = [route for route in iter_route_contexts(request.app.routes) if route.path and route.methods]
    if path != _WHOLE_SERVER:
        exact = [route for route in routes if route.path == path]
        routes = exact or [route for route in routes if compile_path(route.path or "")[0].match(path)]
    methods = {method for route in routes for method in route.methods or ()}
    # `layers.AnswerForm` answers HEAD, and `_handle_http_error` answers OPTIONS.
    return methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())


def install_handlers(app: FastAPI) -> None:
    """Answer every failure of `app` with an envelope, never with HTML or a traceback."""
    app.add_exception_handler(Refusal, _handle_refusal)
    app.add_exception_handler(Problem, _handle_problem)
    app.add_exception_handler(RequestValidationError, _handle_invalid_input)
    app.add_exception_handler(HTTPException, _handle_http_error)
