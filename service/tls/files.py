"""Reads the files of a certificate and its key, and reloads them while the service runs.

Each connection uses the current content of the files: every process of the service loads a renewed pair at
its next connection. If a new pair cannot be used, the previous one stays in use.

Finds the certificate that the service answers with; creates and renews the service's own one.
"""

from __future__ import annotations

import logging
import ssl
import time
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from service.settings import Settings
from service.tls import CertificateError
from service.tls.own_certificate import RENEW_SECONDS, create, renew
from shared.fingerprints import key_fingerprint

log = logging.getLogger("walkaround.tls")

_RETRY_SECONDS = 3600.0
"""How long after a failed renewal to try again."""


class _PasswordError(ValueError):
    """The key has a password."""


_State = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """A certificate with its chain and its key, both PEM. `is_own`: the service creates and renews them."""

    certificate: Path
    key: Path
    is_own: bool = False

    def read(self) -> x509.Certificate:
        """Return the certificate of the service, without its chain. Raises CertificateError."""
        try:
            return x509.load_pem_x509_certificate(self.certificate.read_bytes())
        except (OSError, ValueError) as problem:
            raise _certificate_error(self, problem) from problem

    def fingerprint(self) -> str:
        """Return the fingerprint that people compare. Raises CertificateError."""
        return key_fingerprint(self.read().public_bytes(Encoding.DER))

    def end_time(self) -> float:
        """Return the end of the certificate in seconds since 1970. Raises CertificateError."""
        return self.read().not_valid_after_utc.timestamp()

    def load(self) -> ssl.SSLContext:
        """Return a TLS context with the current content of the files. Raises CertificateError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # Renegotiation lets a client cause any number of costly handshakes on one connection.
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self.certificate, self.key, _refuse_password)
        except (OSError, ValueError) as problem:
            raise _certificate_error(self, problem) from problem
        return context

    def reloading_context(self, *_config: object) -> ssl.SSLContext:
        """Return a context that uses the current content of the files for each connection.

        This is an `ssl_context_factory` of uvicorn, which passes its configuration. Raises CertificateError.
        """
        context = self.load()
        reloader = _ContextReloader(self, context)
        context.sni_callback = reloader.choose
        return context


class _ContextReloader:
    """Gives each connection the newest context that could be loaded from the files."""

    def __init__(self, files: CertificateFiles, context: ssl.SSLContext) -> None:
        self._files = files
        self._newest = context
        self._state = _state(files)
        self._next_renewal = self._renewal_time()

    def choose(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        """Set the context of a connection; OpenSSL calls this at each handshake."""
        if self._files.is_own and time.time() > self._next_renewal:
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
            log.error("%s The previous certificate stays in use.", problem)
            return
        self._next_renewal = self._renewal_time()
        log.info("the certificate was read again; fingerprint %s", self._files.fingerprint())

    def _renew(self) -> None:
        self._next_renewal = time.time() + _RETRY_SECONDS
        try:
            renew(self._files.certificate, self._files.key)
        except (OSError, ValueError) as problem:
            log.error(
                "cannot renew the certificate, which ends soon (%s); check the permissions of its files",
                type(problem).__name__,
            )

    def _renewal_time(self) -> float:
        return self._files.end_time() - RENEW_SECONDS if self._files.is_own else float("inf")


def _state(files: CertificateFiles) -> _State:
    """Return times, sizes and inodes of the files, zeros for a missing file, to recognize changes."""
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
    # Otherwise OpenSSL would ask for the password at the terminal, and the service would wait there.
    raise _PasswordError


def _certificate_error(files: CertificateFiles, problem: Exception) -> CertificateError:
    if isinstance(problem, ssl.SSLError):
        mismatch = problem.reason == "KEY_VALUES_MISMATCH"
        cause = "they do not belong together" if mismatch else "one of them is not a whole PEM file"
    elif isinstance(problem, OSError):
        cause = problem.strerror or type(problem).__name__
    else:
        cause = (
            "the key has a password" if isinstance(problem, _PasswordError) else "the certificate is damaged"
        )
    return CertificateError(
        f"Certificate {files.certificate} and key {files.key} cannot be used: {cause}. Both must be PEM "
        "files that belong together, the key without a password, and readable by the account of the service."
    )


CERTIFICATE = "tls.crt"
KEY = "tls.key"
"""The files in the data folder of the certificate that the service makes for itself."""


def configured_files(settings: Settings) -> CertificateFiles:
    """Return the files in the settings, or those of the own certificate, which may not exist yet."""
    if settings.tls_cert is not None and settings.tls_key is not None:
        return CertificateFiles(settings.tls_cert, settings.tls_key)
    return CertificateFiles(settings.data_dir / CERTIFICATE, settings.data_dir / KEY, is_own=True)


def usable_files(settings: Settings) -> CertificateFiles:
    """Return files that can be used; create the service's own certificate if missing, and renew it if due.

    Raises CertificateError if the files cannot be used, and OSError.
    """
    files = configured_files(settings)
    if files.is_own:
        try:
            _create_or_renew(files, settings)
        except ValueError as problem:
            raise CertificateError(
                f"The key {files.key} cannot be read. Move it and {files.certificate} away to have new ones "
                "made; every desktop then asks whether the new one is to be trusted."
            ) from problem
    files.load()
    return files


def _create_or_renew(files: CertificateFiles, settings: Settings) -> None:
    if not files.certificate.exists() or not files.key.exists():
        create(files.certificate, files.key, [settings.host, *settings.allowed_hosts])
        log.info("made a certificate: %s", files.certificate)
    elif time.time() > files.end_time() - RENEW_SECONDS:
        renew(files.certificate, files.key)
        log.info("renewed the certificate: %s", files.certificate)
