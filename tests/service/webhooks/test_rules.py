"""Tests addresses, signatures and waits of webhooks."""

from __future__ import annotations

import base64
import datetime as dt
import json
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.webhooks.rules import (
    FIRST_WAIT,
    LONGEST_WAIT,
    MAX_ATTEMPTS,
    SECRET_BYTES,
    AddressFaultError,
    SecretBox,
    check_url,
    may_send_to,
    message,
    new_secret,
    retry_wait,
    signature,
)

INSIDE = [ip_network("10.0.0.0/8"), ip_network("fd00::/8")]


def test_signature_is_that_of_standard_webhooks() -> None:
    # The example of the specification's libraries.
    signed = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_secrets_are_random_and_of_the_right_length() -> None:
    secrets = {new_secret() for _ in range(50)}
    assert len(secrets) == 50
    for secret in secrets:
        assert secret.startswith("whsec_")
        assert len(base64.b64decode(secret[6:], validate=True)) == SECRET_BYTES


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "ff0e::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2002:a00:1::",
        "2001:0:7f00:1::",
        "::127.0.0.1",
        "::ffff:0:7f00:1",
        "64:ff9b:1::7f00:1",
        "fec0::1",
        "5f00::1",
        "2600::5efe:7f00:1",
        "2600::200:5efe:a00:1",
    ],
)
def test_addresses_outside_the_internet_are_refused(address: str) -> None:
    assert not may_send_to(ip_address(address), [], encrypted=True)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "1.1.1.1",
        "2606:2800:220:1:248:1893:25c8:1946",
        "64:ff9b::101:101",
        "2600::5efe:101:101",
    ],
)
def test_addresses_of_the_internet_require_tls(address: str) -> None:
    assert may_send_to(ip_address(address), [], encrypted=True)
    assert not may_send_to(ip_address(address), [], encrypted=False)
    assert not may_send_to(ip_address(address), INSIDE, encrypted=False)


def test_allowed_network_is_used_with_and_without_tls() -> None:
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "fd00::7"):
        assert may_send_to(ip_address(address), INSIDE, encrypted=True)
        assert may_send_to(ip_address(address), INSIDE, encrypted=False)
    for address in ("127.0.0.1", "::1", "192.168.1.1", "64:ff9b::7f00:1"):
        assert not may_send_to(ip_address(address), INSIDE, encrypted=True)


@given(st.ip_addresses())
def test_private_addresses_never_receive_requests(address: object) -> None:
    parsed = ip_address(str(address))
    if may_send_to(parsed, [], encrypted=True):
        assert parsed.is_global
        assert not any((parsed.is_multicast, parsed.is_loopback, parsed.is_link_local, parsed.is_private))


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://", "网址无效"),
        ("https://exa mple.com/", "网址无效"),
        ("https://example.com:99999/", "网址无效"),
        ("https://chief:secret@example.com/", "用户名或密码"),
        ("https://example.com/#part", "#"),
        ("http://example.com/", "https://"),
        ("https://127.0.0.1/", "内部网络"),
        ("https://[::1]/", "内部网络"),
        ("https://2130706433/", "内部网络"),
        ("https://0x7f.1/", "内部网络"),
        ("https://169.254.169.254/latest/meta-data", "内部网络"),
    ],
)
def test_wrong_address_is_refused_with_the_rule(url: str, rule: str) -> None:
    with pytest.raises(AddressFaultError, match=rule) as raised:
        check_url(url, [])
    assert "secret" not in str(raised.value)


def test_address_is_stored_in_normal_form() -> None:
    assert check_url("https://例子.cn/钩子?a=1", []) == "https://xn--fsqu00a.cn/%E9%92%A9%E5%AD%90?a=1"
    assert check_url("https://EXAMPLE.com:443", []) == "https://example.com/"
    assert check_url("http://10.0.0.7:8000/hook", INSIDE) == "http://10.0.0.7:8000/hook"


def test_message_is_short_json_with_the_time_in_utc() -> None:
    at = dt.datetime(2026, 3, 1, 9, 30, 1, 234567, tzinfo=dt.timezone(dt.timedelta(hours=8)))
    assert json.loads(message("webhook.test", at, {"webhook_id": "左"})) == {
        "type": "webhook.test",
        "timestamp": "2026-03-01T01:30:01.234Z",
        "data": {"webhook_id": "左"},
    }


def test_attempts_extend_over_about_a_day() -> None:
    for chance in (0.0, 0.5, 1.0):
        waits = [retry_wait(attempts, chance) for attempts in range(1, MAX_ATTEMPTS)]
        assert None not in waits
        whole = sum((wait for wait in waits if wait is not None), dt.timedelta())
        assert dt.timedelta(hours=17) < whole < dt.timedelta(hours=27)
        assert retry_wait(MAX_ATTEMPTS, chance) is None
    assert retry_wait(1, 0.5) == FIRST_WAIT


@given(st.integers(1, MAX_ATTEMPTS - 1), st.floats(0, 1))
def test_wait_differs_by_at_most_a_fifth_from_its_step(attempts: int, chance: float) -> None:
    step = min(FIRST_WAIT * 4 ** (attempts - 1), LONGEST_WAIT)
    wait = retry_wait(attempts, chance)
    assert wait is not None
    assert step * 0.799 <= wait <= step * 1.201


def test_secret_opens_for_its_webhook_and_key_only() -> None:
    box = SecretBox(b"k" * 48)
    sealed = box.seal("w1", "whsec_x")
    assert b"whsec" not in sealed
    assert box.open("w1", sealed) == "whsec_x"
    assert box.open("w2", sealed) is None
    assert SecretBox(b"j" * 48).open("w1", sealed) is None
    assert box.open("w1", b"") is None
