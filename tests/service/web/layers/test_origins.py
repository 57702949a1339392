"""Tests which web pages may use the service: those of the origins that the settings name, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.web.layers.origins import REQUEST_HEADERS, AllowedOrigins
from tests.service_app import LOCAL_URL

PAGE = "https://tools.example"
OTHER = "http://localhost:3000"
FOREIGN = "https://evil.example"


@pytest.fixture
def opened(settings: Settings) -> Iterator[TestClient]:
    """The service with two origins allowed."""
    app = create_app(settings.model_copy(update={"allowed_origins": [PAGE, OTHER]}))
    with TestClient(app, LOCAL_URL) as client:
        yield client


def preflight(client: TestClient, origin: str, method: str = "PUT", headers: str = "authorization") -> Any:
    request_headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": headers,
    }
    return client.options("/api/inspection/updateInspection/1", headers=request_headers)


def cors(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def test_without_the_setting_there_is_no_layer_for_it(app: FastAPI, opened: TestClient) -> None:
    def layers(of: FastAPI) -> list[object]:
        return [layer.cls for layer in of.user_middleware]

    assert AllowedOrigins not in layers(app)
    assert isinstance(opened.app, FastAPI)
    assert layers(opened.app)[0] is AllowedOrigins


@pytest.mark.parametrize("origin", [PAGE, OTHER])
def test_a_page_of_an_allowed_origin_may_ask_and_read(opened: TestClient, origin: str) -> None:
    allowed = preflight(opened, origin, headers="authorization,content-type,if-match")
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == origin
    assert "access-control-allow-credentials" not in allowed.headers
    assert allowed.headers["x-content-type-options"] == "nosniff"
    assert allowed.headers["x-request-id"]
    answer = opened.get("/healthz", headers={"Origin": origin})
    assert answer.headers["access-control-allow-origin"] == origin
    assert {"ETag", "X-Request-Id", "Retry-After", "Content-Range"} <= set(
        answer.headers["access-control-expose-headers"].split(", ")
    )
    assert answer.headers["vary"] == "Accept-Encoding, Origin"


@pytest.mark.parametrize(
    "origin",
    [
        FOREIGN,
        "null",
        "",
        "https://tools.example.evil.example",
        "https://TOOLS.example",
        "http://tools.example",
        "https://tools.example:8443",
        "http://localhost",
        "https://tools.example/",
    ],
)
def test_no_other_origin_may(opened: TestClient, origin: str) -> None:
    refused = preflight(opened, origin)
    assert refused.status_code == 204
    assert cors(refused) == {}
    answer = opened.get("/healthz", headers={"Origin": origin})
    assert cors(answer) == {}
    # What a cache kept for one origin must not answer another.
    assert answer.headers["vary"] == "Accept-Encoding, Origin"
    assert cors(opened.get("/healthz")) == {}


def test_refusals_of_every_layer_can_be_read_by_the_page(opened: TestClient) -> None:
    headers = {"Origin": PAGE}
    refusals = {
        401: opened.get("/api/auth/me", headers=headers),
        404: opened.get("/api/nothing-here", headers=headers),
        405: opened.delete("/healthz", headers=headers),
        413: opened.post("/api/auth/login", content=b"x" * (17 * 2**20), headers=headers),
        415: opened.post("/api/auth/login", content=b"x", headers=headers),
        400: opened.get("/healthz", headers={**headers, "Host": "evil.example"}),
    }
    for status, answer in refusals.items():
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == PAGE
        assert answer.json()["code"] == 1


@pytest.mark.parametrize(("method", "headers"), [("TRACE", "authorization"), ("PUT", "x-evil")])
def test_what_no_operation_takes_is_refused_in_an_envelope(
    opened: TestClient, method: str, headers: str
) -> None:
    refused = preflight(opened, PAGE, method, headers)
    assert refused.status_code == 400
    assert refused.json()["data"] == {"error": "invalid_input"}
    assert "access-control-allow-origin" not in refused.headers


def test_every_header_of_the_document_may_be_sent(opened: TestClient) -> None:
    document = opened.get("/api/openapi.json").json()
    named = {
        parameter["name"].lower()
        for methods in document["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "header"
    }
    assert len(named) >= 5
    assert named <= {name.lower() for name in REQUEST_HEADERS}


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "tools.example",
        "https://*.example",
        "https://tools.example/",
        "https://tools.example/page",
        "https://user@tools.example",
        "https://Tools.example",
        "ftp://tools.example",
        "https://",
        "https://tools.example:443",
        "http://tools.example:80",
        "https://tools.example:99999",
        "https://工具.example",
        "null",
    ],
)
def test_what_is_not_exactly_one_origin_is_refused_at_the_start(origin: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="origin"):
        Settings(data_dir=tmp_path, allowed_origins=[origin])
