"""One application runs on one event loop.

An asyncio lock belongs to the loop that first waits on it: released on another loop, it wakes nobody.
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
    """Another client of the application that `entered` runs, on the same event loop.

    `options` are those of `TestClient`. A TestClient made without this helper runs each request on an event
    loop of its own.
    """
    assert entered.portal is not None, "the first client has not been entered"
    client = TestClient(entered.app, str(entered.base_url), **options)
    client.portal = entered.portal
    return client


_call = Starlette.__call__
_loops: WeakKeyDictionary[Starlette, asyncio.AbstractEventLoop] = WeakKeyDictionary()


@contextmanager
def second_loops() -> Iterator[list[str]]:
    """Gives the list of requests that an application handled on a second event loop within the block."""
    scopes: list[str] = []

    async def watched(app: Starlette, scope: Any, receive: Any, send: Any) -> None:
        loop = asyncio.get_running_loop()
        if _loops.setdefault(app, loop) is not loop:
            scopes.append(f"{scope['type']} {scope.get('path', '')}".strip())
        await _call(app, scope, receive, send)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Starlette, "__call__", watched)
        yield scopes
