"""Encrypts face templates. The key is a file that only its owner can read, never in the database."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlmodel import Session, col, select

from service.face.engines.engine import Embedding
from service.face.tables import FaceEnrolment, FaceTemplate
from service.settings import owner_only_secret

KEY_FILE = "face.key"
_NONCE = 12


class Vault:
    """AES-256-GCM with the user and the model as associated data: a template moved to another user or model
    does not open.
    """

    def __init__(self, data_dir: Path, key_file: Path | None = None) -> None:
        self._cipher = AESGCM(owner_only_secret(key_file or data_dir / KEY_FILE, 32)[:32])

    def seal(self, user_id: str, model_id: str, embedding: Embedding) -> bytes:
        """The template to store: nonce and ciphertext."""
        nonce = secrets.token_bytes(_NONCE)
        plain = np.asarray(embedding, "<f4").tobytes()
        return nonce + self._cipher.encrypt(nonce, plain, _bound_to(user_id, model_id))

    def open(self, user_id: str, model_id: str, sealed: bytes) -> Embedding | None:
        """The embedding of a stored template; None when it was not sealed for this user, model and key."""
        try:
            plain = self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], _bound_to(user_id, model_id))
        except (InvalidTag, ValueError):
            return None
        return np.frombuffer(plain, "<f4").astype(np.float32)


def _bound_to(user_id: str, model_id: str) -> bytes:
    return json.dumps(["walkaround face template 1", user_id, model_id]).encode()


def stored_templates(
    session: Session, vault: Vault, model_id: str
) -> tuple[list[tuple[str, Embedding]], int]:
    """The (user id, embedding) pairs enrolled for a model, and how many more do not open with this key."""
    rows = session.exec(
        select(FaceTemplate.user_id, FaceTemplate.sealed)
        .join(FaceEnrolment, col(FaceEnrolment.user_id) == FaceTemplate.user_id)
        .where(FaceEnrolment.model_id == model_id)
        .order_by(col(FaceTemplate.user_id), col(FaceTemplate.template_id))
    )
    opened = [(user_id, vault.open(user_id, model_id, sealed)) for user_id, sealed in rows]
    good = [(user_id, embedding) for user_id, embedding in opened if embedding is not None]
    return good, len(opened) - len(good)
