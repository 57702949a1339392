"""Deletes an object only if it still is as the user saw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from desktop.client.http.answers import Versioned
from desktop.client.http.errors import NotFound, Stale

T = TypeVar("T")


def delete_unchanged(
    read: Callable[[], Versioned[T]], base: T, delete: Callable[[str | None], object]
) -> None:
    """Read an object and delete it with its ETag if it equals `base`, which the user saw.

    It is no error if the object no longer exists. Raises Stale if another user changed it, ClientError.
    """
    try:
        current = read()
        if current.value != base:
            raise Stale
        delete(current.etag)
    except NotFound:
        return
