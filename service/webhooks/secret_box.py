"""Encrypts the secrets of webhooks, so that a copy of the database without `secret.key` cannot sign."""

from __future__ import annotations

import hmac
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12


class SecretBox:
    """AES-256-GCM with the webhook's id as associated data: no webhook can use the secret of another one."""

    def __init__(self, installation_secret: bytes) -> None:
        # A derived key, which is used for nothing else.
        self._cipher = AESGCM(hmac.digest(installation_secret, b"walkaround webhook secrets 1", "sha256"))

    def seal(self, webhook_id: str, secret: str) -> bytes:
        """Encrypt a secret for storing; return nonce and ciphertext."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), webhook_id.encode())

    def open(self, webhook_id: str, sealed_secret: bytes) -> str | None:
        """Decrypt a stored secret; return None if it was not encrypted for this webhook with this key."""
        try:
            return self._cipher.decrypt(
                sealed_secret[:_NONCE], sealed_secret[_NONCE:], webhook_id.encode()
            ).decode()
        except (InvalidTag, ValueError):
            return None
