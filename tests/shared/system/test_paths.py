"""Tests the address of a running service in its data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.system.paths import SERVICE_ADDRESS_FILE, read_service_address


@pytest.mark.parametrize("text", ["", "{", "[]", '{"event": "ready"}'])
def test_incomplete_or_foreign_file_gives_no_address(tmp_path: Path, text: str) -> None:
    assert read_service_address(tmp_path) is None
    (tmp_path / SERVICE_ADDRESS_FILE).write_text(text)
    assert read_service_address(tmp_path) is None


def test_address_of_the_service_is_read(tmp_path: Path) -> None:
    (tmp_path / SERVICE_ADDRESS_FILE).write_text('{"event": "ready", "url": "http://127.0.0.1:9"}')
    assert read_service_address(tmp_path) == ("http://127.0.0.1:9", None)
    (tmp_path / SERVICE_ADDRESS_FILE).write_text('{"url": "https://127.0.0.1:9", "fingerprint": "AB:CD"}')
    assert read_service_address(tmp_path) == ("https://127.0.0.1:9", "AB:CD")
