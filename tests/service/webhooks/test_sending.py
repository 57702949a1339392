"""What a request does with a host, and what of it it trusts: real servers on loopback."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpcore
import pytest

from service.webhooks import sending
from service.webhooks.rules import Networks, Outcome
from shared.wire.webhooks import DeliveryError
from tests.certificates import create_server_context
from tests.webhook_receiver import Receiver

LOOPBACK: Networks = [ip_network("127.0.0.0/8")]
BODY = b'{"type":"webhook.test"}'


def send(url: str, allowed: Networks = LOOPBACK) -> Outcome:
    headers = {"Content-Type": "application/json", "webhook-id": "msg_1"}
    return asyncio.run(sending.send(url, headers, BODY, allowed))


def address_infos(port: int, *addresses: str) -> list[Any]:
    """What `getaddrinfo` gives for these."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def test_body_and_headers_arrive(receiver: Receiver) -> None:
    assert send(f"{receiver.url}?a=%20b") == Outcome(204, None)
    (request,) = receiver.received
    assert (request.path, request.body) == ("/hook?a=%20b", BODY)
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["webhook-id"] == "msg_1"
    assert request.headers["content-length"] == str(len(BODY))


@pytest.mark.parametrize("status", [200, 201, 299])
def test_every_status_of_the_second_hundred_is_a_success(receiver: Receiver, status: int) -> None:
    receiver.status = status
    assert send(receiver.url) == Outcome(status, None)


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
def test_other_statuses_are_failures(receiver: Receiver, status: int) -> None:
    receiver.status = status
    assert send(receiver.url) == Outcome(status, DeliveryError.STATUS)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect_is_not_followed(receiver: Receiver, status: int) -> None:
    receiver.status = status
    receiver.headers = {"Location": receiver.url + "/second"}
    assert send(receiver.url) == Outcome(status, DeliveryError.REDIRECTED)
    assert len(receiver.received) == 1


def test_nothing_is_sent_to_loopback_unless_allowed(receiver: Receiver) -> None:
    for url in (
        receiver.url,
        f"https://localhost:{receiver.port}/",
        f"http://[::ffff:127.0.0.1]:{receiver.port}/",
    ):
        assert send(url, []) == Outcome(None, DeliveryError.ADDRESS_REFUSED)
    assert send(receiver.url, [ip_network("10.0.0.0/8")]) == Outcome(None, DeliveryError.ADDRESS_REFUSED)
    assert receiver.received == []


def test_proxy_of_the_environment_is_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, receiver.url)
    assert send("https://webhook.invalid/").error is DeliveryError.NOT_RESOLVED
    assert receiver.received == []


def test_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that has an outside and an inside address, and another one at each question."""
    resolved: list[str] = []
    connected: list[str] = []

    async def resolve(_loop: object, host: str, port: int, **_: Any) -> list[Any]:
        resolved.append(host)
        answers = ["127.0.0.1", "::ffff:10.0.0.1", "93.184.216.34", "169.254.169.254"]
        return address_infos(port, *answers[: 4 // len(resolved)])

    async def connect(_self: object, host: str, *_: Any, **__: Any) -> Any:
        connected.append(host)
        raise httpcore.ConnectError

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    assert send("https://rebinding.example/", []) == Outcome(None, DeliveryError.NOT_CONNECTED)
    assert (resolved, connected) == (["rebinding.example"], ["93.184.216.34"])


def test_next_address_of_a_host_is_tried(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(_loop: object, _host: str, port: int, **_: Any) -> list[Any]:
        return address_infos(port, "127.0.0.9", "127.0.0.1")

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    assert send(f"http://two.example:{receiver.port}/") == Outcome(204, None)
    assert receiver.received[0].headers["host"] == f"two.example:{receiver.port}"


def test_certificate_has_to_be_valid_for_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context, authority = create_server_context(tmp_path, "localhost")
    server = Receiver(context)
    try:
        named = f"https://localhost:{server.port}/hook"
        assert send(named) == Outcome(None, DeliveryError.TLS_FAILED)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        sending._ssl_context.cache_clear()
        assert send(named) == Outcome(204, None)
        assert send(f"https://127.0.0.1:{server.port}/hook") == Outcome(None, DeliveryError.TLS_FAILED)
        assert len(server.received) == 1
    finally:
        sending._ssl_context.cache_clear()
        server.close()


def test_connection_without_tls_is_reported(receiver: Receiver) -> None:
    assert send(f"https://127.0.0.1:{receiver.port}/") == Outcome(None, DeliveryError.TLS_FAILED)


def test_server_that_is_not_there_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    assert send(f"http://127.0.0.1:{port}/") == Outcome(None, DeliveryError.NOT_CONNECTED)


class Raw:
    """A server that writes `answer` in pieces of `piece` bytes, one each `pause` seconds, and waits."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listening.accept()
        with connection:
            connection.recv(65536)
            connection.settimeout(60)
            try:
                connection.sendall(self._answer)
                while connection.recv(65536):
                    pass
            except OSError:
                pass

    def close(self) -> None:
        self._thread.join()
        self._listening.close()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", Outcome(None, DeliveryError.BAD_ANSWER)),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000, Outcome(None, DeliveryError.BAD_ANSWER)),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\nfirst", Outcome(200, None)),
    ],
)
def test_answers_are_read_to_the_end_of_the_head_only(answer: bytes, outcome: Outcome) -> None:
    server = Raw(answer)
    assert send(server.url) == outcome
    server.close()


def test_server_that_never_answers_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "ATTEMPT_SECONDS", 0.3)
    server = Raw(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    assert send(server.url) == Outcome(None, DeliveryError.TOO_SLOW)
    server.close()


def test_tls_below_version_1_2_is_not_spoken() -> None:
    assert sending._ssl_context().minimum_version >= ssl.TLSVersion.TLSv1_2
    assert sending._ssl_context().verify_mode is ssl.CERT_REQUIRED
    assert sending._ssl_context().check_hostname
