"""The guard against an application that runs on two event loops."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.one_loop import beside, record_second_loops


def _application() -> FastAPI:
    app = FastAPI()

    @app.get("/loop")
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    return app


def test_a_second_client_runs_on_the_loop_of_the_first() -> None:
    with TestClient(_application()) as first:
        second = beside(first, headers={"Authorization": "Bearer x"})
        assert second.get("/loop").json() == first.get("/loop").json()


def test_a_second_client_without_the_loop_of_the_first_is_caught() -> None:
    with record_second_loops() as scopes, TestClient(_application()) as first:
        TestClient(first.app).get("/loop")
    assert scopes == ["http /loop"]
