"""Ensures that an application runs on one event loop.

An asyncio lock belongs to the loop that first waits for it. If it is released on another loop, it wakes no
coroutine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient


def second_client(first: TestClient, **options: Any) -> TestClient:
    """Another client of the application that `first` runs, on the same event loop.

    `options` are those of `TestClient`. A TestClient that is created without this helper runs each request on
    a new event loop.
    """
    assert first.portal is not None, "the first client has not been entered"
    client = TestClient(first.app, str(first.base_url), **options)
    client.portal = first.portal
    return client


_call = Starlette.__call__
_loops: WeakKeyDictionary[Starlette, asyncio.AbstractEventLoop] = WeakKeyDictionary()


@contextmanager
def record_second_loops() -> Iterator[list[str]]:
    """Yields the list of requests that an application handles on a second event loop within the block."""
    requests: list[str] = []

    async def call_and_check(app: Starlette, scope: Any, receive: Any, send: Any) -> None:
        loop = asyncio.get_running_loop()
        if _loops.setdefault(app, loop) is not loop:
            requests.append(f"{scope['type']} {scope.get('path', '')}".strip())
        await _call(app, scope, receive, send)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Starlette, "__call__", call_and_check)
        yield requests
