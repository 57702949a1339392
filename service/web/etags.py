"""Gives objects their ETag and compares it with the If-Match and If-None-Match of a request.

Clients keep the tags between requests: their text does not change.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

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


def if_match(header: str | None, etag: str) -> bool:
    """Whether If-Match allows a change of the object at `etag`: without the header, always.

    Strong comparison (RFC 9110, 13.1.1): a weak tag never matches.
    """
    return header is None or header.strip() == "*" or etag in _tags(header)


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
