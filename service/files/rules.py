"""The rules of uploaded files: their stored name, their type by content, and byte ranges. Pure."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from shared.images.formats import film_type, picture_type

MAX_NAME_BYTES = 255
"""The longest name in UTF-8 on common file systems."""

_FORBIDDEN_CHARACTERS = re.compile(r'[<>:"|?*]')
# Names of devices on Windows, with any extension. Source: Microsoft, "Naming Files, Paths, and Namespaces".
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)")

UNKNOWN_TYPE = "application/octet-stream"


def clean_name(name_from_client: str) -> str:
    """Return the name under which a file is stored, which is safe to show and to save on every system.

    Removes directories, control characters, invisible characters and direction marks, and replaces characters
    and device names that Windows forbids. The result has at most 255 bytes of UTF-8 and keeps the extension;
    "file" if nothing is left.
    """
    name = re.split(r"[/\\]", unicodedata.normalize("NFC", name_from_client))[-1]
    # Cc control, Cf format (direction marks), Cs surrogates, Co private, Cn unassigned, Zl/Zp line breaks.
    name = "".join(
        c for c in name if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    )
    name = _FORBIDDEN_CHARACTERS.sub("_", name).strip().rstrip(". ")
    if _DEVICE.match(name):
        name = f"_{name}"
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending.encode()) > 20:
        stem, dot, ending = name, "", ""
    stem_bytes = MAX_NAME_BYTES - len((dot + ending).encode())
    stem = stem.encode()[:stem_bytes].decode(errors="ignore")
    return (stem + dot + ending).strip() or "file"


def type_by_content(head: bytes) -> str:
    """Return the MIME type by the first 16 bytes; `application/octet-stream` for an unknown format."""
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    return picture_type(head) or film_type(head) or UNKNOWN_TYPE


def byte_range(header: str | None, size: int) -> range | None:
    """Return the bytes that a Range header requests from a file of `size` bytes; None for the whole file.

    Several ranges, another unit and a malformed header mean the whole file (RFC 9110, 14.2). Raises
    ValueError if the range is outside of the file.
    """
    match = re.fullmatch(r"\s*bytes\s*=\s*([0-9]{0,20})\s*-\s*([0-9]{0,20})\s*", header or "", re.IGNORECASE)
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(size - int(last), 0)
    stop = min(int(last) + 1, size) if first and last else size
    if start >= stop:
        raise ValueError("the range lies outside of the file")
    return range(start, stop)


def disposition(name: str) -> str:
    """Return the Content-Disposition that saves a file under `name` (RFC 6266, RFC 8187)."""
    ascii_name = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"
