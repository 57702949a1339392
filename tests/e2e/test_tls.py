"""Tests the service process with TLS: its own certificate, a renewed certificate, idle connections."""

from __future__ import annotations

import json
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from shared.system.paths import read_service_address
from tests.certificates import Pair, make_pair, served_fingerprint, unchecked_context
from tests.postgresql import Server
from tests.service.program import run_program
from tests.service.waiting import wait_until
from tests.service_process import create_first_admin, running_service, service_process

pytestmark = pytest.mark.slow


def pair_settings(pair: Pair) -> dict[str, str]:
    return {"tls_cert": str(pair.certificate), "tls_key": str(pair.key)}


def wait_for_fingerprint(url: str, fingerprint: str, connections: int) -> None:
    """Wait until this number of consecutive connections shows `fingerprint`."""
    wait_until(lambda: all(served_fingerprint(url) == fingerprint for _ in range(connections)))


def test_service_beyond_loopback_uses_its_own_certificate(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running_service(data, host="0.0.0.0") as running:
        assert running.url.startswith("https://127.0.0.1:")
        fingerprint = running.ready["fingerprint"]
        assert served_fingerprint(running.url) == fingerprint
        assert read_service_address(data) == (running.url, fingerprint)
        # A client that has the certificate can verify it, because it names this machine.
        context = ssl.create_default_context(cafile=str(data / "tls.crt"))
        assert httpx.get(f"{running.url}/healthz", verify=context).json() == {"status": "ok"}
        second = run_program("serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", str(data))
        assert json.loads(second.stdout) == {"event": "busy", "url": running.url, "fingerprint": fingerprint}
    assert fingerprint in (data / "service.log").read_text("utf-8")
    with running_service(data, host="0.0.0.0") as again:
        assert again.ready["fingerprint"] == fingerprint


def test_plain_http_beyond_loopback_needs_its_setting(tmp_path: Path) -> None:
    with running_service(tmp_path / "data", host="0.0.0.0", plain_http="1") as running:
        assert running.url.startswith("http://")
        assert set(running.ready) == {"event", "url", "pid"}
        assert httpx.get(f"{running.url}/healthz").json() == {"status": "ok"}


def test_running_service_uses_a_renewed_certificate(tmp_path: Path) -> None:
    pair, other = make_pair(tmp_path / "first"), make_pair(tmp_path / "second")
    with running_service(tmp_path / "data", **pair_settings(pair)) as running:
        assert "fingerprint" not in running.ready
        before = pair.fingerprint
        assert served_fingerprint(running.url) == before
        with httpx.Client(verify=unchecked_context(), base_url=running.url) as client:
            token = client.post(
                "/api/auth/first-run",
                json={"username": "chief", "password": "words-that-are-long", "name": "主任"},
            ).json()["data"]["access_token"]
            pair.certificate.write_bytes(other.certificate.read_bytes())
            assert served_fingerprint(running.url) == before
            pair.key.write_bytes(other.key.read_bytes())
            assert served_fingerprint(running.url) == other.fingerprint
            # An open connection continues to work.
            assert client.get("/api/auth/me", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert "do not belong together" in log
    assert "the certificate was read again" in log


@pytest.mark.postgresql
def test_each_of_several_processes_serves_the_renewed_certificate(
    tmp_path: Path, postgresql_server: Server
) -> None:
    postgresql_server.execute("CREATE DATABASE tls_processes")
    pair, other = make_pair(tmp_path / "first"), make_pair(tmp_path / "second")
    database = postgresql_server.url("tls_processes")
    settings = pair_settings(pair) | {"workers": "2", "database_url": database}
    with running_service(tmp_path / "data", **settings) as running:
        assert running.url.startswith("https://")
        wait_for_fingerprint(running.url, pair.fingerprint, 8)
        pair.replace_by(other)
        wait_for_fingerprint(running.url, other.fingerprint, 20)


def test_idle_connections_delay_neither_other_clients_nor_the_end(tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    with running_service(tmp_path / "data", **pair_settings(pair)) as running:
        place = urlsplit(running.url)
        address = (place.hostname or "", place.port or 0)
        # A connection that never starts its handshake, and one that is idle after an answer.
        silent = socket.create_connection(address, timeout=20)
        idle = unchecked_context().wrap_socket(
            socket.create_connection(address, timeout=20), server_hostname="localhost"
        )
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle.recv(4096).startswith(b"HTTP/1.1 200")
        with httpx.Client(verify=unchecked_context()) as client:
            assert client.get(f"{running.url}/healthz").json() == {"status": "ok"}
        assert running.process.stdin is not None
        running.process.stdin.close()
        running.process.wait(60)
        silent.close()
        idle.close()
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert "graceful shutdown exceeded" not in log


def _head_of_whole_answer(wire: socket.socket) -> bytes:
    """Read the next answer with its body, and return its head in lower case."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += wire.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    head = head.lower()
    length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += wire.recv(65536)
    return head


def test_connection_of_a_client_pool_stays_open_for_a_minute(tmp_path: Path) -> None:
    """The service keeps an idle connection open longer than the client's pool does."""
    from desktop.client.http.transport import KEEP_ALIVE_SECONDS as POOL_SECONDS
    from service.web.protocol import KEEP_ALIVE_SECONDS

    assert 60 <= POOL_SECONDS < KEEP_ALIVE_SECONDS
    with service_process(tmp_path / "data") as url:
        token = create_first_admin(url)
        place = urlsplit(url)
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as wire:
            request = f"GET /api/auth/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
            for _ in range(2):
                wire.sendall(request.encode())
                head = _head_of_whole_answer(wire)
                assert head.startswith(b"http/1.1 200")
                assert b"connection: close" not in head
