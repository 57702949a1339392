"""Finds the certificate that the service answers with; creates and renews the service's own one."""

from __future__ import annotations

import logging
import time

from service.settings import Settings
from service.tls import CertificateError
from service.tls.files import CertificateFiles
from service.tls.own_certificate import RENEW_SECONDS, create, renew

log = logging.getLogger("walkaround.tls")

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
