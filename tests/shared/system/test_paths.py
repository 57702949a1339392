"""Tests the address of a running service in its data folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shared.system.paths import SERVICE_ADDRESS_FILE, find_package_file, read_service_address


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


def test_file_of_a_package_is_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_package_file("no_such_package", "data", "a") is None
    assert find_package_file("skimage", "data", "no such file") is None
    # As the frozen program has it, which does not contain the package itself.
    (tmp_path / "no_such_package" / "data").mkdir(parents=True)
    file = tmp_path / "no_such_package" / "data" / "a"
    file.write_bytes(b"a")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert find_package_file("no_such_package", "data", "a") == file
