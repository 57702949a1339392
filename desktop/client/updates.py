"""Checks for a newer version at the address that an administrator configured.

`WALKAROUND_UPDATE_URL` has the address (https or http). The answer is a JSON object with `version` and `url`,
such as a file on a web server of the site. The request contains no user, computer, version or cookie. Without
the variable, no request is sent.
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

_TIMEOUT_SECONDS = 5.0
_MAX_BYTES = 65_536
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Update:
    """A newer version and its download address, which is empty if the answer contains no valid one."""

    version: str
    url: str


def update_address() -> str:
    """The configured address; empty if there is none or if it is not a web address."""
    address = os.environ.get(VARIABLE, "").strip()
    return address if _is_web(address) else ""


def newer_version(address: str, current: str = __version__) -> Update | None:
    """Ask the server at `address` for a version that is newer than `current`.

    Returns None if there is none, or if the answer is missing or invalid.
    """
    with contextlib.suppress(httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
        document = json.loads(_fetch(address))
        if not isinstance(document, dict) or "version" not in document:
            return None
        version, url = str(document["version"]), str(document.get("url") or "")
        if _numbers(version) > _numbers(current):
            return Update(version, url if _is_web(url) else "")
    return None


def _fetch(address: str) -> bytes:
    content = b""
    with httpx.Client(timeout=_TIMEOUT_SECONDS, verify=ServerContext(), follow_redirects=False) as client:
        client.headers.clear()
        with client.stream("GET", address, headers={"Accept": "application/json"}) as answer:
            answer.raise_for_status()
            for part in answer.iter_bytes():
                content += part
                if len(content) > _MAX_BYTES:
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
