"""Computes the addresses at which a phone opens a code."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from shared.wire.phone import NewPhoneCode


def is_own_machine(url: str) -> bool:
    """Whether an address leads to the computer on which it is opened."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def addresses_for_phones(base_url: str, code: NewPhoneCode) -> Sequence[str]:
    """The addresses for a phone: the address in use, unless it is local, then the others."""
    used = base_url.rstrip("/")
    current = [] if is_own_machine(used) else [used]
    return [*dict.fromkeys([*current, *code.addresses])]


def opened_by_phone(address: str, code: NewPhoneCode) -> str:
    """The address for a phone. The token is in the fragment, which is not sent to a server."""
    return f"{address}/phone#{code.token}"
