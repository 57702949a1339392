"""Tests the time limits of TLS connections: without a handshake or a request they are closed."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from service.tls.files import CertificateFiles
from service.web import protocol
from tests.certificates import make_pair, unchecked_context

SHORT_SECONDS = 0.3
"""The time limits in these tests, in seconds; the real ones are 15."""


async def _app(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def handshake_seconds() -> float:
    """The time limit of a handshake, long enough for a busy machine."""
    return 20.0


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handshake_seconds: float) -> Iterator[int]:
    """The port of a TLS server with short time limits."""
    monkeypatch.setattr(protocol, "HANDSHAKE_SECONDS", handshake_seconds)
    monkeypatch.setattr(protocol, "HEAD_SECONDS", SHORT_SECONDS)
    config = protocol.BoundedConfig(
        _app,
        port=0,
        http=protocol.GuardedProtocol,
        log_config=None,
        lifespan="off",
        ssl_context_factory=CertificateFiles(*make_pair(tmp_path)).reloading_context,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.parametrize("handshake_seconds", [SHORT_SECONDS])
@pytest.mark.parametrize("first", [b"", b"\x16\x03\x01"])
def test_connection_without_a_handshake_is_closed(port: int, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as tcp_connection:
        tcp_connection.sendall(first)
        assert tcp_connection.recv(4096) == b""


def test_connection_without_a_request_is_closed(port: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as tcp_connection,
        unchecked_context().wrap_socket(tcp_connection, server_hostname="localhost") as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT")
        assert connection.recv(4096).startswith(b"HTTP/1.1 204")
        assert connection.recv(4096) == b""


def test_silent_connection_is_closed_after_its_handshake(port: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as tcp_connection,
        unchecked_context().wrap_socket(tcp_connection, server_hostname="localhost") as connection,
    ):
        assert connection.recv(4096) == b""
