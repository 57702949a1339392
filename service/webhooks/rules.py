"""Decides about webhooks on plain data: addresses, messages, signatures, waits. Pure.

The signature is that of Standard Webhooks 1.0 (https://www.standardwebhooks.com): HMAC-SHA-256 over
`id.timestamp.body`, so receivers verify it with a library that they have.
"""

from __future__ import annotations

import base64
import datetime as dt
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final, NamedTuple

from pydantic import AnyHttpUrl, TypeAdapter, ValidationError

from shared.wire.webhooks import DeliveryError, WebhookEvent

Networks = Sequence[IPv4Network | IPv6Network]
"""Networks that are sent to although they are not the internet."""

SECRET_BYTES: Final = 32
"""Standard Webhooks asks for 24 to 64."""
_SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - how a secret begins

FIRST_WAIT: Final = dt.timedelta(seconds=5)
LONGEST_WAIT: Final = dt.timedelta(hours=4)
_FACTOR: Final = 4
MOST_ATTEMPTS: Final = 12
"""With these waits the last attempt comes 22 hours after the first; `jitter` moves each wait by a fifth."""
_JITTER: Final = 0.2

# What a network address translation of IPv6 puts before an IPv4 address (RFC 6052).
_NAT64: Final = IPv6Network("64:ff9b::/96")
# All that is assigned for the internet (IANA, IPv6 Global Unicast Address Assignments). ipaddress takes more
# for global: site-local networks, RFC 8215, IPv4 addresses behind prefixes that went out of use.
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# What stands before the IPv4 address of an interface of ISATAP (RFC 5214).
_ISATAP: Final = frozenset({0x0000_5EFE, 0x0200_5EFE})
_URL: TypeAdapter[AnyHttpUrl] = TypeAdapter(AnyHttpUrl)


class Outcome(NamedTuple):
    """What came of an attempt: the status of the answer, where there was one, and None or why it failed."""

    status: int | None
    error: DeliveryError | None


class AddressFaultError(ValueError):
    """An address that no webhook may have; the text is the rule, in Chinese."""


def checked_url(text: str, allowed: Networks) -> str:
    """The address as it is kept: normal form, ASCII.

    Raises AddressFaultError for what is not an address, for http where no network is allowed, for a name and
    password in it, and for an IP address that is not sent to.
    """
    try:
        url = _URL.validate_python(text)
    except ValidationError:
        raise AddressFaultError("网址无效，请检查后重新输入") from None
    if url.username or url.password:
        raise AddressFaultError("网址不能包含用户名或密码，请删除后重试")
    if url.fragment is not None:
        raise AddressFaultError("网址不能包含 #，请删除 # 及其后的内容")
    if url.scheme != "https" and not allowed:
        raise AddressFaultError("网址应以 https:// 开头")
    try:
        address = ip_address((url.host or "").strip("[]"))
    except ValueError:
        pass
    else:
        if not may_send_to(address, allowed, encrypted=url.scheme == "https"):
            raise AddressFaultError(
                "不能使用本机或内部网络的地址；如需使用，请由服务器管理员在服务设置中允许该网络"
            )
    return str(url)


def may_send_to(address: IPv4Address | IPv6Address, allowed: Networks, *, encrypted: bool) -> bool:
    """Whether a request may go to `address`: on the internet when it is encrypted, or in an allowed network.

    An IPv4 address inside an IPv6 address counts as both.
    """
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return may_send_to(address.ipv4_mapped, allowed, encrypted=encrypted)
    if any(address in network for network in allowed):
        return True
    if not encrypted or not address.is_global or address.is_multicast:
        return False
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST and address not in _NAT64:
        return False
    return all(may_send_to(inner, allowed, encrypted=encrypted) for inner in _embedded_addresses(address))


def _embedded_addresses(address: IPv4Address | IPv6Address) -> Sequence[IPv4Address]:
    if isinstance(address, IPv4Address):
        return ()
    candidates = [address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        candidates.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return [embedded for embedded in candidates if embedded is not None]


def new_secret() -> str:
    """A secret as receivers configure it: `whsec_` and Base64 of random bytes."""
    return _SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, delivery_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`; `timestamp` is in seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def message(event: WebhookEvent | str, at: dt.datetime, data: Mapping[str, Any]) -> str:
    """The body of a delivery as JSON text; `at` is when it happened."""
    moment = at.astimezone(dt.UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    return json.dumps(
        {"type": str(event), "timestamp": moment, "data": data}, ensure_ascii=False, separators=(",", ":")
    )


def wait_after(attempts: int, chance: float) -> dt.timedelta | None:
    """How long to wait after this number of failed attempts; None when there is no further one.

    `chance` in 0..1 makes the wait up to a fifth shorter or longer, so that what failed together does not
    come back together.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    wait: dt.timedelta = min(FIRST_WAIT * float(_FACTOR ** (attempts - 1)), LONGEST_WAIT)
    return wait * (1 - _JITTER + 2 * _JITTER * chance)
