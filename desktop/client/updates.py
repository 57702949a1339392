"""Asks whether there is a newer version, only where an administrator names an address to ask.

`WALKAROUND_UPDATE_URL` names it: https, or http where it is written so. The answer is a JSON object with
`version` and `url`, for example a file on a web server of the site. The request says nothing of who asks:
neither user nor machine nor version, and no cookie. Without that variable nothing is asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from desktop.client.http.trust import ServerContext
from shared import __version__

VARIABLE = "WALKAROUND_UPDATE_URL"

_SECONDS = 5.0
_MOST_BYTES = 65_536
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Update:
    """A newer version, and the address to get it from (empty: the answer names no valid one)."""

    version: str
    url: str


def update_address() -> str:
    """The address that the administrator names; empty for none, and for one that is not a web address."""
    address = os.environ.get(VARIABLE, "").strip()
    return address if _is_web(address) else ""


def newer_version(address: str, current: str = __version__) -> Update | None:
    """What the server at `address` has that is newer than `current`.

    None for nothing newer, and whenever the answer cannot be had or read: the program goes on without it.
    """
    with contextlib.suppress(httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
        document = json.loads(_fetched(address))
        if not isinstance(document, dict) or "version" not in document:
            return None
        version, url = str(document["version"]), str(document.get("url") or "")
        if _numbers(version) > _numbers(current):
            return Update(version, url if _is_web(url) else "")
    return None


def _fetched(address: str) -> bytes:
    content = b""
    with httpx.Client(timeout=_SECONDS, verify=ServerContext(), follow_redirects=False) as client:
        client.headers.clear()
        with client.stream("GET", address, headers={"Accept": "application/json"}) as answer:
            answer.raise_for_status()
            for part in answer.iter_bytes():
                content += part
                if len(content) > _MOST_BYTES:
                    raise ValueError("too long for a version and an address")
    return content


def _numbers(version: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version} is not a version")
    return tuple(map(int, match.groups()))


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return False
