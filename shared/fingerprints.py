"""Computes the fingerprint by which people compare the certificate of a service: that of its public key.

A certificate that is renewed with the same key keeps its fingerprint, so people need not compare it again.
"""

from __future__ import annotations

import hashlib


def key_fingerprint(certificate: bytes) -> str:
    """Return the SHA-256 of a DER certificate's public key (SubjectPublicKeyInfo): 32 bytes as `AB:CD:...`.

    Raises ValueError if `certificate` is not a certificate or the kind of its key is not supported.
    """
    # Importing it takes about 30 ms, which a program without TLS need not spend.
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    try:
        key = x509.load_der_x509_certificate(certificate).public_key()
    except UnsupportedAlgorithm as error:
        raise ValueError("the kind of key is not supported") from error
    key_bytes = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(key_bytes).digest().hex(":").upper()
