"""The failures of this domain, in words a person can act on."""

from __future__ import annotations

from typing import Any

from service.envelope import Problem
from service.inspection.queries import Updater
from service.inspection.rules import etag
from shared.codes import ErrorCode


def no_record() -> Problem:
    """404: there is no such record."""
    return Problem(404, ErrorCode.NOT_FOUND, "检查记录不存在")


def no_item() -> Problem:
    """404: there is no such item."""
    return Problem(404, ErrorCode.NOT_FOUND, "检查项不存在")


def stale(revision: int, current: Any, by: Updater | None) -> Problem:
    """412: somebody changed it meanwhile; `current` is how it is now, so that the client can compare.

    `by`: who last changed it by hand.
    """
    tag = etag(revision)
    return Problem(
        412,
        ErrorCode.STALE,
        "内容已被其他人修改，请核对最新内容后再保存",
        headers={"ETag": tag},
        etag=tag,
        current=current,
        updated_by=None if by is None else {"user_id": by.user_id, "name": by.name},
    )


def conflict(msg: str, **details: Any) -> Problem:
    """409 with `msg`."""
    return Problem(409, ErrorCode.CONFLICT, msg, **details)
