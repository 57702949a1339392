"""Tests the check for applications that run on two event loops."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.one_loop import record_second_loops, second_client


def _create_app() -> FastAPI:
    app = FastAPI()

    @app.get("/loop")
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    return app


def test_second_client_runs_on_the_loop_of_the_first() -> None:
    with TestClient(_create_app()) as first:
        second = second_client(first, headers={"Authorization": "Bearer x"})
        assert second.get("/loop").json() == first.get("/loop").json()


def test_second_loop_is_recorded() -> None:
    with record_second_loops() as scopes, TestClient(_create_app()) as first:
        TestClient(first.app).get("/loop")
    assert scopes == ["http /loop"]
