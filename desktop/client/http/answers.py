"""Converts an HTTP response to the requested document or to an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
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
from shared.record.codes import ErrorCode
from shared.wire.common import ERROR_HEADER, UPDATED_BY, Envelope

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_ERROR_BY_STATUS: dict[int, type[ClientError]] = {
    401: NotLoggedIn,
    403: Forbidden,
    404: NotFound,
    405: NotFound,
    # The body did not arrive in time, because the network is too slow at the moment.
    408: Unreachable,
    409: Conflict,
    410: NotFound,
    412: Stale,
    413: TooLarge,
    415: Unsupported,
}

_read_models: set[type[BaseModel]] = set()
"""Every model that an answer was read as.

Pydantic refers to a generic model such as `Envelope[Item]` weakly, and would build it again after each
garbage collection, 80 times in a record of 12 items. Meanwhile, the GUI thread waits for the interpreter's
lock.
"""

FOREIGN_ANSWER = "not_walkaround"
"""Code of a ServerFault for an answer that does not come from a Walkaround service."""


@dataclass(frozen=True, slots=True)
class Versioned(Generic[T]):
    """An object of the service with its version (ETag). The ETag is None if the service sent none.

    `modified_by` is the name of the user who last changed it, if the service provides it.
    """

    value: T
    etag: str | None
    modified_by: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A successful answer: its JSON document, its ETag, and the user who last changed the object."""

    document: Any
    etag: str | None
    modified_by: str | None = None

    def read(self, model: type[M]) -> M:
        """Validate the document as `model`. Raises ServerFault when it is invalid.

        The cause is not chained, because pydantic's message repeats the input, which may contain tokens.
        """
        _read_models.add(model)
        try:
            return model.model_validate(self.document)
        except ValidationError as error:
            field_path = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"])
        raise ServerFault(code=FOREIGN_ANSWER, details={"field": field_path})

    def data(self, kind: type[T]) -> T:
        """The `data` of the document, validated as `kind`. Raises ServerFault when it is invalid."""
        return self.read(Envelope[kind]).data  # type: ignore[valid-type]

    def versioned(self, kind: type[T]) -> Versioned[T]:
        """The `data` of the document, validated as `kind`, with its version. Raises ServerFault."""
        return Versioned(self.data(kind), self.etag, self.modified_by)


def read_answer(response: httpx.Response) -> Answer:
    """Read a successful response. Raises the ClientError of any other response."""
    if response.status_code >= 300:
        raise error_of(response)
    try:
        document = json.loads(response.content)
    except ValueError:
        raise ServerFault(code=FOREIGN_ANSWER, request_id=_request_id(response)) from None
    if isinstance(document, dict) and document.get("code") == 1 and "msg" in document:
        data = document.get("data")
        if isinstance(data, dict) and _code(data) == ErrorCode.INVALID_INPUT:
            raise _invalid(document["msg"], data)
        raise Refused(document["msg"], data=data, code=_code(data) or response.headers.get(ERROR_HEADER))
    modified_by = response.headers.get(UPDATED_BY)
    return Answer(
        document, response.headers.get("ETag"), None if modified_by is None else unquote(modified_by)
    )


def error_of(response: httpx.Response) -> ClientError:
    """The error of a response with a status of 300 or above."""
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
        return _invalid(message, details)
    if status == 429:
        return TooMany(message, retry_after=_retry_after(response, details), code=code, details=details)
    if status in _ERROR_BY_STATUS and (code or status == 401):
        return _ERROR_BY_STATUS[status](message, code=code, details=details)
    if code is None:
        code = FOREIGN_ANSWER if status < 500 else ("unavailable" if status in {502, 503, 504} else None)
    return ServerFault(message, request_id=_request_id(response), code=code, details=details)


def _invalid(message: str | None, details: Mapping[str, Any]) -> Invalid:
    return Invalid(
        message,
        fields=_fields(details, "message"),
        faults=_fields(details, "type"),
        code=_code(details),
        details=details,
    )


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


def _fields(details: Mapping[str, Any], key: str) -> dict[str, str]:
    """Map the name of each field to `key` of its first fault, from the list `fields` of a 422."""
    entries = details.get("fields")
    faults: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            name = str(entry.get("field", "")).rpartition(".")[2]
            faults.setdefault(name, str(entry.get(key, "")))
    return faults
