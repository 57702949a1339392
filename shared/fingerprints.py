"""The fingerprint by which people compare the certificate of a service: that of its public key.

A certificate that is renewed with the same key keeps its fingerprint, so what was compared once stays valid.
"""

from __future__ import annotations

import hashlib


def key_fingerprint(certificate: bytes) -> str:
    """The SHA-256 of the public key (SubjectPublicKeyInfo) of a certificate in DER: 32 bytes as `AB:CD:...`.

    Raises ValueError when `certificate` is not one, or has a key of a kind that cannot be read.
    """
    # Loading it takes some 30 ms, which a program without TLS need not pay.
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    try:
        key = x509.load_der_x509_certificate(certificate).public_key()
    except UnsupportedAlgorithm as error:
        raise ValueError("the kind of key is not known") from error
    described = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(described).digest().hex(":").upper()
