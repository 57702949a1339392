"""Tests how client addresses are grouped, and which are loopback addresses."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.web import addresses


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7%eth0", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::6", "2001:db8:1:3::/64"),
        ("2001:DB8:1:3::6", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("fe80::1%", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7%eth0", "192.0.2.7"),
        ("unknown", "unknown"),
        ("", ""),
        ("x" * 300, "x" * 255),
    ],
)
def test_forms_of_an_address_are_one_group(address: str, group: str) -> None:
    assert addresses.client_group(address) == group


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1), st.text(max_size=20))
def test_ipv6_addresses_of_one_network_are_one_group(
    address: ipaddress.IPv6Address, host: int, scope: str
) -> None:
    neighbour = ipaddress.IPv6Address(int(address) >> 64 << 64 | host)
    other = ipaddress.IPv6Address(int(address) ^ 1 << 64)
    mapped = [candidate for candidate in (address, neighbour, other) if candidate.ipv4_mapped is not None]
    if not mapped:
        group = addresses.client_group(str(address))
        assert address in ipaddress.IPv6Network(group)
        assert addresses.client_group(f"{neighbour}%{scope}") == group
        assert addresses.client_group(str(other)) != group
        assert addresses.client_group(group) == group


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.text(max_size=20))
def test_forms_of_an_ipv4_address_are_one_group(
    address: ipaddress.IPv4Address, other: ipaddress.IPv4Address, scope: str
) -> None:
    group = addresses.client_group(str(address))
    assert group == str(address)
    assert addresses.client_group(f"::ffff:{address}%{scope}") == group
    assert (addresses.client_group(f"::ffff:{other}") == group) is (other == address)
    assert addresses.is_loopback(f"::ffff:{address}") is address.is_loopback


@given(st.text())
def test_group_of_any_text_fits_the_column(address: str) -> None:
    assert len(addresses.client_group(address)) <= 255


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("192.0.2.7", False),
        ("0.0.0.0", False),
        ("::", False),
        ("::ffff:192.0.2.7", False),
        ("2001:db8::1", False),
        ("127.0.0.1%lo", False),
        ("localhost", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_only_this_machine_is_loopback(address: str, loopback: bool) -> None:
    assert addresses.is_loopback(address) is loopback
