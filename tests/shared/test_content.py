"""Content ids against known values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content import cid, sha256, sha256_of


def test_the_content_id_of_the_empty_file_is_the_known_one() -> None:
    # The CIDv1 (raw, sha2-256) of no bytes, as `ipfs add --cid-version=1 --raw-leaves` names it.
    assert cid(sha256(b"")) == "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"


@given(st.binary())
def test_a_content_id_gives_its_hash_back(data: bytes) -> None:
    assert sha256_of(cid(sha256(data))) == sha256(data)


@pytest.mark.parametrize(
    "text", ["", "b", "Qm123", "bafkrei", "zafkreihdwdcefgh4", "b" + "a" * 58, cid("0" * 64)[:-1], "b飞"]
)
def test_other_texts_are_no_content_ids(text: str) -> None:
    with pytest.raises(ValueError):
        sha256_of(text)


@pytest.mark.parametrize("digest", ["", "00", "zz" * 32, "0" * 63])
def test_only_a_sha256_has_a_content_id(digest: str) -> None:
    with pytest.raises(ValueError):
        cid(digest)
