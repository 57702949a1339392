"""Groups client addresses for limits, and recognizes this machine's."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

_MAX_LENGTH = 255
"""Characters of a group that a database column stores."""


def group(address: str) -> str:
    """The addresses that count as one client: an IPv4 address, or the /64 network of an IPv6 address.

    The scope (`%eth0`) does not count, and an IPv4 address mapped to IPv6 is that IPv4 address. Any other
    text is its own group, up to 255 characters.
    """
    parsed = _parse(address.partition("%")[0])
    if parsed is None:
        return address[:_MAX_LENGTH]
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


def is_loopback(address: str) -> bool:
    """True when the client's address is this machine itself."""
    # The scope stays: an IPv4 address with one is malformed and gets no rights.
    parsed = _parse(address)
    return parsed is not None and parsed.is_loopback


def own_addresses() -> list[str]:
    """The addresses of this machine, the one from which it reaches others first. Blocks."""
    addresses: list[str] = []
    for family, somewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        # Sends nothing: the system only says from which address it would (the targets are for documentation).
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((somewhere, 9))
            addresses.append(str(asking.getsockname()[0]))
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
