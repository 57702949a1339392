"""Decides whether a service address is local, and which server it names."""

from __future__ import annotations

from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine."""


def is_local(url: str) -> bool:
    """True when `url` is this machine."""
    return urlsplit(url).hostname in LOOPBACK


def server_key(url: str) -> str:
    """Host and port of `url`, by which a server is remembered; an empty string when it has no host."""
    parts = urlsplit(url)
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
