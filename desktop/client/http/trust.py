"""Decides whether a server's certificate is trusted: by the system, or by a fingerprint that the user
compared.

A `ServerContext` belongs to one server. All connections to the server use it: calls, streams, tiles, uploads
and the watcher.
"""

from __future__ import annotations

import functools
import socket
import ssl
from typing import Self
from urllib.parse import urlsplit

import httpx
import truststore

from desktop.client.http.errors import Unreachable, Untrusted
from shared.fingerprints import key_fingerprint

_OFFER_SECONDS = 5.0
"""Seconds within which a server must show its certificate. It equals the timeout of a connection."""

_NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"})
"""Reasons of OpenSSL (3.0 and later) when the first bytes of the server are not TLS."""


class _OtherKeyError(ssl.SSLError):
    """The server has another key than the trusted one."""

    def __init__(self, found: str, trusted: str) -> None:
        super().__init__("the server does not have the key that was trusted")
        self.found = found
        self.trusted = trusted


class ServerContext(ssl.SSLContext):
    """TLS to one server.

    With a `fingerprint`, the server must have the key with it. Name and end of the certificate do not matter.
    Without one, this computer must trust the certificate, and it must be valid for the server's name.
    """

    def __new__(cls, fingerprint: str | None = None) -> Self:
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, fingerprint: str | None = None) -> None:
        self.fingerprint = fingerprint
        # `wrap_socket` checks the key before anything is sent.
        self.check_hostname = False
        self.verify_mode = ssl.CERT_NONE

    def wrap_socket(
        self,
        sock: socket.socket,
        server_side: bool = False,
        do_handshake_on_connect: bool = True,
        suppress_ragged_eofs: bool = True,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLSocket:
        """Do the handshake over a connection. Raises ssl.SSLError when the server is not trusted."""
        trusted = self.fingerprint
        if trusted is None:
            return _system_context().wrap_socket(
                sock,
                server_side,
                do_handshake_on_connect,
                suppress_ragged_eofs,
                server_hostname.decode() if isinstance(server_hostname, bytes) else server_hostname,
                session,
            )
        tls = super().wrap_socket(
            sock, server_side, do_handshake_on_connect, suppress_ragged_eofs, server_hostname, session
        )
        try:
            fingerprint = _fingerprint_of(tls)
            if fingerprint != trusted:
                raise _OtherKeyError(fingerprint, trusted)
        except ssl.SSLError:
            tls.close()
            raise
        return tls


@functools.cache
def _system_context() -> truststore.SSLContext:
    """The context that trusts the certificates of the system, such as a company's authority.

    It is created once, because reading the system's store takes time.
    """
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Some builds of Python use the default of OpenSSL, which may allow older versions.
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _fingerprint_of(connection: ssl.SSLSocket) -> str:
    certificate = connection.getpeercert(binary_form=True)
    try:
        return key_fingerprint(certificate or b"")
    except ValueError as error:
        raise ssl.SSLError("the server showed no certificate that can be read") from error


def trust_error(error: httpx.TransportError) -> Untrusted | None:
    """The error of an untrusted certificate that caused a failed connection; None for another cause."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _OtherKeyError):
            return Untrusted(found=cause.found, trusted=cause.trusted)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Untrusted()
        cause = cause.__cause__ or cause.__context__
    return None


def is_plain_answer(error: Exception) -> bool:
    """Whether a call to an https address failed because the server does not use TLS."""
    cause: BaseException | None = error
    while cause is not None:
        # Only errors of OpenSSL have a reason.
        if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", None) in _NOT_TLS:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def add_fingerprint(untrusted: Untrusted, url: str) -> Untrusted:
    """Add the fingerprint of the server at `url` to the error, so that the user can compare it.

    Only the handshake is done. Raises Unreachable.
    """
    return Untrusted(found=untrusted.found or _fetch_fingerprint(url), trusted=untrusted.trusted)


def _fetch_fingerprint(url: str) -> str:
    parts = urlsplit(url)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    address = (parts.hostname or "", parts.port or 443)
    try:
        with (
            socket.create_connection(address, timeout=_OFFER_SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=parts.hostname) as tls,
        ):
            return _fingerprint_of(tls)
    except (OSError, ValueError) as error:
        raise Unreachable from error
