"""Finds the addresses at which phones in the local network reach the service."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from service.phone.network_access import PhoneListener
from service.settings import Settings
from service.tls import needs_tls
from service.web.addresses import is_loopback, own_addresses


class PhoneNetworkAddress(NamedTuple):
    """Where phones reach the service; `fingerprint` of a certificate that it made itself."""

    addresses: list[str]
    fingerprint: str | None


def phone_network_address(
    settings: Settings, server: tuple[str, int] | None, listening: PhoneListener | None
) -> PhoneNetworkAddress:
    """Where phones reach a service that answered at the host and port `server`. Blocks.

    On loopback only through `listening`. Behind a proxy the service does not know: it gives none, and the
    address that its client knows is the one.
    """
    if listening is not None:
        return PhoneNetworkAddress(
            [f"https://{_host(host)}:{listening.port}" for host in _lan_addresses()], listening.fingerprint
        )
    if _is_loopback(settings.host) or settings.plain_http or settings.trusted_proxies or server is None:
        return PhoneNetworkAddress([], None)
    scheme = "https" if needs_tls(settings) else "http"
    everywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - compared, not listened on
    hosts = _lan_addresses() if everywhere else [settings.host]
    return PhoneNetworkAddress(
        [f"{scheme}://{_host(host)}:{server[1]}" for host in hosts], _fingerprint(settings)
    )


def _is_loopback(host: str) -> bool:
    return host == "localhost" or is_loopback(host)


def _lan_addresses() -> list[str]:
    addresses = []
    for own_address in own_addresses():
        address = ipaddress.ip_address(own_address.partition("%")[0])
        # The second listener is IPv4 alone, and few people can read an IPv6 address out.
        if address.version == 4 and not address.is_loopback and not address.is_link_local:
            addresses.append(str(address))
    return addresses


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _fingerprint(settings: Settings) -> str | None:
    if not needs_tls(settings):
        return None
    # The library that reads certificates takes 30 ms, which a service on loopback starts sooner without.
    from service.tls.choice import configured_files

    files = configured_files(settings)
    return files.fingerprint() if files.is_own else None
