"""Deletes an object only if it still is as the user saw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from desktop.client.http.answers import Versioned
from desktop.client.http.errors import NotFound, Stale

T = TypeVar("T")

MAX_ATTEMPTS = 3
"""How often the deletion is tried; an attempt fails if the object changes between reading and writing."""


def delete_unchanged(
    read: Callable[[], Versioned[T]],
    check: Callable[[Versioned[T]], None],
    delete: Callable[[str | None], object],
) -> None:
    """Read an object, check it, and delete it with the ETag that was read.

    `check` raises an exception if the object differs from what the user saw. It is no error if the object no
    longer exists. Raises the exceptions of `check`, and ClientError.
    """
    for attempt in range(MAX_ATTEMPTS):
        try:
            current = read()
            check(current)
            delete(current.etag)
        except NotFound:
            return
        except Stale:
            if attempt + 1 == MAX_ATTEMPTS:
                raise
        else:
            return
