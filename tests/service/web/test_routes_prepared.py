"""Tests that routes are analysed when they are first used, or soon after the start."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Response

from service.web import routing
from service.web.routing import add_routes, api_router, prepare_routes
from service.web.security import AuthorizedRoute


def create_app() -> tuple[FastAPI, list[AuthorizedRoute]]:
    router = api_router(tags=["numbers"])

    @router.get("/numbers/{number}")
    async def double(number: int) -> Response:
        """Twice the number."""
        return Response(str(2 * number))

    @router.post("/numbers")
    async def add(number: int = 1) -> Response:
        return Response(str(number + 1))

    app = FastAPI()
    add_routes(app, router)
    return app, [route for route in app.routes if isinstance(route, AuthorizedRoute)]


def is_prepared(route: AuthorizedRoute) -> bool:
    return "dependant" in vars(route)


def test_first_request_prepares_only_its_route() -> None:
    app, routes = create_app()

    async def main() -> str:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
            return (await client.get("/api/numbers/21")).text

    assert asyncio.run(main()) == "42"
    assert [is_prepared(route) for route in routes] == [True, False]


def test_api_document_prepares_every_route() -> None:
    app, routes = create_app()
    operation = app.openapi()["paths"]["/api/numbers/{number}"]["get"]
    assert operation["operationId"] == "numbers_double"
    assert operation["description"] == "Twice the number."
    assert all(is_prepared(route) for route in routes)


def test_routes_are_prepared_after_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routing, "PREPARE_AFTER_SECONDS", 0)
    app, routes = create_app()
    assert not any(is_prepared(route) for route in routes)
    asyncio.run(prepare_routes(app.routes))
    assert all(is_prepared(route) for route in routes)


def test_prepared_route_has_no_other_attributes() -> None:
    _, (route, _) = create_app()
    assert route.summary is None
    with pytest.raises(AttributeError, match="colour"):
        _ = route.colour


def test_thread_waits_for_a_route_that_another_one_prepares(monkeypatch: pytest.MonkeyPatch) -> None:
    _, (route, _) = create_app()
    begun = threading.Event()
    go_on = threading.Event()
    analyse = AuthorizedRoute._analyse

    def analyse_slowly(self: AuthorizedRoute, options: dict[str, Any]) -> None:
        begun.set()
        assert go_on.wait(60)
        analyse(self, options)

    monkeypatch.setattr(AuthorizedRoute, "_analyse", analyse_slowly)
    with ThreadPoolExecutor() as threads:
        preparing = threads.submit(route.prepare)
        assert begun.wait(60)
        reading = threads.submit(lambda: route.dependant)
        with pytest.raises(TimeoutError):
            reading.result(0.05)
        go_on.set()
        assert reading.result(10).path == "/api/numbers/{number}"
        assert preparing.result(10)


def test_failed_preparation_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    _, (route, _) = create_app()

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(AuthorizedRoute, "_analyse", fail)
        with pytest.raises(MemoryError):
            route.prepare()
    assert route.prepare()
    assert not route.prepare()
    with pytest.raises(AttributeError, match="there_is_none"):
        _ = route.there_is_none
