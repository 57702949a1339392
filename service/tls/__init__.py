"""TLS of the service: where certificate and key come from, and the context that serves with them.

This module decides whether the service answers with TLS. The other modules load the library for certificates,
which a service on loopback does not need: it starts faster without.
"""

from __future__ import annotations

from service.settings import Settings
from service.web.addresses import is_loopback


class CertificateError(Exception):
    """Raised if certificate and key cannot be used; the text says why and what to do."""


def needs_tls(settings: Settings) -> bool:
    """Return whether the service answers with TLS: with a certificate in the settings, or beyond loopback.

    Plain HTTP on an address that other machines reach needs the setting `plain_http`.
    """
    if settings.tls_cert is not None:
        return True
    return not (settings.plain_http or settings.host == "localhost" or is_loopback(settings.host))
