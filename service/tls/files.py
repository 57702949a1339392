"""A certificate and its key as files: reading them, and the TLS context that follows them.

Owns the rule that a connection gets what the files hold at that moment: a renewed pair is picked up at the
next connection, in every process of the service; one that cannot be used leaves the pair before in force.
"""

from __future__ import annotations

import logging
import ssl
import time
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from service.tls import CertificateError
from service.tls.made import RENEW_SECONDS, renew
from shared.fingerprints import key_fingerprint

log = logging.getLogger("walkaround.tls")

_RETRY_SECONDS = 3600.0
"""How long after a renewal that failed the next one is tried."""


class _PasswordError(ValueError):
    """The key has a password."""


_State = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """A certificate with its chain and its key, both PEM. `made`: the service made them and renews them."""

    certificate: Path
    key: Path
    made: bool = False

    def read(self) -> x509.Certificate:
        """The certificate of the service, without its chain. Raises CertificateError."""
        try:
            return x509.load_pem_x509_certificate(self.certificate.read_bytes())
        except (OSError, ValueError) as problem:
            raise _certificate_error(self, problem) from problem

    def fingerprint(self) -> str:
        """The fingerprint that people compare. Raises CertificateError."""
        return key_fingerprint(self.read().public_bytes(Encoding.DER))

    def ends(self) -> float:
        """When the certificate ends, in seconds since 1970. Raises CertificateError."""
        return self.read().not_valid_after_utc.timestamp()

    def load(self) -> ssl.SSLContext:
        """A context with what the files hold now. Raises CertificateError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # A client could have the service compute a new handshake for as long as the connection lasts.
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self.certificate, self.key, _refuse_password)
        except (OSError, ValueError) as problem:
            raise _certificate_error(self, problem) from problem
        return context

    def reloading_context(self, *_config: object) -> ssl.SSLContext:
        """A context that serves what the files hold at each connection. Raises CertificateError.

        Made to be given to uvicorn as `ssl_context_factory`, which passes its configuration.
        """
        context = self.load()
        reloading = _ReloadingContext(self, context)
        context.sni_callback = reloading.choose
        return context


class _ReloadingContext:
    """Gives each connection the newest context that could be made of the files."""

    def __init__(self, files: CertificateFiles, context: ssl.SSLContext) -> None:
        self._files = files
        self._newest = context
        self._state = _state(files)
        self._renew_from = self._renewal_time()

    def choose(self, connection: ssl.SSLObject, _name: str | None, _first: ssl.SSLContext) -> None:
        """Called by OpenSSL at each handshake, also without a server name."""
        if self._files.made and time.time() > self._renew_from:
            self._renew()
        state = _state(self._files)
        if state != self._state:
            self._state = state
            self._reload()
        connection.context = self._newest

    def _reload(self) -> None:
        try:
            self._newest = self._files.load()
        except CertificateError as problem:
            log.error("%s The certificate read before stays in use.", problem)
            return
        self._renew_from = self._renewal_time()
        log.info("the certificate was read again; fingerprint %s", self._files.fingerprint())

    def _renew(self) -> None:
        self._renew_from = time.time() + _RETRY_SECONDS
        try:
            renew(self._files.certificate, self._files.key)
        except (OSError, ValueError) as problem:
            log.error("the certificate cannot be renewed, and ends soon (%s)", type(problem).__name__)

    def _renewal_time(self) -> float:
        return self._files.ends() - RENEW_SECONDS if self._files.made else float("inf")


def _state(files: CertificateFiles) -> _State:
    """What changes when one of the files does; a file that is missing has a state of its own."""
    state = []
    for path in (files.certificate, files.key):
        try:
            status = path.stat()
        except OSError:
            state.append((0, 0, 0))
        else:
            state.append((status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(state)


def _refuse_password() -> str:
    # OpenSSL would ask for it at the terminal, and the start would wait there.
    raise _PasswordError


def _certificate_error(files: CertificateFiles, problem: Exception) -> CertificateError:
    if isinstance(problem, ssl.SSLError):
        mismatch = problem.reason == "KEY_VALUES_MISMATCH"
        why = "they do not belong together" if mismatch else "one of them is not a whole PEM file"
    elif isinstance(problem, OSError):
        why = problem.strerror or type(problem).__name__
    else:
        why = (
            "the key has a password" if isinstance(problem, _PasswordError) else "the certificate is damaged"
        )
    return CertificateError(
        f"Certificate {files.certificate} and key {files.key} cannot be used: {why}. Both must be PEM files "
        "that belong together, the key without a password, and readable by the account of the service."
    )
