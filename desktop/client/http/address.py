"""Tells whether a service address is local."""

from __future__ import annotations

from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine."""


def is_local(url: str) -> bool:
    """True when `url` is this machine."""
    return urlsplit(url).hostname in LOOPBACK
