"""Removes private data from texts for support: user names, secrets, addresses."""

from __future__ import annotations

import getpass
import re
from pathlib import Path

_SECRETS = (
    # A JSON Web Token, and any other long run of letters and digits: keys, hashes, tokens.
    re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]*"),
    re.compile(r"(?<![\w/.-])(?=[\w+/=-]*\d)[A-Za-z0-9+/=_-]{24,}(?![\w/.-])"),
)
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")
_NAMED_SECRET = re.compile(
    r"(?i)\b(pass(?:word|wd)?|secret|token|authorization|cookie|api[_-]?key)(\"?\s*[:=]\s*\"?)(?:bearer\s+)?[^\s\",;]+"
)
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")


def redact(text: str) -> str:
    """Return `text` without home folder, system user name, credentials, tokens and mail addresses."""
    text = text.replace(str(Path.home()), "~")
    text = _CREDENTIALS.sub("***@", text)
    text = _NAMED_SECRET.sub(r"\1\2***", text)
    for pattern in _SECRETS:
        text = pattern.sub("***", text)
    text = _MAIL.sub("***", text)
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        return text
    # A short or common name would also match in other texts.
    return (
        re.sub(rf"(?<!\w){re.escape(user)}(?!\w)", "***", text) if len(user) > 2 and user != "root" else text
    )
