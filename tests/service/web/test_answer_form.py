"""Tests the form of answers: compressed, unchanged, or without the body."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from service.web import layers
from service.web.layers import MIN_BYTES, AnswerForm
from service.web.middleware import RequestMiddleware

LONG = {"data": "检查记录" * 400}
GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture(scope="module")
def form_client() -> Iterator[TestClient]:
    """A client of an application with answers of every kind. It accepts no compression by default."""
    app = FastAPI()

    @app.get("/answer/{length}")
    async def answer(length: int, kind: str = "application/json", tagged: bool = False) -> Response:
        headers = {"ETag": '"3"'} if tagged else {}
        return Response(b"a" * length, media_type=kind, headers=headers)

    @app.get("/long")
    async def long() -> dict[str, str]:
        return LONG

    @app.get("/stream")
    async def stream(kind: str) -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"a" * 5000
            yield b"b" * 5000

        return StreamingResponse(pieces(), media_type=kind)

    app.add_middleware(AnswerForm)
    app.add_middleware(RequestMiddleware)
    with TestClient(app, headers={"Accept-Encoding": "identity"}) as client:
        yield client


def test_long_answer_is_compressed_if_the_client_accepts_it(form_client: TestClient) -> None:
    plain, packed = form_client.get("/long"), form_client.get("/long", headers=GZIP)
    assert packed.json() == plain.json() == LONG
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 10


@pytest.mark.parametrize("length", [MIN_BYTES - 1, MIN_BYTES, layers.IN_THREAD_BYTES + 1])
def test_short_answer_is_not_compressed(form_client: TestClient, length: int) -> None:
    answer = form_client.get(f"/answer/{length}", headers=GZIP)
    assert answer.content == b"a" * length
    assert ("content-encoding" in answer.headers) is (length >= MIN_BYTES)


@pytest.mark.parametrize(
    "query",
    ["kind=image/jpeg", "kind=application/octet-stream", "kind=text/event-stream", "tagged=true"],
)
def test_pictures_streams_and_answers_with_a_tag_are_not_compressed(
    form_client: TestClient, query: str
) -> None:
    answer = form_client.get(f"/answer/5000?{query}", headers=GZIP)
    assert "content-encoding" not in answer.headers
    assert answer.headers["content-length"] == "5000"


@pytest.mark.parametrize("kind", ["text/csv", "text/event-stream"])
def test_streamed_answer_is_not_buffered(form_client: TestClient, kind: str) -> None:
    answer = form_client.get(f"/stream?kind={kind}", headers=GZIP)
    assert answer.content == b"a" * 5000 + b"b" * 5000
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize("headers", [GZIP, {}])
@pytest.mark.parametrize("path", ["/long", "/answer/10", "/answer/5000?tagged=true", "/nothing-here"])
def test_head_has_the_headers_of_the_get(form_client: TestClient, path: str, headers: dict[str, str]) -> None:
    head, get = form_client.head(path, headers=headers), form_client.get(path, headers=headers)
    assert head.content == b""
    assert head.status_code == get.status_code
    different = {"x-request-id"}
    assert {k: v for k, v in head.headers.items() if k not in different} == {
        k: v for k, v in get.headers.items() if k not in different
    }


@pytest.mark.parametrize(
    ("header", "compressed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("deflate, gzip;q=0.5, br", True),
        ("gzip ; q=1.0", True),
        ("gzip;q=0.001", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("identity", False),
        ("x-gzipped, br", False),
        ("br, *", False),
        ("", False),
    ],
)
def test_accept_encoding_is_evaluated(form_client: TestClient, header: str, compressed: bool) -> None:
    answer = form_client.get("/long", headers={"Accept-Encoding": header})
    assert ("content-encoding" in answer.headers) is compressed
    assert answer.json() == LONG


@given(st.binary(max_size=3000))
def test_every_accept_encoding_header_is_accepted(header: bytes) -> None:
    layers._accepts_gzip([(b"accept-encoding", header)])


def test_lists_of_the_service_are_compressed_and_one_record_is_not(client: TestClient) -> None:
    plain = {"Accept-Encoding": "identity"}
    for number in range(5):
        body = {"task_id": "t1", "inspection_name": f"记录 {number}"}
        record = client.post("/api/inspection/create", json=body).json()["data"]
    search = "/api/inspection/search?current_page=1&page_size=20"
    listed = client.get(search, headers=GZIP)
    assert listed.headers["content-encoding"] == "gzip"
    assert listed.json() == client.get(search, headers=plain).json()
    # Clients send its tag in If-Match, so the tag identifies the uncompressed body.
    single = client.get(f"/api/inspection/getInspectionById/{record['inspection_id']}", headers=GZIP)
    assert "content-encoding" not in single.headers
    assert single.headers["etag"] == '"1"'
    assert client.get("/api/openapi.json", headers=GZIP).headers["content-encoding"] == "gzip"
