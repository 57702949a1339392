"""Tests that a directly called operation gets the same parameters and faults as with FastAPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Header, Path, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.testclient import TestClient

from service.web.direct import direct_app, returns_response


class SeveralFilters(BaseModel):
    """A query of several filters."""

    name: str | None = None
    size: int = Field(default=3, ge=1)


class Body(BaseModel):
    """What is sent."""

    text: str = Field(max_length=5)


async def get_number(
    request: Request,
    number: Annotated[int, Path(ge=1)],
    where: Annotated[SeveralFilters, Query()],
    if_match: Annotated[str | None, Header()] = None,
    page: Annotated[int, Query(le=9)] = 1,
) -> Response:
    return Response(f"{request.method} {number} {where!r} {if_match} {page}")


async def tag_text(tag: Annotated[list[str], Query()]) -> Response:
    return Response(repr(tag))


async def text_of_body(body: Body) -> Response:
    return Response(repr(body))


def client(*, direct: bool) -> TestClient:
    app = FastAPI()
    app.add_api_route("/get_number/{number}", get_number, methods=["GET"])
    app.add_api_route("/tagged", tag_text, methods=["GET"])
    app.add_api_route("/sent", text_of_body, methods=["POST"])

    async def admit_anonymous(_request: Request) -> None:
        return None

    for route in app.routes:
        if direct and isinstance(route, APIRoute):
            assert returns_response(route)
            route.app = direct_app(route, admit_anonymous, [])
    return TestClient(app)


@pytest.mark.parametrize(
    "path",
    [
        "/get_number/1",
        "/get_number/0",
        "/get_number/x",
        "/get_number/2?name=a&size=4&page=9&other=1",
        "/get_number/2?name=&size=",
        "/get_number/2?size=0&page=10",
        "/get_number/2?name=a&name=b",
        "/tagged?tag=a&tag=b",
        "/tagged",
    ],
)
def test_parameters_equal_those_of_fastapi(path: str) -> None:
    headers = {"If-Match": '"3"'}
    answers = [client(direct=direct).get(path, headers=headers) for direct in (True, False)]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].text == answers[1].text


@pytest.mark.parametrize("body", [{"text": "abc"}, {"text": "abcdef"}, {}, [], "text", None])
def test_body_equals_that_of_fastapi(body: Any) -> None:
    answers = [client(direct=direct).post("/sent", json=body) for direct in (True, False)]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].text == answers[1].text


def test_only_operations_that_return_a_response_are_called_directly() -> None:
    app = FastAPI()

    async def as_model() -> Body:
        return Body(text="a")

    def in_a_thread() -> Response:
        return Response()

    async def sets_headers(response: Response) -> Response:
        return response

    operations: list[Callable[..., Any]] = [as_model, in_a_thread, sets_headers]
    for place, operation in enumerate(operations):
        app.add_api_route(f"/{place}", operation, methods=["GET"])
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    assert [returns_response(route) for route in routes] == [False, False, False]
