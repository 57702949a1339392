"""Reads an HTTP answer: the requested document, or the error that it means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote

import httpx
from pydantic import BaseModel, ValidationError

from desktop.client.http.errors import (
    ClientError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    NotLoggedIn,
    Refused,
    ServerFault,
    Stale,
    TooLarge,
    TooMany,
    Unreachable,
    Unsupported,
)
from shared.wire.common import UPDATED_BY

M = TypeVar("M", bound=BaseModel)

_BY_STATUS: dict[int, type[ClientError]] = {
    401: NotLoggedIn,
    403: Forbidden,
    404: NotFound,
    405: NotFound,
    # The body did not arrive in time: the way to the service is too slow at the moment.
    408: Unreachable,
    409: Conflict,
    410: NotFound,
    412: Stale,
    413: TooLarge,
    415: Unsupported,
}

NOT_OURS = "not_walkaround"
"""Code of a ServerFault: the answer is none that a Walkaround service gives."""


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A successful answer: its JSON document, its ETag, if it has one, and who last changed it by hand."""

    document: Any
    etag: str | None
    by: str | None = None

    def read(self, model: type[M]) -> M:
        """The document as `model`. Raises ServerFault when it does not fit.

        The cause is dropped: pydantic's message repeats the input, which may hold tokens.
        """
        try:
            return model.model_validate(self.document)
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"])
        raise ServerFault(code=NOT_OURS, details={"field": where})


def answer(response: httpx.Response) -> Answer:
    """What `response` gives. Raises the ClientError that it means otherwise."""
    if response.status_code >= 300:
        raise failure(response)
    try:
        document = json.loads(response.content)
    except ValueError:
        raise ServerFault(code=NOT_OURS, request_id=_request_id(response)) from None
    if isinstance(document, dict) and document.get("code") == 1 and "msg" in document:
        data = document.get("data")
        raise Refused(document["msg"], data=data, code=_code(data))
    by = response.headers.get(UPDATED_BY)
    return Answer(document, response.headers.get("ETag"), None if by is None else unquote(by))


def failure(response: httpx.Response) -> ClientError:
    """The error that an answer with a status of 300 and above means."""
    status = response.status_code
    try:
        document = json.loads(response.content)
    except ValueError:
        document = None
    envelope: Mapping[str, Any] = document if isinstance(document, dict) else {}
    data = envelope.get("data")
    details: Mapping[str, Any] = data if isinstance(data, dict) else {}
    message = envelope.get("msg") if isinstance(envelope.get("msg"), str) else None
    code = _code(data)
    if status in {400, 422}:
        return Invalid(
            message,
            fields=_fields(details, "message"),
            faults=_fields(details, "type"),
            code=code,
            details=details,
        )
    if status == 429:
        return TooMany(message, retry_after=_retry_after(response, details), code=code, details=details)
    if status in _BY_STATUS and (code or status == 401):
        return _BY_STATUS[status](message, code=code, details=details)
    if code is None:
        code = NOT_OURS if status < 500 else ("unavailable" if status in {502, 503, 504} else None)
    return ServerFault(message, request_id=_request_id(response), code=code, details=details)


def _code(data: Any) -> str | None:
    value = data.get("error") if isinstance(data, dict) else None
    return value if isinstance(value, str) else None


def _request_id(response: httpx.Response) -> str | None:
    value: str | None = response.headers.get("X-Request-ID")
    return value


def _retry_after(response: httpx.Response, details: Mapping[str, Any]) -> float:
    for value in (response.headers.get("Retry-After"), details.get("retry_after")):
        try:
            if value is not None:
                return max(1.0, float(value))
        except (TypeError, ValueError):
            continue
    return 30.0


def _fields(details: Mapping[str, Any], what: str) -> dict[str, str]:
    """Name of the field -> `what` of its first fault, from the list `fields` of a 422."""
    entries = details.get("fields")
    faults: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            name = str(entry.get("field", "")).rpartition(".")[2]
            faults.setdefault(name, str(entry.get(what, "")))
    return faults
