"""Creates the service's own certificate, and renews it with the same key before it ends.

The certificate is self-signed. Clients compare its fingerprint once; it stays the same as long as the key
does.
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

from service.web.addresses import local_addresses
from shared.system import atomic

VALIDITY = dt.timedelta(days=180)
"""Below the limit of browsers for public authorities since 2026 (CA/Browser Forum, SC-081: 200 days)."""

RENEW_SECONDS = 30 * 24 * 3600.0
"""How long before its end a certificate is renewed."""

_BACKDATING = dt.timedelta(days=1)
"""How long before its creation a certificate becomes valid, for clients whose clock is slow."""

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def create(certificate: Path, key: Path, names: Iterable[str]) -> None:
    """Create a certificate for this machine and `names`, and its key unless that exists.

    Only its owner can read the key. If several processes call this at once, all use one key. Raises OSError,
    and ValueError if an existing key cannot be read.
    """
    if not key.exists():
        private_key = ec.generate_private_key(ec.SECP256R1())
        atomic.write_if_absent(
            key, private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        )
    _write(certificate, key, [*names, *_machine_names()])


def renew(certificate: Path, key: Path) -> None:
    """Write a certificate with a later end, the same key and the same names.

    Raises OSError, and ValueError if one of the files cannot be read.
    """
    _write(certificate, key, certificate_names(x509.load_pem_x509_certificate(certificate.read_bytes())))


def certificate_names(certificate: x509.Certificate) -> list[str]:
    """Return the host names and addresses of a certificate."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [str(name.value) for name in names]


def _write(certificate: Path, key: Path, names: Iterable[str]) -> None:
    signing_key = load_pem_private_key(key.read_bytes(), None)
    if not isinstance(signing_key, ec.EllipticCurvePrivateKey):
        raise ValueError("not a key that the service made")
    public, now = signing_key.public_key(), dt.datetime.now(dt.UTC)
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
    signed_certificate = (
        x509.CertificateBuilder()
        .subject_name(holder)
        .issuer_name(holder)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BACKDATING)
        .not_valid_after(now - _BACKDATING + VALIDITY)
        .add_extension(x509.SubjectAlternativeName(_alternative_names(names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False
        )
        .sign(signing_key, hashes.SHA256())
    )
    atomic.write_file(certificate, signed_certificate.public_bytes(Encoding.PEM), durable=True, private=True)


def _alternative_names(names: Iterable[str]) -> list[x509.GeneralName]:
    alternatives: list[x509.GeneralName] = []
    for name in dict.fromkeys(names):
        try:
            address = ipaddress.ip_address(name.strip("[]").partition("%")[0])
        except ValueError:
            # A certificate cannot contain a name that is not a host name.
            with contextlib.suppress(ValueError):
                alternatives.append(x509.DNSName(name))
        else:
            if not address.is_unspecified:
                alternatives.append(x509.IPAddress(address))
    return alternatives


def _machine_names() -> list[str]:
    """Return the host name and the addresses of this machine."""
    return [socket.gethostname(), *_LOOPBACK_NAMES, *local_addresses()]
