"""Sends one request to an address that an administrator entered, and never to a forbidden network.

This module resolves the host and connects to the IP address that it checked, so a second, different DNS
answer (DNS rebinding) has no effect. It does not follow redirects, use proxies of the environment or read the
body of the answer, and the whole request has a time limit.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import certifi
import httpcore

from service.webhooks.rules import Networks, Outcome, may_send_to
from shared.wire.webhooks import DeliveryError

ATTEMPT_SECONDS: Final = 15.0
"""Time limit for resolving, connecting, sending and receiving the head of the answer together."""
_CONNECT_SECONDS: Final = 5.0
"""Time limit for one IP address of a host; then the next one is tried."""


class _RefusedError(Exception):
    """Raised if requests must not or cannot be sent to the host."""

    def __init__(self, error: DeliveryError) -> None:
        super().__init__(error)
        self.error = error


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects only to those addresses of a host that may receive requests."""

    def __init__(self, allowed_networks: Networks, *, encrypted: bool) -> None:
        self._allowed_networks = allowed_networks
        self._encrypted = encrypted
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers. Raises _RefusedError, httpcore.ConnectError."""
        try:
            entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise _RefusedError(DeliveryError.NOT_RESOLVED) from None
        addresses = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in entries)
        targets = [
            address
            for address in addresses
            if may_send_to(ip_address(address), self._allowed_networks, encrypted=self._encrypted)
        ]
        if not targets:
            raise _RefusedError(DeliveryError.ADDRESS_REFUSED)
        for number, address in enumerate(targets, start=1):
            try:
                return await self._network.connect_tcp(
                    address, port, _CONNECT_SECONDS, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(targets):
                    raise
        raise AssertionError("the last address was tried")


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return a context that trusts the authorities of the system (or `SSL_CERT_FILE`) and of certifi."""
    context = ssl.create_default_context(cafile=certifi.where())
    # Some builds of Python leave the minimum to OpenSSL, which may allow older versions.
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context


async def send(url: str, headers: Mapping[str, str], body: bytes, allowed_networks: Networks) -> Outcome:
    """POST `body` to `url` once. Failures of the network or the receiver are returned, not raised."""
    parts = urlsplit(url)
    backend = _CheckedBackend(allowed_networks, encrypted=parts.scheme == "https")
    all_headers = {"Host": parts.netloc, "Content-Length": str(len(body)), **headers}
    certificates = await asyncio.to_thread(_ssl_context)
    try:
        async with (
            asyncio.timeout(ATTEMPT_SECONDS),
            httpcore.AsyncConnectionPool(
                ssl_context=certificates, network_backend=backend, max_keepalive_connections=0
            ) as pool,
            pool.stream("POST", url, headers=list(all_headers.items()), content=body) as answer,
        ):
            return _outcome_of_status(answer.status)
    except _RefusedError as refused:
        return Outcome(None, refused.error)
    except (TimeoutError, httpcore.TimeoutException):
        return Outcome(None, DeliveryError.TOO_SLOW)
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol):
        return Outcome(None, DeliveryError.BAD_ANSWER)
    except (httpcore.NetworkError, OSError) as error:
        tls = any(isinstance(cause, ssl.SSLError) for cause in _causes(error))
        return Outcome(None, DeliveryError.TLS_FAILED if tls else DeliveryError.NOT_CONNECTED)


def _outcome_of_status(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome(status, None)
    return Outcome(status, DeliveryError.REDIRECTED if 300 <= status < 400 else DeliveryError.STATUS)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
