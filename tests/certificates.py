"""Creates certificates for tests and reads those of TLS servers."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.tls.own_certificate import create
from shared.fingerprints import key_fingerprint


class Pair(NamedTuple):
    """A certificate for this machine and its key, as files."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        return key_fingerprint(ssl.PEM_cert_to_DER_cert(self.certificate.read_text("ascii")))

    def replace_with(self, other: Pair) -> None:
        """Replace the content of this pair by that of another one, as tools that renew certificates do."""
        for target, source in zip(self, other, strict=True):
            part = target.with_suffix(".part")
            part.write_bytes(source.read_bytes())
            part.replace(target)


def create_pair(folder: Path, *names: str) -> Pair:
    """Create a certificate with a new key in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pair = Pair(folder / "server.crt", folder / "server.key")
    create(pair.certificate, pair.key, names)
    return pair


def encrypt_key(path: Path) -> None:
    """Encrypt the key with a password."""
    key = serialization.load_pem_private_key(path.read_bytes(), None)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )


def create_unchecked_context() -> ssl.SSLContext:
    """Return a client context that accepts every certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def read_fingerprint(url: str) -> str:
    """Return the fingerprint of the certificate of the server at `url`, from a new connection."""
    place = urlsplit(url)
    with (
        socket.create_connection((place.hostname or "", place.port or 443), timeout=20) as wire,
        create_unchecked_context().wrap_socket(wire, server_hostname=place.hostname) as connection,
    ):
        return key_fingerprint(connection.getpeercert(binary_form=True) or b"")


def create_server_context(folder: Path, host: str) -> tuple[ssl.SSLContext, Path]:
    """Return a server context with a self-signed certificate for `host`, and the file of the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    today = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - dt.timedelta(days=1))
        .not_valid_after(today + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "server.pem", folder / "server.key"
    cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert_file, key_file)
    return context, cert_file
