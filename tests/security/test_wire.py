"""Tests the raw socket of a real service process: only plain HTTP/1.1 reaches an operation."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from service.web import bodies, protocol
from service.web.middleware import RequestMiddleware
from tests.security.application import HEADERS, LiveService

HOST = b"Host: localhost\r\n"
POST = b"POST /api/auth/login HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
# What an attack hides behind another request: an answer of its own would be a 200.
HIDDEN = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
END = b"0\r\n\r\n"


def length(number: int) -> bytes:
    return b"Content-Length: %d\r\n" % number


SMUGGLED = {
    "length and chunks, the end by chunks": POST + length(5 + len(HIDDEN)) + CHUNKED + b"\r\n" + END + HIDDEN,
    "chunks and length, the end by chunks": POST + CHUNKED + length(5 + len(HIDDEN)) + b"\r\n" + END + HIDDEN,
    "chunks and length, the end by length": POST
    + length(4)
    + CHUNKED
    + b"\r\n%x\r\n" % len(HIDDEN)
    + HIDDEN
    + b"\r\n"
    + END,
    "the same behind a foreign host": POST.replace(b"localhost", b"evil.example")
    + length(5)
    + CHUNKED
    + b"\r\n"
    + END
    + HIDDEN,
    "two lengths": POST + length(0) + length(len(HIDDEN)) + b"\r\n" + HIDDEN,
    "two lengths in one": POST + b"Content-Length: 0, %d\r\n\r\n" % len(HIDDEN) + HIDDEN,
    "a signed length": POST + b"Content-Length: +0\r\n\r\n" + HIDDEN,
    "a negative length": POST + b"Content-Length: -1\r\n\r\n" + HIDDEN,
    "an unknown encoding": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + END + HIDDEN,
    "two encodings": POST + CHUNKED + b"Transfer-Encoding: identity\r\n\r\n" + END + HIDDEN,
    "a blank before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n" + END + HIDDEN,
    "a length behind a bare LF": POST
    + b"X: a\nTransfer-Encoding: chunked\r\n"
    + length(5)
    + b"\r\n"
    + END
    + HIDDEN,
    "a bare CR in a header": POST + b"X: a\r" + CHUNKED + length(0) + b"\r\n" + HIDDEN,
    "a NUL in a header": POST + b"X: a\x00b\r\n\r\n" + HIDDEN,
    "a bare LF behind the last chunk": POST + CHUNKED + b"\r\n0\n\n" + HIDDEN,
    "a bare LF in a chunk's extension": POST + CHUNKED + b"\r\n2;\n{}\r\n" + END + HIDDEN,
    "a chunk shorter than it says": POST + CHUNKED + b"\r\n2\r\n{}x\r\n" + END + HIDDEN,
    "a chunk of a negative size": POST + CHUNKED + b"\r\n-1\r\n" + END + HIDDEN,
    "chunks in HTTP/1.0": POST.replace(b"1.1", b"1.0") + CHUNKED + b"\r\n" + END + HIDDEN,
    "two hosts": b"GET /readyz HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\n\r\n" + HIDDEN,
    "no host": b"GET /readyz HTTP/1.1\r\n\r\n" + HIDDEN,
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HIDDEN,
    "a control character in the path": b"GET /\x0b HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "a tunnel": b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n" + HIDDEN,
}


@pytest.mark.parametrize("case", SMUGGLED)
def test_nothing_is_smuggled(live: LiveService, case: str) -> None:
    answer = live.send(SMUGGLED[case])
    statuses = re.findall(rb"HTTP/1\.1 (\d+)", answer)
    assert statuses, answer
    assert set(statuses) <= {b"400", b"404", b"405", b"422"}, answer
    assert b'"status"' not in answer


@pytest.mark.parametrize("case", SMUGGLED)
def test_nothing_is_smuggled_over_tls(live_tls: LiveService, case: str) -> None:
    test_nothing_is_smuggled(live_tls, case)


def test_heads_and_pipelines_are_the_same_over_tls(live_tls: LiveService) -> None:
    test_pipelined_requests_are_answered_in_order(live_tls)
    test_a_head_without_end_is_refused(live_tls)
    test_a_body_is_never_a_request(live_tls)


def test_plain_http_on_a_tls_port_ends_at_once(live_tls: LiveService) -> None:
    plain = LiveService(live_tls.url, live_tls.folder, live_tls.pid)
    began = time.monotonic()
    assert b"HTTP/1.1 200" not in plain.send(HIDDEN, seconds=30)
    assert time.monotonic() - began < protocol.HEAD_SECONDS
    assert b" 200 " in live_tls.send(HIDDEN)


def test_unreadable_request_is_refused_in_envelope(live: LiveService) -> None:
    head, _, body = live.send(b"GET / HTTP/1.1\r\n\r\n").partition(b"\r\n\r\n")
    pairs = [line.decode("ascii").split(": ", 1) for line in head.split(b"\r\n")[1:]]
    headers = httpx.Headers([(name, value) for name, value in pairs])
    answer = httpx.Response(400, headers=headers, content=body)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert answer.headers["x-request-id"]
    assert answer.headers["connection"] == "close"
    assert answer.json()["data"] == {"error": "invalid_input"}
    assert answer.json()["msg"] == "请求不是有效的 HTTP/1.1，请检查客户端"


def test_pipelined_requests_are_answered_in_order(live: LiveService) -> None:
    other = b"GET /api/auth/me HTTP/1.1\r\n" + HOST + b"\r\n"
    answer = live.send(HIDDEN + other + HIDDEN)
    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"200", b"401", b"200"]


def test_a_body_is_never_a_request(live: LiveService) -> None:
    answer = live.send(POST + length(len(HIDDEN)) + b"\r\n" + HIDDEN)
    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"422"]


def test_options_of_the_server_as_a_whole_names_every_method(live: LiveService) -> None:
    answer = live.send(b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 204 ")
    assert b"\r\nallow: DELETE, GET, HEAD, OPTIONS, POST, PUT\r\n" in answer


def test_a_head_without_end_is_refused(live: LiveService) -> None:
    for endless in (b"X: " + b"a" * 200_000, b"X: a\r\n" * 40_000):
        answer = live.send(b"GET /healthz HTTP/1.1\r\n" + HOST + endless)
        assert b" 200 " not in answer
        assert b'"status"' not in answer


def test_partial_header_is_not_a_request(live: LiveService) -> None:
    assert live.send(HIDDEN[:-2], seconds=0.3) == b""
    assert httpx.get(f"{live.url}/healthz").status_code == 200


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server with the service's protocol whose patience is short."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.2)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    yield from serve_app(app)


def serve_app(app: ASGIApp) -> Iterator[int]:
    """The port at which `app` is served with the service's protocol."""
    config = uvicorn.Config(
        app, port=0, http=protocol.GuardedProtocol, log_config=None, lifespan="off", timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(60)


@pytest.mark.parametrize("first", [b"", b"GET / HT", HIDDEN + b"GET / HT"])
def test_a_request_that_does_not_come_ends_its_connection(impatient: int, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", impatient), timeout=10) as wire:
        wire.sendall(first)
        got = b""
        while piece := wire.recv(4096):
            got += piece
        assert got.count(b"HTTP/1.1 204") == (1 if HIDDEN in first else 0)


def test_the_connection_that_waits_longest_makes_room(
    impatient: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 600)
    monkeypatch.setattr(protocol, "IDLE_CONNECTIONS", 3)
    with ExitStack() as stack:
        waiting = []
        for _number in range(3):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", impatient), timeout=20))
            wire.sendall(HIDDEN)
            assert wire.recv(4096).startswith(b"HTTP/1.1 204")
            waiting.append(wire)
        # The one that asks again has waited less than the second.
        waiting[0].sendall(HIDDEN)
        assert waiting[0].recv(4096).startswith(b"HTTP/1.1 204")
        newest = stack.enter_context(socket.create_connection(("127.0.0.1", impatient), timeout=20))
        assert waiting[1].recv(4096) == b""
        for wire in (waiting[2], waiting[0], newest):
            wire.sendall(HIDDEN)
            assert wire.recv(4096).startswith(b"HTTP/1.1 204")


@pytest.fixture
def impatient_port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server that reads bodies and gives them little time."""
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.3)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        more = True
        while more:
            more = (await receive()).get("more_body", False)
        # Longer than a body may take: an answer may.
        await asyncio.sleep(0.5)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    rule = bodies.BodyRule(2**20, rate=2**20)
    limited = RequestMiddleware(bodies.BodyLimit(app, lambda _path: rule))
    yield from serve_app(limited)


def test_body_that_arrives_too_slowly_ends_its_connection(impatient_port: int) -> None:
    answer = send_to(impatient_port, POST + length(100) + b"\r\n{")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in head.lower()
    assert json.loads(body)["data"]["error"] == "too_slow"


def test_body_that_arrives_gets_its_whole_answer(impatient_port: int) -> None:
    with socket.create_connection(("127.0.0.1", impatient_port), timeout=10) as wire:
        for piece in (POST + length(6) + b"\r\n", b"{ ", b"  ", b" }"):
            wire.sendall(piece)
            time.sleep(0.02)
        assert wire.recv(4096).startswith(b"HTTP/1.1 204")


@pytest.fixture
def header_names_port() -> Iterator[int]:
    """The port of a server that reads a body and then answers with the names of the request's headers."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body", False):
            pass
        names = b" ".join(name for name, _value in scope["headers"])
        headers = [(b"connection", b"close"), (b"content-length", b"%d" % len(names))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": names})

    yield from serve_app(app)


def send_to(port: int, *pieces: bytes) -> bytes:
    """What a server answers until it closes; it may close before it has received everything."""
    got = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
        with suppress(ConnectionError):
            for piece in pieces:
                wire.sendall(piece)
        with suppress(ConnectionError):
            while piece := wire.recv(4096):
                got += piece
    return got


def test_trailers_are_not_headers_of_the_request(header_names_port: int) -> None:
    trailers = b"0\r\nAuthorization: Bearer x\r\nHost: evil.example\r\n\r\n"
    answer = send_to(header_names_port, POST + CHUNKED + b"\r\n2\r\n{}\r\n" + trailers)
    head, _, names = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert names == b"host content-type transfer-encoding"


@pytest.mark.parametrize(
    "endless", [b"0\r\n" + b"X: a\r\n" * 40_000, b"0\r\nX: " + b"a" * 200_000, b"1;" + b"a" * 200_000]
)
def test_a_body_of_framing_only_ends_its_connection(header_names_port: int, endless: bytes) -> None:
    # In pieces, as a sender without end sends them.
    pieces = [endless[start : start + 8192] for start in range(0, len(endless), 8192)]
    answer = send_to(header_names_port, POST + CHUNKED + b"\r\n2\r\n{}\r\n", *pieces)
    # The reset of the connection may overtake the answer.
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


def test_a_body_in_chunks_of_one_byte_is_read(header_names_port: int) -> None:
    chunks = [b"1\r\n \r\n" * 1000] * 20
    answer = send_to(header_names_port, POST + CHUNKED + b"\r\n", *chunks, END)
    assert answer.startswith(b"HTTP/1.1 200")


def test_forwarded_headers_are_not_believed(live: LiveService) -> None:
    """Without trusted proxies the address is that of the connection: no way around the limits."""
    statuses = []
    for number in range(7):
        forged = f"203.0.113.{number}"
        headers = {
            "X-Forwarded-For": forged,
            "X-Real-IP": forged,
            "Forwarded": f"for={forged};host=evil.example;proto=https",
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Prefix": "/evil",
        }
        body = {"username": "somebody-else", "password": "guess"}
        answer = httpx.post(f"{live.url}/api/auth/login", json=body, headers=headers)
        statuses.append(answer.status_code)
        assert "evil" not in answer.text + str(answer.headers)
    assert statuses == [200] * 5 + [429] * 2


def test_only_known_host_names_are_answered(live: LiveService) -> None:
    port = urlsplit(live.url).port
    for host, status in (
        (f"127.0.0.1:{port}", 200),
        ("localhost", 200),
        ("localhost:1", 200),
        ("[::1]:80", 200),
        ("LOCALHOST", 200),
        ("evil.example", 400),
        ("localhost.evil.example", 400),
        ("127.0.0.1.nip.example:80", 400),
        ("localhost@evil.example", 400),
        ("testserver", 400),
        ("localhost:80:evil", 400),
        ("", 400),
    ):
        answer = httpx.get(f"{live.url}/healthz", headers={"Host": host})
        assert answer.status_code == status, host
    absolute = live.send(b"GET http://evil.example/healthz HTTP/1.1\r\n" + HOST + b"\r\n")
    assert b'"status"' not in absolute
