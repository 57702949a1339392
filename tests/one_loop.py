"""Checks that tests use an application on a single event loop.

An asyncio lock belongs to the loop that first waits for it. Releasing it on another loop wakes no waiter.
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


def beside(entered: TestClient, **options: Any) -> TestClient:
    """Return another client of the application that `entered` runs, on the same event loop.

    `options` are those of `TestClient`. A TestClient without this helper runs each request on its own event
    loop.
    """
    assert entered.portal is not None, "the first client has not been entered"
    client = TestClient(entered.app, str(entered.base_url), **options)
    client.portal = entered.portal
    return client


_call = Starlette.__call__
_loops: WeakKeyDictionary[Starlette, asyncio.AbstractEventLoop] = WeakKeyDictionary()


@contextmanager
def record_second_loops() -> Iterator[list[str]]:
    """Yield the list of requests that applications handle on a second event loop in the block."""
    scopes: list[str] = []

    async def record_call(app: Starlette, scope: Any, receive: Any, send: Any) -> None:
        loop = asyncio.get_running_loop()
        if _loops.setdefault(app, loop) is not loop:
            scopes.append(f"{scope['type']} {scope.get('path', '')}".strip())
        await _call(app, scope, receive, send)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Starlette, "__call__", record_call)
        yield scopes
