"""Which addresses lead to this computer."""

from __future__ import annotations

import pytest

from desktop.client.http.address import is_local


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8177", True),
        ("http://127.0.1.1:8177", True),
        ("http://localhost", True),
        ("http://[::1]:80", True),
        ("https://192.168.1.5:8177", False),
        ("https://inspection.example", False),
        ("", False),
    ],
)
def test_loopback_address_is_of_this_computer(url: str, expected: bool) -> None:
    assert is_local(url) is expected
