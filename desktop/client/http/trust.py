"""Decides whether a server's certificate is trusted: by the system, or by a fingerprint that was compared.

One `ServerContext` belongs to one server. Every connection to it is made through it: calls, streams, tiles,
uploads and the watcher.
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
"""How long a server may take to show its certificate; as long as a connection may take to be made."""

_NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"})
"""What OpenSSL (3.0 and later) says when the first bytes of the other side are not TLS."""


class _OtherKeyError(ssl.SSLError):
    """The server does not have the key that was trusted."""

    def __init__(self, found: str, trusted: str) -> None:
        super().__init__("the server does not have the key that was trusted")
        self.found = found
        self.trusted = trusted


class ServerContext(ssl.SSLContext):
    """TLS to one server.

    With a `fingerprint` the server has to have the key with it, whatever name and end its certificate has;
    without one the certificate has to be one that this computer trusts, and to be for the server's name.
    """

    def __new__(cls, fingerprint: str | None = None) -> Self:
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, fingerprint: str | None = None) -> None:
        self.fingerprint = fingerprint
        # The key is what is checked: by `wrap_socket`, before anything is sent.
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
        """Make the handshake over a connection. Raises ssl.SSLError when the server is not trusted."""
        trusted = self.fingerprint
        if trusted is None:
            return _of_the_system().wrap_socket(
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
            fingerprint = _shown_by(tls)
            if fingerprint != trusted:
                raise _OtherKeyError(fingerprint, trusted)
        except ssl.SSLError:
            tls.close()
            raise
        return tls


@functools.cache
def _of_the_system() -> truststore.SSLContext:
    """Trusts what the system trusts, also a company's authority. Made once: reading its store takes time."""
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Some builds of Python leave it to OpenSSL, which may use older ones.
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _shown_by(connection: ssl.SSLSocket) -> str:
    certificate = connection.getpeercert(binary_form=True)
    try:
        return key_fingerprint(certificate or b"")
    except ValueError as error:
        raise ssl.SSLError("the server showed no certificate that can be read") from error


def not_trusted(error: httpx.TransportError) -> Untrusted | None:
    """What a connection that failed says of the server's certificate; None when that was not the reason."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _OtherKeyError):
            return Untrusted(found=cause.found, trusted=cause.trusted)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Untrusted()
        cause = cause.__cause__ or cause.__context__
    return None


def is_without_tls(error: Exception) -> bool:
    """Whether a call to an https address failed because what answers there does not use TLS."""
    cause: BaseException | None = error
    while cause is not None:
        # Only errors that OpenSSL reports have a reason.
        if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", None) in _NOT_TLS:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def with_fingerprint(untrusted: Untrusted, url: str) -> Untrusted:
    """The error with the fingerprint that the server at `url` shows, for a person to compare.

    Nothing is sent to the server. Raises Unreachable.
    """
    return Untrusted(found=untrusted.found or _shown_at(url), trusted=untrusted.trusted)


def _shown_at(url: str) -> str:
    place = urlsplit(url)
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname = False
    anyone.verify_mode = ssl.CERT_NONE
    address = (place.hostname or "", place.port or 443)
    try:
        with (
            socket.create_connection(address, timeout=_OFFER_SECONDS) as connection,
            anyone.wrap_socket(connection, server_hostname=place.hostname) as tls,
        ):
            return _shown_by(tls)
    except (OSError, ValueError) as error:
        raise Unreachable from error
