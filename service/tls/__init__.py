"""TLS of the service: where certificate and key come from, and the context that serves with them.

Gives the decision whether the service answers with TLS. The modules below load the library that reads and
makes certificates, which a service on loopback starts faster without.
"""

from __future__ import annotations

from service.settings import Settings
from service.web.addresses import is_loopback


class CertificateError(Exception):
    """Certificate and key cannot be used; the text says why and what to do."""


def needs_tls(settings: Settings) -> bool:
    """Whether the service answers with TLS: with a certificate of the settings, or off loopback.

    Plain HTTP on an address that others reach needs the setting `plain_http`.
    """
    if settings.tls_cert is not None:
        return True
    return not (settings.plain_http or settings.host == "localhost" or is_loopback(settings.host))
