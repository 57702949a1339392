"""Compares content ids with known values."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.record.content import (
    cid,
    file_id_from_url,
    is_same_file,
    names_other_file,
    sha256,
    sha256_from_cid,
)


def test_content_id_of_the_empty_file_is_the_published_one() -> None:
    # The CIDv1 (raw, sha2-256) of no bytes, as `ipfs add --cid-version=1 --raw-leaves` names it.
    assert cid(sha256(b"")) == "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"


@given(st.binary())
def test_content_id_is_converted_to_its_hash(data: bytes) -> None:
    assert sha256_from_cid(cid(sha256(data))) == sha256(data)


@pytest.mark.parametrize(
    "text", ["", "b", "Qm123", "bafkrei", "zafkreihdwdcefgh4", "b" + "a" * 58, cid("0" * 64)[:-1], "b飞"]
)
def test_text_that_is_not_a_content_id_is_rejected(text: str) -> None:
    with pytest.raises(ValueError):
        sha256_from_cid(text)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_hash_of_another_length_is_not_recognized(length: int) -> None:
    raw = bytes([0x01, 0x55, 0x12, 0x20]) + bytes(length)
    with pytest.raises(ValueError):
        sha256_from_cid("b" + base64.b32encode(raw).decode().rstrip("=").lower())


@pytest.mark.parametrize("digest", ["", "00", "zz" * 32, "0" * 63])
def test_only_a_sha256_has_a_content_id(digest: str) -> None:
    with pytest.raises(ValueError):
        cid(digest)


ONE = "11111111-2222-3333-4444-555555555555"
OTHER = "99999999-2222-3333-4444-555555555555"


def file_info(file_id: str, content_id: str | None = None, before: str = "/api") -> dict[str, Any]:
    return {"download_url": f"{before}/files/{file_id}/content", "ipfs_cid": content_id}


@pytest.mark.parametrize("before", ["", "/api", "http://127.0.0.1:8177", "https://host.example/api"])
def test_file_id_is_read_from_a_url_with_and_without_host_and_prefix(before: str) -> None:
    assert file_id_from_url(file_info(ONE, before=before)["download_url"]) == ONE


@pytest.mark.parametrize(
    "address",
    [
        None,
        7,
        {"url": f"/files/{ONE}/content"},
        "",
        ONE,
        f"/files/{ONE}",
        f"/files/{ONE}/content/more",
        f"/other/files/{ONE}/content",
        f"https://host.example/elsewhere/files/{ONE}/content",
        "/files/short/content",
    ],
)
def test_other_url_has_no_file_id(address: object) -> None:
    assert file_id_from_url(address) is None


def test_files_are_compared_by_content_id_or_else_by_file_id() -> None:
    first, second = cid(sha256(b"first")), cid(sha256(b"second"))
    assert is_same_file(file_info(ONE, first), file_info(OTHER, first))
    assert not is_same_file(file_info(ONE, first), file_info(ONE, second))
    assert is_same_file(file_info(ONE, first), file_info(ONE))
    assert not is_same_file(file_info(ONE, first), file_info(OTHER))
    assert is_same_file(file_info(ONE), file_info(ONE, before="http://127.0.0.1:8177/api"))
    assert not is_same_file({"download_url": "elsewhere"}, {"download_url": "elsewhere"})


def test_item_names_another_file_if_it_is_not_the_reference_image() -> None:
    assert names_other_file(file_info(ONE), file_info(OTHER))
    assert names_other_file(file_info(ONE), None)
    assert not names_other_file(file_info(ONE), file_info(ONE))
    assert not names_other_file(None, file_info(ONE))
    assert not names_other_file({}, None)
    assert not names_other_file({"download_url": "https://host.example/picture.jpg"}, file_info(ONE))
    assert not names_other_file({"ipfs_cid": cid(sha256(b"first"))}, None)
