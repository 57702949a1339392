"""Finds the certificate that the service answers with; makes and renews its own."""

from __future__ import annotations

import logging
import time

from service.settings import Settings
from service.tls import CertificateError
from service.tls.files import CertificateFiles
from service.tls.made import RENEW_SECONDS, make, renew

log = logging.getLogger("walkaround.tls")

CERTIFICATE = "tls.crt"
KEY = "tls.key"
"""The files in the data directory of the certificate that the service makes for itself."""


def chosen_files(settings: Settings) -> CertificateFiles:
    """The files of the settings, or those of the service's own certificate, which need not be there yet."""
    if settings.tls_cert is not None and settings.tls_key is not None:
        return CertificateFiles(settings.tls_cert, settings.tls_key)
    return CertificateFiles(settings.data_dir / CERTIFICATE, settings.data_dir / KEY, made=True)


def usable_files(settings: Settings) -> CertificateFiles:
    """The files to answer with; the service's own certificate is made when missing, renewed when due.

    Raises CertificateError when they cannot be used, and OSError.
    """
    files = chosen_files(settings)
    if files.made:
        try:
            _keep_usable(files, settings)
        except ValueError as problem:
            raise CertificateError(
                f"The key {files.key} cannot be read. Move it and {files.certificate} away to have new ones "
                "made; every desktop then asks whether the new one is to be trusted."
            ) from problem
    files.load()
    return files


def _keep_usable(files: CertificateFiles, settings: Settings) -> None:
    if not files.certificate.exists() or not files.key.exists():
        make(files.certificate, files.key, [settings.host, *settings.allowed_hosts])
        log.info("made a certificate: %s", files.certificate)
    elif time.time() > files.ends() - RENEW_SECONDS:
        renew(files.certificate, files.key)
        log.info("renewed the certificate: %s", files.certificate)
