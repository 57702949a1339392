"""The rules of webhooks as pure functions: addresses, messages, signatures, secrets, waits.

Signatures follow Standard Webhooks 1.0 (https://www.standardwebhooks.com): HMAC-SHA-256 over
`id.timestamp.body`. Receivers can verify them with an existing library.

Secrets are encrypted, so that a copy of the database without `secret.key` cannot sign.
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

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import AnyHttpUrl, TypeAdapter, ValidationError

from shared.wire.webhooks import DeliveryError, WebhookEvent

Networks = Sequence[IPv4Network | IPv6Network]
"""Networks that receive deliveries although they are not part of the internet."""

SECRET_BYTES: Final = 32
"""Standard Webhooks asks for 24 to 64."""
_SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - how a secret begins

FIRST_WAIT: Final = dt.timedelta(seconds=5)
LONGEST_WAIT: Final = dt.timedelta(hours=4)
_FACTOR: Final = 4
MAX_ATTEMPTS: Final = 12
"""With these waits the last attempt comes 22 hours after the first; `jitter` moves each wait by a fifth."""
_JITTER: Final = 0.2

# The prefix that IPv6 network address translation puts before an IPv4 address (RFC 6052).
_NAT64: Final = IPv6Network("64:ff9b::/96")
# All addresses assigned for the internet (IANA, IPv6 Global Unicast Address Assignments). `is_global` of
# ipaddress also accepts site-local networks, RFC 8215 and IPv4 addresses behind obsolete prefixes.
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# The identifiers before the IPv4 address in an ISATAP interface identifier (RFC 5214).
_ISATAP: Final = frozenset({0x0000_5EFE, 0x0200_5EFE})
_URL: TypeAdapter[AnyHttpUrl] = TypeAdapter(AnyHttpUrl)


class Outcome(NamedTuple):
    """The result of an attempt. `status` is None without an answer, `error` is None on success."""

    status: int | None
    error: DeliveryError | None


class AddressFaultError(ValueError):
    """Raised for an address that webhooks must not use; the text states the rule in Chinese."""


def check_url(text: str, allowed_networks: Networks) -> str:
    """Check the address of a webhook and return its normal form in ASCII.

    Raises AddressFaultError if it is not an address, uses http although no network is allowed, contains a
    user name, a password or a fragment, or names an IP address that must not receive deliveries.
    """
    try:
        url = _URL.validate_python(text)
    except ValidationError:
        raise AddressFaultError("网址无效，请检查后重新输入") from None
    if url.username or url.password:
        raise AddressFaultError("网址不能包含用户名或密码，请删除后重试")
    if url.fragment is not None:
        raise AddressFaultError("网址不能包含 #，请删除 # 及其后的内容")
    if url.scheme != "https" and not allowed_networks:
        raise AddressFaultError("网址应以 https:// 开头")
    try:
        address = ip_address((url.host or "").strip("[]"))
    except ValueError:
        pass
    else:
        if not may_send_to(address, allowed_networks, encrypted=url.scheme == "https"):
            raise AddressFaultError(
                "不能使用本机或内部网络的地址；如需使用，请由服务器管理员在服务设置中允许该网络"
            )
    return str(url)


def may_send_to(address: IPv4Address | IPv6Address, allowed_networks: Networks, *, encrypted: bool) -> bool:
    """Return whether a request may go to `address`: on the internet if `encrypted`, or in an allowed network.

    If an IPv6 address contains an IPv4 address, both addresses are checked.
    """
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return may_send_to(address.ipv4_mapped, allowed_networks, encrypted=encrypted)
    if any(address in network for network in allowed_networks):
        return True
    if not encrypted or not address.is_global or address.is_multicast:
        return False
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST and address not in _NAT64:
        return False
    return all(
        may_send_to(inner, allowed_networks, encrypted=encrypted) for inner in _embedded_addresses(address)
    )


def _embedded_addresses(address: IPv4Address | IPv6Address) -> Sequence[IPv4Address]:
    if isinstance(address, IPv4Address):
        return ()
    addresses = [address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        addresses.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return [inner for inner in addresses if inner is not None]


def new_secret() -> str:
    """Return a new secret in the form that receivers configure: `whsec_` and Base64 of random bytes."""
    return _SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, delivery_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header `webhook-signature`; `timestamp` is in seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX))
    signed_content = f"{delivery_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed_content, "sha256")).decode()


def message(event: WebhookEvent | str, moment: dt.datetime, data: Mapping[str, Any]) -> str:
    """Return the body of a delivery as JSON text; `moment` is the time of the event."""
    timestamp = moment.astimezone(dt.UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    return json.dumps(
        {"type": str(event), "timestamp": timestamp, "data": data},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def retry_wait(attempts: int, chance: float) -> dt.timedelta | None:
    """Return how long to wait after this number of failed attempts; None if there is no further attempt.

    `chance` in 0..1 makes the wait up to a fifth shorter or longer, so that deliveries that failed at the
    same time are not retried at the same time.
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    wait: dt.timedelta = min(FIRST_WAIT * float(_FACTOR ** (attempts - 1)), LONGEST_WAIT)
    return wait * (1 - _JITTER + 2 * _JITTER * chance)


_NONCE = 12


class SecretBox:
    """AES-256-GCM with the webhook's id as associated data: no webhook can use the secret of another one."""

    def __init__(self, installation_secret: bytes) -> None:
        # A derived key, which is used for nothing else.
        self._cipher = AESGCM(hmac.digest(installation_secret, b"walkaround webhook secrets 1", "sha256"))

    def seal(self, webhook_id: str, secret: str) -> bytes:
        """Encrypt a secret for storing; return nonce and ciphertext."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), webhook_id.encode())

    def open(self, webhook_id: str, sealed_secret: bytes) -> str | None:
        """Decrypt a stored secret; return None if it was not encrypted for this webhook with this key."""
        try:
            return self._cipher.decrypt(
                sealed_secret[:_NONCE], sealed_secret[_NONCE:], webhook_id.encode()
            ).decode()
        except (InvalidTag, ValueError):
            return None
