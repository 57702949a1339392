"""Makes the service's own certificate, and renews it with the same key before it ends.

No authority vouches for it: clients compare its fingerprint once, which stays the same with the key.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import socket
from collections.abc import Iterable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from service.web.addresses import own_addresses
from shared import atomic

LIFE = dt.timedelta(days=180)
"""Shorter than what browsers take of a public authority since 2026 (CA/Browser Forum, SC-081: 200 days)."""

RENEW_SECONDS = 30 * 24 * 3600.0
"""How long before its end a certificate is renewed."""

_EARLIER = dt.timedelta(days=1)
"""A client whose clock is slow accepts the certificate as well."""

_LOCAL = ("localhost", "127.0.0.1", "::1")


def make(certificate: Path, key: Path, names: Iterable[str]) -> None:
    """Make the key, unless there is one, and a certificate for this machine and `names`.

    The key is readable by its owner only. Of several processes that call this at once, all use one key.
    Raises OSError, and ValueError when the key that is there cannot be read.
    """
    if not key.exists():
        private_key = ec.generate_private_key(ec.SECP256R1())
        atomic.write_once(key, private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    _write(certificate, key, [*names, *_machine_names()])


def renew(certificate: Path, key: Path) -> None:
    """Write a certificate with a later end, of the same key and for the same names.

    Raises OSError, and ValueError when one of the files cannot be read.
    """
    _write(certificate, key, names_of(x509.load_pem_x509_certificate(certificate.read_bytes())))


def names_of(certificate: x509.Certificate) -> list[str]:
    """The host names and addresses that a certificate is for."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [str(name.value) for name in names]


def _write(certificate: Path, key: Path, names: Iterable[str]) -> None:
    signing = load_pem_private_key(key.read_bytes(), None)
    if not isinstance(signing, ec.EllipticCurvePrivateKey):
        raise ValueError("not a key that the service made")
    public, now = signing.public_key(), dt.datetime.now(dt.UTC)
    holder = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Walkaround")])
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    signed = (
        x509.CertificateBuilder()
        .subject_name(holder)
        .issuer_name(holder)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now - _EARLIER + LIFE)
        .add_extension(x509.SubjectAlternativeName(_alternative_names(names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False
        )
        .sign(signing, hashes.SHA256())
    )
    atomic.write(certificate, signed.public_bytes(Encoding.PEM), durable=True, private=True)


def _alternative_names(names: Iterable[str]) -> list[x509.GeneralName]:
    alternatives: list[x509.GeneralName] = []
    for name in dict.fromkeys(names):
        try:
            address = ipaddress.ip_address(name.strip("[]").partition("%")[0])
        except ValueError:
            # A name that is not a host name cannot stand in a certificate.
            with contextlib.suppress(ValueError):
                alternatives.append(x509.DNSName(name))
        else:
            if not address.is_unspecified:
                alternatives.append(x509.IPAddress(address))
    return alternatives


def _machine_names() -> list[str]:
    """Host name and addresses of this machine."""
    return [socket.gethostname(), *_LOCAL, *own_addresses()]
