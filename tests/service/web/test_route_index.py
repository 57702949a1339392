"""Tests that the index finds the same route as the router, which tries all routes in order."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.web.route_index import RouteIndex

PATHS = (
    "/api/things/{thing_id}",
    "/api/things/new",
    "/api/things",
    "/api/things/{thing_id}/parts",
    "/{rest:path}",
)


def create_app(*, indexed: bool) -> TestClient:
    app = FastAPI()
    for path in PATHS:
        app.add_api_route(path, lambda path=path: path, methods=["GET"], response_model=None)
    app.add_api_route("/api/things/{thing_id}", lambda: "changed", methods=["PUT"])
    if indexed:
        app.router.middleware_stack = RouteIndex(app.routes, app.router.middleware_stack)
    return TestClient(app)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
@pytest.mark.parametrize(
    "path",
    ["/api/things", "/api/things/", "/api/things/7", "/api/things/new", "/api/things/7/parts", "/x", "/"],
)
def test_same_route_answers_as_in_the_router(method: str, path: str) -> None:
    answers = [create_app(indexed=indexed).request(method, path) for indexed in (True, False)]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].text == answers[1].text
    assert answers[0].headers.get("allow") == answers[1].headers.get("allow")
