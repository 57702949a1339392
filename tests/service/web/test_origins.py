"""Tests that only web pages of the origins in the settings may use the service."""

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
from service.web.layers import REQUEST_HEADERS, AllowedOrigins
from tests.service_app import LOCAL_URL

PAGE_ORIGIN = "https://tools.example"
OTHER_ORIGIN = "http://localhost:3000"
FOREIGN_ORIGINS = "https://evil.example"


@pytest.fixture
def client_with_origins(settings: Settings) -> Iterator[TestClient]:
    """A client of the service with two allowed origins."""
    app = create_app(settings.model_copy(update={"allowed_origins": [PAGE_ORIGIN, OTHER_ORIGIN]}))
    with TestClient(app, LOCAL_URL) as client:
        yield client


def preflight(client: TestClient, origin: str, method: str = "PUT", headers: str = "authorization") -> Any:
    request_headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": headers,
    }
    return client.options("/api/inspection/updateInspection/1", headers=request_headers)


def cors_headers(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def test_layer_exists_only_with_the_setting(app: FastAPI, client_with_origins: TestClient) -> None:
    def layers(of: FastAPI) -> list[object]:
        return [layer.cls for layer in of.user_middleware]

    assert AllowedOrigins not in layers(app)
    assert isinstance(client_with_origins.app, FastAPI)
    assert layers(client_with_origins.app)[0] is AllowedOrigins


@pytest.mark.parametrize("origin", [PAGE_ORIGIN, OTHER_ORIGIN])
def test_page_of_an_allowed_origin_can_send_and_read(client_with_origins: TestClient, origin: str) -> None:
    allowed = preflight(client_with_origins, origin, headers="authorization,content-type,if-match")
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == origin
    assert "access-control-allow-credentials" not in allowed.headers
    assert allowed.headers["x-content-type-options"] == "nosniff"
    assert allowed.headers["x-request-id"]
    answer = client_with_origins.get("/healthz", headers={"Origin": origin})
    assert answer.headers["access-control-allow-origin"] == origin
    assert {"ETag", "X-Request-Id", "Retry-After", "Content-Range"} <= set(
        answer.headers["access-control-expose-headers"].split(", ")
    )
    assert answer.headers["vary"] == "Accept-Encoding, Origin"


@pytest.mark.parametrize(
    "origin",
    [
        FOREIGN_ORIGINS,
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
def test_other_origins_are_not_allowed(client_with_origins: TestClient, origin: str) -> None:
    refused = preflight(client_with_origins, origin)
    assert refused.status_code == 204
    assert cors_headers(refused) == {}
    answer = client_with_origins.get("/healthz", headers={"Origin": origin})
    assert cors_headers(answer) == {}
    # A cache must not use the answer to one origin for another.
    assert answer.headers["vary"] == "Accept-Encoding, Origin"
    assert cors_headers(client_with_origins.get("/healthz")) == {}


def test_page_can_read_the_refusals_of_every_layer(client_with_origins: TestClient) -> None:
    headers = {"Origin": PAGE_ORIGIN}
    refusals = {
        401: client_with_origins.get("/api/auth/me", headers=headers),
        404: client_with_origins.get("/api/nothing-here", headers=headers),
        405: client_with_origins.delete("/healthz", headers=headers),
        413: client_with_origins.post("/api/auth/login", content=b"x" * (17 * 2**20), headers=headers),
        415: client_with_origins.post("/api/auth/login", content=b"x", headers=headers),
        400: client_with_origins.get("/healthz", headers={**headers, "Host": "evil.example"}),
    }
    for status, answer in refusals.items():
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == PAGE_ORIGIN
        assert answer.json()["code"] == 1


@pytest.mark.parametrize(("method", "headers"), [("TRACE", "authorization"), ("PUT", "x-evil")])
def test_unsupported_preflight_is_refused_with_an_envelope(
    client_with_origins: TestClient, method: str, headers: str
) -> None:
    refused = preflight(client_with_origins, PAGE_ORIGIN, method, headers)
    assert refused.status_code == 400
    assert refused.json()["data"] == {"error": "invalid_input"}
    assert "access-control-allow-origin" not in refused.headers


def test_every_documented_header_may_be_sent(client_with_origins: TestClient) -> None:
    document = client_with_origins.get("/api/openapi.json").json()
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
def test_invalid_origin_in_the_settings_is_refused(origin: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="origin"):
        Settings(data_dir=tmp_path, allowed_origins=[origin])
