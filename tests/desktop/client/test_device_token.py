"""The token of this computer: one for each service, read once, never without a keyring."""

from __future__ import annotations

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from desktop.client.device_token import DeviceToken, NoKeyringError
from tests.desktop.keyrings import MemoryKeyring


def test_token_is_stored_for_its_service_only(memory_keyring: MemoryKeyring) -> None:
    DeviceToken("https://one.example", embedded=False).store("first")
    assert DeviceToken("https://one.example/", embedded=False).read() == "first"
    assert DeviceToken("https://two.example", embedded=False).read() == ""


def test_token_of_the_local_service_is_independent_of_its_port(memory_keyring: MemoryKeyring) -> None:
    DeviceToken("http://127.0.0.1:5001", embedded=True).store("own")
    assert DeviceToken("http://127.0.0.1:6002", embedded=True).read() == "own"


def test_computer_without_a_keyring_has_no_token(memory_keyring: MemoryKeyring) -> None:
    keyring.set_keyring(NoKeyring())
    token = DeviceToken("https://one.example", embedded=False)
    assert token.read() == ""
    with pytest.raises(NoKeyringError) as caught:
        token.store("a secret")
    assert "a secret" not in repr(caught.value)
    assert token.read() == ""
