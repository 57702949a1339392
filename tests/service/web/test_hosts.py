"""Tests which requests the check of the Host header lets through."""

from __future__ import annotations

from typing import Any

import pytest

from service.web.middleware import HostCheck


@pytest.mark.parametrize(
    ("path", "hosts", "passes"),
    [
        ("/healthz", [], True),
        ("/healthz", [b"evil.example"], False),
        ("/api/items", [], False),
        ("/api/items", [b"localhost:8000"], True),
    ],
)
async def test_only_the_health_answers_without_a_host(path: str, hosts: list[bytes], passes: bool) -> None:
    reached = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["path"])

    async def ignore(_message: Any) -> None:
        return

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    headers = [(b"host", host) for host in hosts]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    await HostCheck(app, {"localhost"})(scope, receive, ignore)
    assert bool(reached) is passes
