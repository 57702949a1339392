"""Deletes an object only if it still is as the user saw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from desktop.client.http.errors import NotFound, Stale
from desktop.client.http.transport import Versioned

T = TypeVar("T")

MAX_ATTEMPTS = 3
"""Number of attempts; each one fails when the object changes between reading and writing."""


def delete_unchanged(
    read: Callable[[], Versioned[T]],
    check: Callable[[Versioned[T]], None],
    delete: Callable[[str | None], object],
) -> None:
    """Read, `check`, and `delete` with the ETag that was read; an object that no longer exists is no failure.

    `check` raises when the object is not as the user saw it. Raises what `check` raises, and ClientError.
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
