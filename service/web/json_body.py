"""Reads a JSON body before the operation does: another content type is 415, invalid JSON is 422."""

from __future__ import annotations

from email.message import Message

from fastapi import Request
from starlette.requests import ClientDisconnect

from service.web.envelope import Problem
from shared.record.codes import ErrorCode

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
    message = Message()
    message["content-type"] = content_type
    kind = message.get_content_type()
    return kind == _JSON or (kind.startswith("application/") and kind.endswith("+json"))
