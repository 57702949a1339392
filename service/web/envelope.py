"""Defines the form of answers: envelopes, refusals that the contract documents, and all other failures.

Describes invalid request fields: a stable type, and the rule as a Chinese sentence.

No text repeats the input, because it may be a password or a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from service.web.language import translate
from shared.record.codes import ErrorCode
from shared.wire.common import ERROR_HEADER, NO_NUL, NOT_BLANK, Failure
from shared.wire.text import fill, join

_MAX_FIELDS = 50
_FIELDS_IN_SENTENCE = 3

_PLACES = frozenset({"body", "query", "path", "header", "cookie"})
_PATTERNS = {NO_NUL: "不能包含空字符（U+0000）", NOT_BLANK: "不能为空白，也不能包含空字符（U+0000）"}

_TEXT, _INTEGER, _NUMBER = "应为文本", "应为整数", "应为数字"
_OBJECT, _LIST, _BOOLEAN = "应为 JSON 对象", "应为 JSON 数组", "应为 true 或 false"
_DATETIME = "应为 ISO 8601 格式的时间字符串"
_DEFAULT_RULE = "格式或取值不正确"


def _format_limit(context: Mapping[str, Any], name: str) -> str:
    value = context[name]
    return str(int(value)) if float(value).is_integer() else str(value)


def _choice_rule(context: Mapping[str, Any]) -> str:
    names = re.findall(r"'([^']*)'", str(context["expected"]))
    return fill("只能是 {names} 之一", names="、".join(names))


def _too_short_rule(context: Mapping[str, Any]) -> str:
    least = _format_limit(context, "min_length")
    if least == "1":
        return "不能为空"
    if _is_list(context):
        return fill("至少需要 {least} 项", least=least)
    return fill("至少需要 {least} 个字符", least=least)


def _too_long_rule(context: Mapping[str, Any]) -> str:
    most = _format_limit(context, "max_length")
    return fill("最多 {most} 项", most=most) if _is_list(context) else fill("最多 {most} 个字符", most=most)


def _is_list(context: Mapping[str, Any]) -> bool:
    """Whether the length is a number of entries. Pydantic calls a secret text a value."""
    return bool(context.get("field_type", "Value") != "Value")


def _validator_message(context: Mapping[str, Any]) -> str:
    # The validators of this program write Chinese, those of libraries English.
    arguments = getattr(context.get("error"), "args", ())
    text = arguments[0] if arguments and isinstance(arguments[0], str) else ""
    return text if text and not text.isascii() else _DEFAULT_RULE


_RULES: dict[str, str | Callable[[Mapping[str, Any]], str]] = {
    "missing": "必须填写",
    "string_type": _TEXT,
    "string_unicode": "不是有效的 Unicode 文本",
    "string_too_short": _too_short_rule,
    "string_too_long": _too_long_rule,
    "string_pattern_mismatch": lambda context: _PATTERNS.get(context["pattern"], _DEFAULT_RULE),
    "int_type": _INTEGER,
    "int_parsing": _INTEGER,
    "int_parsing_size": _INTEGER,
    "int_from_float": _INTEGER,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "数字必须是有限值",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "greater_than": lambda context: fill("必须大于 {limit}", limit=_format_limit(context, "gt")),
    "greater_than_equal": lambda context: fill("不能小于 {limit}", limit=_format_limit(context, "ge")),
    "less_than": lambda context: fill("必须小于 {limit}", limit=_format_limit(context, "lt")),
    "less_than_equal": lambda context: fill("不能大于 {limit}", limit=_format_limit(context, "le")),
    "enum": _choice_rule,
    "literal_error": _choice_rule,
    "list_type": _LIST,
    "too_short": _too_short_rule,
    "too_long": _too_long_rule,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "datetime_type": _DATETIME,
    "datetime_parsing": _DATETIME,
    "datetime_from_date_parsing": _DATETIME,
    "datetime_object_invalid": _DATETIME,
    "value_error": _validator_message,
}


def describe_rule(kind: str, context: Mapping[str, Any]) -> str:
    """The rule that a field violates, as a Chinese sentence; by pydantic's type of error and its context."""
    wording = _RULES.get(kind, _DEFAULT_RULE)
    return wording if isinstance(wording, str) else wording(context)


def field_faults(errors: Sequence[Any]) -> list[dict[str, str]]:
    """For each error of a validation: `field` (the path, joined by dots), `type` and `message` (the rule)."""
    return [
        {
            "field": _path(error["loc"]),
            "type": str(error["type"]),
            "message": describe_rule(str(error["type"]), error.get("ctx") or {}),
        }
        for error in errors[:_MAX_FIELDS]
    ]


def _path(parts: Sequence[Any]) -> str:
    return ".".join(str(part) for part in (parts[1:] if parts and parts[0] in _PLACES else parts))


def describe_faults(faults: Sequence[Mapping[str, str]]) -> str:
    """The faults as one sentence, each field with its rule; empty if no fault names a field."""
    messages = dict[str, str]()
    for fault in faults:
        if fault["field"]:
            messages.setdefault(fault["field"], fault["message"])
    first_messages = [*messages.items()][:_FIELDS_IN_SENTENCE]
    rules = [fill("{field}：{rule}", field=field, rule=message) for field, message in first_messages]
    if not rules:
        return ""
    listing = join("{first}；{next}", rules)
    more = len(messages) - _FIELDS_IN_SENTENCE
    return fill("{listing}；另有 {more} 个字段有误", listing=listing, more=more) if more > 0 else listing


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
    headers = problem.headers
    if problem.status == 200:
        # A client finds the code of any failure with this status in one place.
        headers = {**headers, ERROR_HEADER: problem.error}
    return JSONResponse(body, status_code=problem.status, headers=headers)


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
