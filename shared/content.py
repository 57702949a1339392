"""Content ids: a file is named by what is in it."""

from __future__ import annotations

import base64
import hashlib

# CIDv1 (1), codec "raw" (0x55), multihash sha2-256 (0x12) of 32 bytes (0x20); "b" is multibase base32 lower.
# Source: the multiformats CID specification.
_PREFIX = bytes([0x01, 0x55, 0x12, 0x20])


def sha256(data: bytes) -> str:
    """SHA-256 of `data` as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def cid(sha256_hex: str) -> str:
    """The content id (`ipfs_cid` of the contract) of a file whose SHA-256 is `sha256_hex`.

    Raises ValueError when `sha256_hex` is not 64 hexadecimal digits.
    """
    digest = bytes.fromhex(sha256_hex)
    if len(digest) != 32:
        raise ValueError("a SHA-256 has 64 hexadecimal digits")
    return "b" + base64.b32encode(_PREFIX + digest).decode("ascii").rstrip("=").lower()


def sha256_of(content_id: str) -> str:
    """The SHA-256 (64 hexadecimal digits) inside a content id that `cid` made.

    Raises ValueError for any other text.
    """
    if not content_id.startswith("b"):
        raise ValueError("not a content id of this kind")
    body = content_id[1:].upper()
    raw = base64.b32decode(body + "=" * (-len(body) % 8))
    if len(raw) != 36 or not raw.startswith(_PREFIX):
        raise ValueError("not a content id of this kind")
    return raw[4:].hex()
