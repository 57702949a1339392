"""How the service answers: envelopes, refusals of the contract, and every other failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

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
    403: (ErrorCode.PERMISSION_MISSING, "权限不足"),
    404: (ErrorCode.NOT_FOUND, "请求的地址不存在"),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "此地址不支持该请求方法"),
    413: (ErrorCode.TOO_LARGE, "请求内容过大"),
    415: (ErrorCode.UNSUPPORTED_MEDIA, "不支持的内容类型"),
    422: (ErrorCode.INVALID_INPUT, "请求的内容有误，请检查后重试"),
    429: (ErrorCode.TOO_MANY_REQUESTS, "请求过于频繁，请稍后再试"),
    503: (ErrorCode.UNAVAILABLE, "服务暂时不可用，请稍后再试"),
}

_DESCRIPTIONS = {
    400: "The request can not be parsed",
    401: "No token, a bad one or an expired one",
    403: "A permission is missing",
    404: "No such thing",
    409: "In conflict with what is there",
    412: "If-Match names an older version",
    413: "Larger than allowed",
    415: "Not a type that is read here",
    416: "No such range",
    422: "A field is missing or wrong",
    429: "Too many requests; Retry-After says when",
    503: "Not available now",
}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route for the failures it can answer, for OpenAPI."""
    return {status: {"model": Failure, "description": _DESCRIPTIONS[status]} for status in statuses}


def failure_body(error: str, msg: str, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The envelope of a failure as a plain dict."""
    return {"code": 1, "data": {"error": error, **(details or {})}, "msg": msg}


def _fields(errors: Sequence[Any]) -> list[dict[str, str]]:
    # Where and what kind, never the input itself: it may be a password or a picture.
    fields = []
    for error in errors:
        # What is no JSON has no fields, only a character where reading ended.
        parts = () if error["type"] == "json_invalid" else error["loc"]
        place = ".".join(str(part) for part in parts if part not in ("body", "query", "path"))
        message = str(error["msg"]).removeprefix("Value error, ")
        fields.append({"field": place, "type": str(error["type"]), "message": message})
    return fields[:50]


async def _on_refusal(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Refusal)
    return JSONResponse({"code": 1, "data": problem.data, "msg": problem.msg})


async def _on_problem(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Problem)
    body = failure_body(problem.error, problem.msg, problem.details)
    return JSONResponse(body, status_code=problem.status, headers=problem.headers)


async def _on_invalid(_request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, RequestValidationError)
    errors = problem.errors()
    fields = _fields(errors)
    named = "、".join(dict.fromkeys(field["field"] for field in fields if field["field"]))
    if named:
        msg = f"请求的内容有误，请检查：{named}"
    elif any(error["type"] == "json_invalid" for error in errors):
        msg = _FALLBACK[400][1]
    else:
        msg = "请求的内容需要是 JSON 对象，并以 Content-Type: application/json 发送"
    return JSONResponse(failure_body(ErrorCode.INVALID_INPUT, msg, {"fields": fields}), status_code=422)


async def _on_http(request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, HTTPException)
    error, msg = _FALLBACK.get(problem.status_code, (ErrorCode.INTERNAL, "服务出错，请稍后再试"))
    headers = dict(problem.headers or {})
    if problem.status_code == 405:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    return JSONResponse(failure_body(error, msg), status_code=problem.status_code, headers=headers)


def _methods(request: Request) -> set[str]:
    # Each method of a path is a route of its own, and the router names only those of the first.
    asked, paths = request.scope["path"], request.app.openapi()["paths"]
    matching = [asked] if asked in paths else [path for path in paths if compile_path(path)[0].match(asked)]
    return {method.upper() for path in matching for method in paths[path]}


def install_handlers(app: FastAPI) -> None:
    """Make every failure of `app` leave as an envelope, never as HTML or a trace."""
    app.add_exception_handler(Refusal, _on_refusal)
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
