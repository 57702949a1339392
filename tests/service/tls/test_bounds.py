"""Tests that a TLS connection has the bounds of any other: a handshake and a head that do not come end it."""

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
from service.web import protocol, server_config
from tests.certificates import create_pair, create_unchecked_context

SHORT = 0.3
"""Seconds of a bound here; the real ones are 15."""


async def _app(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server with TLS whose patience is short."""
    monkeypatch.setattr(server_config, "HANDSHAKE_SECONDS", SHORT)
    monkeypatch.setattr(protocol, "HEAD_SECONDS", SHORT)
    config = server_config.BoundedConfig(
        _app,
        port=0,
        http=protocol.GuardedProtocol,
        log_config=None,
        lifespan="off",
        ssl_context_factory=CertificateFiles(*create_pair(tmp_path)).reloading_context,
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


@pytest.mark.parametrize("first", [b"", b"\x16\x03\x01"])
def test_a_handshake_that_does_not_come_ends_its_connection(port: int, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
        wire.sendall(first)
        assert wire.recv(4096) == b""


def test_a_head_that_does_not_come_ends_its_connection(port: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as wire,
        create_unchecked_context().wrap_socket(wire, server_hostname="localhost") as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT")
        assert connection.recv(4096).startswith(b"HTTP/1.1 204")
        assert connection.recv(4096) == b""


def test_silent_connection_ends_after_its_handshake(port: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as wire,
        create_unchecked_context().wrap_socket(wire, server_hostname="localhost") as connection,
    ):
        assert connection.recv(4096) == b""
