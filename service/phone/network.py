"""Finds the addresses at which phones in the local network reach the service."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from service.phone.network_access import PhoneListener
from service.settings import Settings
from service.tls import needs_tls
from service.web.addresses import is_loopback, local_addresses


class PhoneNetworkAddress(NamedTuple):
    """The URLs at which phones reach the service, and the fingerprint of its own certificate, if used."""

    addresses: list[str]
    fingerprint: str | None


def phone_network_address(
    settings: Settings, server: tuple[str, int] | None, listener: PhoneListener | None
) -> PhoneNetworkAddress:
    """Find the addresses at which phones reach a service that answered at the host and port `server`. Blocks.

    Phones reach a service on loopback only through `listener`. Behind a proxy the service does not know its
    address and returns none; clients then use the address that they know.
    """
    if listener is not None:
        return PhoneNetworkAddress(
            [f"https://{_url_host(host)}:{listener.port}" for host in _lan_addresses()], listener.fingerprint
        )
    if _is_loopback(settings.host) or settings.plain_http or settings.trusted_proxies or server is None:
        return PhoneNetworkAddress([], None)
    scheme = "https" if needs_tls(settings) else "http"
    listens_everywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - compared, not listened on
    hosts = _lan_addresses() if listens_everywhere else [settings.host]
    return PhoneNetworkAddress(
        [f"{scheme}://{_url_host(host)}:{server[1]}" for host in hosts], _fingerprint(settings)
    )


def _is_loopback(host: str) -> bool:
    return host == "localhost" or is_loopback(host)


def _lan_addresses() -> list[str]:
    addresses = []
    for text in local_addresses():
        address = ipaddress.ip_address(text.partition("%")[0])
        # The second listener uses only IPv4, and an IPv6 address is hard to type.
        if address.version == 4 and not address.is_loopback and not address.is_link_local:
            addresses.append(str(address))
    return addresses


def _url_host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _fingerprint(settings: Settings) -> str | None:
    if not needs_tls(settings):
        return None
    # Importing the library for certificates takes 30 ms, which a service on loopback saves.
    from service.tls.choice import configured_files

    files = configured_files(settings)
    return files.fingerprint() if files.is_own else None
