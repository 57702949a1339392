"""Computes content ids, and reads and compares the files that items name."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

# CIDv1 (1), codec "raw" (0x55), multihash sha2-256 (0x12) of 32 bytes (0x20); "b" is multibase base32 lower.
# Source: the multiformats CID specification.
_PREFIX = bytes([0x01, 0x55, 0x12, 0x20])
_DOWNLOAD = re.compile(r"(?:https?://[^/?#]*)?(?:/api)?/files/([0-9a-f-]{36})/content")


def sha256(data: bytes) -> str:
    """Return the SHA-256 of `data` as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def cid(sha256_hex: str) -> str:
    """Return the content id (`ipfs_cid` of the contract) of a file with the SHA-256 `sha256_hex`.

    Raises ValueError when `sha256_hex` is not 64 hexadecimal digits.
    """
    digest = bytes.fromhex(sha256_hex)
    if len(digest) != 32:
        raise ValueError("a SHA-256 has 64 hexadecimal digits")
    return "b" + base64.b32encode(_PREFIX + digest).decode("ascii").rstrip("=").lower()


def sha256_from_cid(content_id: str) -> str:
    """Return the SHA-256 (64 hexadecimal digits) in a content id that `cid` created.

    Raises ValueError for any other text.
    """
    if not content_id.startswith("b"):
        raise ValueError("not a content id of this kind")
    body = content_id[1:].upper()
    raw = base64.b32decode(body + "=" * (-len(body) % 8))
    if len(raw) != 36 or not raw.startswith(_PREFIX):
        raise ValueError("not a content id of this kind")
    return raw[4:].hex()


def file_id_from_url(download_url: Any) -> str | None:
    """Return the file id in a `download_url` of the service; None for any other value."""
    match = _DOWNLOAD.fullmatch(download_url) if isinstance(download_url, str) else None
    return None if match is None else match.group(1)


def is_same_file(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Return whether two fileInfos name the same file: by content id if both have one, else by file id."""
    content_ids = first.get("ipfs_cid"), second.get("ipfs_cid")
    if all(content_ids):
        return content_ids[0] == content_ids[1]
    file_ids = file_id_from_url(first.get("download_url")), file_id_from_url(second.get("download_url"))
    return file_ids[0] is not None and file_ids[0] == file_ids[1]


def names_other_file(info: Mapping[str, Any] | None, reference: Mapping[str, Any] | None) -> bool:
    """Return whether an item's fileInfo names a file other than its record's reference image."""
    if not info or file_id_from_url(info.get("download_url")) is None:
        return False
    return reference is None or not is_same_file(info, reference)
