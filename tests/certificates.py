"""Creates certificates for tests, and reads the certificate of a TLS server."""

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

    def replace_by(self, other: Pair) -> None:
        """Replace both files by those of another pair, as tools that renew certificates do."""
        for target, source in zip(self, other, strict=True):
            part = target.with_suffix(".part")
            part.write_bytes(source.read_bytes())
            part.replace(target)


def make_pair(folder: Path, *names: str) -> Pair:
    """Create a certificate for `names` and its key in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pair = Pair(folder / "server.crt", folder / "server.key")
    create(pair.certificate, pair.key, names)
    return pair


def lock_key(path: Path) -> None:
    """Encrypt the key with a password."""
    key = serialization.load_pem_private_key(path.read_bytes(), None)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )


def unchecked_context() -> ssl.SSLContext:
    """The TLS context of a client that accepts any certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def served_fingerprint(url: str) -> str:
    """The fingerprint of the certificate that the server at `url` presents to a new connection."""
    address = urlsplit(url)
    with (
        socket.create_connection((address.hostname or "", address.port or 443), timeout=20) as tcp_connection,
        unchecked_context().wrap_socket(tcp_connection, server_hostname=address.hostname) as connection,
    ):
        return key_fingerprint(connection.getpeercert(binary_form=True) or b"")


def server_context(folder: Path, host: str) -> tuple[ssl.SSLContext, Path]:
    """The TLS context of a server with a self-signed certificate for `host`, and the certificate's file."""
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
