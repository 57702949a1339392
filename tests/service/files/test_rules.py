"""Tests names, types and ranges of files."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.files.rules import (
    UNKNOWN_TYPE,
    byte_range,
    clean_name,
    disposition,
    type_by_content,
)


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("photo.jpg", "photo.jpg"),
        ("机身 左侧.jpg", "机身 左侧.jpg"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("C:\\pictures\\wing.png", "wing.png"),
        ("/etc/shadow", "shadow"),
        ("a\x00b.png", "ab.png"),
        ("line\r\nbreak.png", "linebreak.png"),
        ("gpj\u202egpj.exe", "gpjgpj.exe"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1", "_com1"),
        ("console.txt", "console.txt"),
        ('a<b>:"|?*.png', "a_b______.png"),
        ("name. . .", "name"),
        ("..", "file"),
        ("", "file"),
        ("\u202e", "file"),
    ],
)
def test_name_has_no_path(given_name: str, expected: str) -> None:
    assert clean_name(given_name) == expected


def test_long_name_keeps_its_extension() -> None:
    assert clean_name("x" * 300 + ".jpg") == "x" * 251 + ".jpg"
    cleaned = clean_name("机" * 300 + ".jpeg")
    assert cleaned.endswith("机.jpeg")
    assert len(cleaned.encode()) <= 255


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=400))
def test_cleaned_name_is_safe_and_does_not_change_again(name: str) -> None:
    cleaned = clean_name(name)
    assert cleaned
    assert len(cleaned.encode()) <= 255
    assert not set(cleaned) & set('/\\<>:"|?*')
    assert not any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} for letter in cleaned)
    assert cleaned not in {".", ".."}
    assert clean_name(cleaned) == cleaned


@pytest.mark.parametrize(
    ("head", "mime_type"),
    [
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"II*\x00\x08\x00\x00\x00", "image/tiff"),
        (b"MM\x00*\x00\x00\x00\x08", "image/tiff"),
        (b"BM" + bytes(12) + b"\x28\x00\x00\x00", "image/bmp"),
        # The colour masks of this header are not read, so a colour would be lost.
        (b"BM" + bytes(12) + b"\x34\x00\x00\x00", UNKNOWN_TYPE),
        (b"BMW is a car, not a picture", UNKNOWN_TYPE),
        (b"%PDF-1.7", "application/pdf"),
        (b"<svg onload=alert(1)>", UNKNOWN_TYPE),
        (b"<html>", UNKNOWN_TYPE),
        (b"", UNKNOWN_TYPE),
    ],
)
def test_type_is_detected_from_content(head: bytes, mime_type: str) -> None:
    assert type_by_content(head) == mime_type


@pytest.mark.parametrize(
    ("header", "expected_range"),
    [
        (None, None),
        ("bytes=0-0", range(0, 1)),
        ("bytes=2-5", range(2, 6)),
        ("bytes=2-", range(2, 10)),
        ("bytes=-3", range(7, 10)),
        ("bytes=-99", range(0, 10)),
        ("bytes=9-99", range(9, 10)),
        ("BYTES = 1 - 2", range(1, 3)),
        ("bytes=5-2", None),
        ("bytes=-", None),
        ("bytes=0-1,4-5", None),
        ("bytes=a-b", None),
        ("rows=0-1", None),
        ("bytes=٣-٤", None),
    ],
)
def test_range_of_ten_bytes(header: str | None, expected_range: range | None) -> None:
    assert byte_range(header, 10) == expected_range


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"])
def test_range_outside_the_file(header: str) -> None:
    with pytest.raises(ValueError, match="outside"):
        byte_range(header, 10)


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 1000), st.none() | st.integers(0, 2000), st.none() | st.integers(0, 2000))
def test_range_equals_a_python_slice(size: int, first: int | None, last: int | None) -> None:
    content = list(range(size))
    header = f"bytes={'' if first is None else first}-{'' if last is None else last}"
    try:
        expected_range = byte_range(header, size)
    except ValueError:
        assert (first is not None and first >= size) or (first is None and last == 0)
        return
    if expected_range is None:
        assert (first is None and last is None) or (first is not None and last is not None and last < first)
    elif first is None:
        assert last is not None
        assert list(expected_range) == content[-last:]
    else:
        assert list(expected_range) == content[first : None if last is None else last + 1]


def test_download_has_the_name_of_the_file() -> None:
    assert disposition('机"x.jpg') == "attachment; filename=\"__x.jpg\"; filename*=UTF-8''%E6%9C%BA%22x.jpg"
