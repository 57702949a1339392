"""Groups client addresses for limits, and finds the addresses of this machine."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

_MAX_LENGTH = 255
"""Longest name of a group: as many characters as the database column stores."""


def client_group(address: str) -> str:
    """The name of the addresses that count as one client: an IPv4 address, or the /64 network of an IPv6 one.

    The scope (`%eth0`) is ignored, and an IPv4 address mapped to IPv6 counts as the IPv4 address. Any other
    text is its own group, cut to 255 characters.
    """
    parsed = _parse(address.partition("%")[0])
    if parsed is None:
        return address[:_MAX_LENGTH]
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


def is_loopback(address: str) -> bool:
    """Whether the client's address is a loopback address of this machine."""
    # With the scope: an IPv4 address with a scope is malformed and gets no rights.
    parsed = _parse(address)
    return parsed is not None and parsed.is_loopback


def local_addresses() -> list[str]:
    """The addresses of this machine; first the address that it uses for other networks. Blocks."""
    addresses: list[str] = []
    for family, target in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        # Sends nothing: the system only selects the source address. The targets are documentation addresses.
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            addresses.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        addresses += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)]
    return [*dict.fromkeys(addresses)]


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return mapped or parsed
