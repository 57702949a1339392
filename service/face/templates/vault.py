"""Encrypts face templates. The key is in a file that only its owner can read, never in the database."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlmodel import Session, col, select

from service.face.engines.engine import Embedding
from service.face.tables import FaceEnrolment, FaceTemplate
from service.settings import load_owner_only_secret

KEY_FILE = "face.key"
_NONCE = 12


class Vault:
    """AES-256-GCM with user and model as associated data: no other user or model can use a template."""

    def __init__(self, data_dir: Path, key_file: Path | None = None) -> None:
        self._cipher = AESGCM(load_owner_only_secret(key_file or data_dir / KEY_FILE, 32)[:32])

    def seal(self, user_id: str, model_id: str, embedding: Embedding) -> bytes:
        """Encrypt an embedding for storing; return nonce and ciphertext."""
        nonce = secrets.token_bytes(_NONCE)
        plaintext = embedding.astype("<f4").tobytes()
        return nonce + self._cipher.encrypt(nonce, plaintext, _associated_data(user_id, model_id))

    def open(self, user_id: str, model_id: str, sealed_template: bytes) -> Embedding | None:
        """Decrypt a stored template; return None if it was not encrypted for this user, model and key."""
        try:
            plaintext = self._cipher.decrypt(
                sealed_template[:_NONCE], sealed_template[_NONCE:], _associated_data(user_id, model_id)
            )
        except (InvalidTag, ValueError):
            return None
        # Imported here because the service starts sooner without NumPy.
        import numpy as np

        return np.frombuffer(plaintext, "<f4").astype(np.float32)


def _associated_data(user_id: str, model_id: str) -> bytes:
    return json.dumps(["walkaround face template 1", user_id, model_id]).encode()


def read_templates(session: Session, vault: Vault, model_id: str) -> tuple[list[tuple[str, Embedding]], int]:
    """Return the (user id, embedding) pairs of a model, and the number of undecryptable ones."""
    rows = session.exec(
        select(FaceTemplate.user_id, FaceTemplate.sealed)
        .join(FaceEnrolment, col(FaceEnrolment.user_id) == FaceTemplate.user_id)
        .where(FaceEnrolment.model_id == model_id)
        .order_by(col(FaceTemplate.user_id), col(FaceTemplate.template_id))
    )
    templates = [(user_id, vault.open(user_id, model_id, sealed)) for user_id, sealed in rows]
    readable_templates = [(user_id, embedding) for user_id, embedding in templates if embedding is not None]
    return readable_templates, len(templates) - len(readable_templates)
