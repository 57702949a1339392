"""Encrypts the secrets of webhooks: who reads the database without `secret.key` cannot sign."""

from __future__ import annotations

import hmac
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12


class SecretBox:
    """AES-256-GCM with the webhook as associated data: a secret moved to another webhook does not open."""

    def __init__(self, installation_secret: bytes) -> None:
        # Derived, so that the key serves for nothing else.
        self._cipher = AESGCM(hmac.digest(installation_secret, b"walkaround webhook secrets 1", "sha256"))

    def seal(self, webhook_id: str, secret: str) -> bytes:
        """The secret to store: nonce and ciphertext."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), webhook_id.encode())

    def open(self, webhook_id: str, sealed: bytes) -> str | None:
        """A stored secret; None when it was not sealed for this webhook with this key."""
        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], webhook_id.encode()).decode()
        except (InvalidTag, ValueError):
            return None
