"""Tests which servers the client trusts, and what it says of the others."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from desktop.client import Session
from desktop.client.http import trust
from desktop.client.http.address import server_key
from desktop.client.http.errors import Unreachable, Untrusted
from desktop.connection.remote_service import is_answering
from tests.certificates import create_pair
from tests.desktop.tls_server import TlsServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TlsServer]:
    with TlsServer(tmp_path).running() as server:
        yield server


@pytest.fixture
def _system(server: TlsServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system that trusts the server's certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server.pair.certificate))
    trust._system_context.cache_clear()
    yield
    trust._system_context.cache_clear()


def first_run_needed(url: str, fingerprint: str | None = None) -> bool:
    session = Session(url, fingerprint=fingerprint, patience=60)
    try:
        return session.account.first_run_needed()
    finally:
        session.close()


def test_untrusted_certificate_is_refused_before_anything_is_sent(server: TlsServer) -> None:
    # At once, although the call would wait a minute for a server that is not there.
    with pytest.raises(Untrusted) as refused:
        first_run_needed(server.url)
    assert (refused.value.found, refused.value.trusted) == (None, None)
    with pytest.raises(Untrusted) as shown:
        is_answering(server.url)
    assert (shown.value.found, shown.value.trusted) == (server.fingerprint, None)
    assert server.paths == []


@pytest.mark.usefixtures("_system")
def test_a_certificate_that_the_system_trusts_needs_no_fingerprint(server: TlsServer) -> None:
    assert is_answering(server.url)
    assert first_run_needed(server.url) is False


@pytest.mark.usefixtures("_system")
def test_the_system_trusts_a_certificate_for_its_names_only(server: TlsServer) -> None:
    place = urlsplit(server.url)
    with (
        socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as connection,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        trust.ServerContext().wrap_socket(connection, server_hostname="other.example")


def test_trusted_fingerprint_needs_no_matching_name(server: TlsServer) -> None:
    assert is_answering(server.url, server.fingerprint)
    assert first_run_needed(server.url, server.fingerprint) is False


@pytest.mark.usefixtures("_system")
def test_another_key_is_refused_also_when_the_system_trusts_it(server: TlsServer, tmp_path: Path) -> None:
    before = create_pair(tmp_path / "before").fingerprint
    for call in (first_run_needed, is_answering):
        with pytest.raises(Untrusted) as refused:
            call(server.url, before)
        assert (refused.value.found, refused.value.trusted) == (server.fingerprint, before)
    assert server.paths == []


def test_session_continues_with_a_newly_trusted_key(server: TlsServer) -> None:
    session = Session(server.url, fingerprint=server.fingerprint, patience=0)
    try:
        assert session.account.first_run_needed() is False
        server.replace_certificate()
        session.rebase(server.url, server.fingerprint)
        assert session.account.first_run_needed() is False
    finally:
        session.close()


def test_a_certificate_that_cannot_be_read_is_not_trusted(
    server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_certificate: bytes) -> str:
        raise ValueError("the kind of key is not known")

    monkeypatch.setattr(trust, "key_fingerprint", unreadable)
    assert is_answering(server.url, server.fingerprint) is False
    assert is_answering(server.url) is False
    assert server.paths == []


def test_unreachable_server_is_not_untrusted() -> None:
    assert is_answering("https://127.0.0.1:9") is False
    with pytest.raises(Unreachable) as away:
        trust.add_fingerprint(Untrusted(), "https://127.0.0.1:9")
    assert not isinstance(away.value, Untrusted)


def test_plain_http_at_an_https_address_is_not_untrusted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(20)
        port = listening.getsockname()[1]
        context = trust.ServerContext("AB")
        client = socket.create_connection(("127.0.0.1", port), timeout=20)
        served, _address = listening.accept()
        served.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        with pytest.raises(ssl.SSLError):
            context.wrap_socket(client, server_hostname="localhost")
        served.close()
        client.close()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://Hangar.Example", "hangar.example:443"),
        ("https://hangar.example:443/", "hangar.example:443"),
        ("https://192.0.2.7:8177", "192.0.2.7:8177"),
        ("http://[2001:db8::7]:8177", "[2001:db8::7]:8177"),
        ("http://hangar.example", "hangar.example:80"),
        ("", ""),
    ],
)
def test_a_server_is_remembered_by_host_and_port(url: str, key: str) -> None:
    assert server_key(url) == key
