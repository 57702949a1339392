from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from service.face.templates.vault import KEY_FILE, Vault

EMBEDDING = np.linspace(-1, 1, 128, dtype=np.float32)


def test_sealed_template_can_be_opened(tmp_path: Path) -> None:
    sealed = Vault(tmp_path).seal("u", "m", EMBEDDING)
    opened = Vault(tmp_path).open("u", "m", sealed)
    assert opened is not None
    np.testing.assert_array_equal(opened, EMBEDDING)
    assert EMBEDDING.tobytes()[:16] not in sealed


def test_never_seals_the_same_way_twice(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    assert vault.seal("u", "m", EMBEDDING) != vault.seal("u", "m", EMBEDDING)


@pytest.mark.parametrize(("user", "model"), [("v", "m"), ("u", "n"), ("um", ""), ("", "um")])
def test_belongs_to_one_user_and_one_model(tmp_path: Path, user: str, model: str) -> None:
    vault = Vault(tmp_path)
    assert vault.open(user, model, vault.seal("u", "m", EMBEDDING)) is None


def test_notices_a_changed_byte_and_a_cut(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    sealed = vault.seal("u", "m", EMBEDDING)
    for place in (0, 11, 12, 200, len(sealed) - 1):
        changed = bytearray(sealed)
        changed[place] ^= 1
        assert vault.open("u", "m", bytes(changed)) is None
    assert vault.open("u", "m", sealed[:20]) is None
    assert vault.open("u", "m", b"") is None


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    sealed = Vault(tmp_path).seal("u", "m", EMBEDDING)
    (tmp_path / KEY_FILE).unlink()
    assert Vault(tmp_path).open("u", "m", sealed) is None


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_only_the_owner_reads_the_key(tmp_path: Path) -> None:
    Vault(tmp_path)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    (tmp_path / KEY_FILE).chmod(0o640)
    with pytest.raises(PermissionError):
        Vault(tmp_path)
