"""Gives objects their ETag, and answers the If-Match and If-None-Match of a request.

Clients keep the tags between requests: their text does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import Header

from service.web.envelope import Problem
from shared.codes import ErrorCode

IfMatch = Annotated[str | None, Header()]
"""The If-Match header of a route."""

DescribedIfMatch = Annotated[str | None, Header(description="ETag of the version the change was made on")]
"""`IfMatch` with a description, which the API document has for the operations on records and items."""

IfNoneMatch = Annotated[str | None, Header()]
"""The If-None-Match header of a route."""


def of_revision(number: int) -> str:
    """The ETag of an object that counts its changes."""
    return f'"{number}"'


def of_content(sha256: str, *parts: int) -> str:
    """The ETag of content with this hash; `parts` say which part or form of it is sent."""
    return f'"{"-".join((sha256, *map(str, parts)))}"'


def require_match(
    header: str | None,
    etag: str,
    state: Callable[[], Mapping[str, Any]],
    message: str = "内容已被其他用户修改，请查看最新内容后重新保存",
) -> None:
    """Raise Problem 412 when If-Match does not allow a change of the object at `etag`.

    Without the header every change is allowed. The comparison is strong (RFC 9110, 13.1.1): a weak tag never
    matches.
    `state` gives what the answer shows of the object, so that the client can compare: `current`, and who
    changed it where that is known.
    """
    if header is not None and header.strip() != "*" and etag not in _tags(header):
        raise Problem(
            412,
            ErrorCode.STALE,
            message,
            headers={"ETag": etag},
            etag=etag,
            **state(),
        )


def if_none_match(header: str | None, etag: str) -> bool:
    """Whether If-None-Match names `etag` or is `*`: the client has the content (304).

    Weak comparison (RFC 9110, 13.1.2). Without the header, False.
    """
    if header is None:
        return False
    weak = {tag.removeprefix("W/") for tag in _tags(header)}
    return header.strip() == "*" or etag.removeprefix("W/") in weak


def _tags(header: str) -> list[str]:
    # No tag of this service contains a comma, so cutting a foreign one in two never gives a match.
    return [tag.strip() for tag in header.split(",")]
