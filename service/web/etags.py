"""Creates the ETags of objects and answers with them, and evaluates If-Match and If-None-Match.

Clients store ETags: do not change their text.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

import orjson
from fastapi import Header, Response

from service.web.envelope import Problem
from shared.record.codes import ErrorCode
from shared.wire.common import UPDATED_BY

IfMatch = Annotated[str | None, Header()]
"""The If-Match header of a route."""

DescribedIfMatch = Annotated[
    str | None, Header(description="ETag of the version that the change is based on")
]
"""`IfMatch` with a description, which the API document has for the operations on records and items."""

IfNoneMatch = Annotated[str | None, Header()]
"""The If-None-Match header of a route."""


_REVISIONS = 2**31
"""PostgreSQL stores a revision in 32 bits, with a sign."""


def new_revision() -> int:
    """The revision of an object after a change: a random number, 2 .. 2^31 - 1. A created object has 1.

    After the restore of a backup, an object gets other changes than the lost ones. If changes were counted,
    the ETag of a lost change would be that of another user's change, which If-Match would let be overwritten.
    """
    return 2 + secrets.randbelow(_REVISIONS - 2)


def revision_etag(revision: int) -> str:
    """The ETag of an object with this revision."""
    return f'"{revision}"'


def content_etag(sha256: str, *parts: int) -> str:
    """The ETag of content with this hash; `parts` identify the part or form that is sent."""
    return f'"{"-".join((sha256, *map(str, parts)))}"'


def require_match(
    header: str | None,
    etag: str,
    current_state: Callable[[], Mapping[str, Any]],
    message: str = "内容已被其他用户修改，请查看最新内容后重新保存",
) -> None:
    """Raise Problem 412 if If-Match does not allow a change of the object with this `etag`.

    Without the header every change is allowed. The comparison is strong (RFC 9110, 13.1.1): a weak tag never
    matches. `current_state` returns the details of the answer, so that the client can compare: `current`, the
    object, and the user who changed it, if known.
    """
    if header is not None and header.strip() != "*" and etag not in _tags(header):
        raise Problem(
            412,
            ErrorCode.STALE,
            message,
            headers={"ETag": etag},
            etag=etag,
            **current_state(),
        )


def is_not_modified(header: str | None, etag: str) -> bool:
    """Whether the client has the content already (304): If-None-Match contains `etag` or is `*`.

    Weak comparison (RFC 9110, 13.1.2). Without the header, False.
    """
    if header is None:
        return False
    weak = {tag.removeprefix("W/") for tag in _tags(header)}
    return header.strip() == "*" or etag.removeprefix("W/") in weak


def _tags(header: str) -> list[str]:
    # No tag of this service contains a comma. So a tag that is cut in two never matches.
    return [tag.strip() for tag in header.split(",")]


@dataclass(frozen=True, slots=True)
class Updater:
    """Who last changed a thing by hand; the name is None when the person is not known any more."""

    user_id: str
    name: str | None


def json_answer(text: str, revision: int | None = None, by: Updater | None = None) -> Response:
    """An answer that is JSON already, with the ETag of a revision, made `by` a user."""
    headers = {} if revision is None else {"ETag": revision_etag(revision)}
    if by is not None:
        # A header: the bodies are as the contract says.
        headers[UPDATED_BY] = quote(by.name or by.user_id)
    return Response(text, media_type="application/json", headers=headers)


def json_envelope(
    data: str, msg: str | None, revision: int | None = None, by: Updater | None = None
) -> Response:
    """A success whose `data` is JSON already; it is not validated and encoded again."""
    return json_answer(f'{{"code":0,"data":{data},"msg":{orjson.dumps(msg).decode()}}}', revision, by)
