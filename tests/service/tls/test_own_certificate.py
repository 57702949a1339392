"""Tests the certificate that the service creates."""

from __future__ import annotations

import datetime as dt
import socket
import stat
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from service.tls import own_certificate
from service.tls.own_certificate import VALIDITY, certificate_names, create, renew
from shared.fingerprints import key_fingerprint


def read_certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def fingerprint(path: Path) -> str:
    return key_fingerprint(read_certificate(path).public_bytes(Encoding.DER))


def test_certificate_names_the_machine_and_the_given_addresses(tmp_path: Path) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    create(certificate, key, ["0.0.0.0", "hangar.example", "192.0.2.7", "2001:db8::7", "not a host ä"])
    names = certificate_names(read_certificate(certificate))
    assert {"localhost", "127.0.0.1", "::1", socket.gethostname(), "hangar.example", "192.0.2.7"} <= set(
        names
    )
    assert "2001:db8::7" in names
    assert "0.0.0.0" not in names
    assert len(names) == len(set(names))


def test_key_and_certificate_are_for_their_owner_only(tmp_path: Path) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    create(certificate, key, [])
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(certificate.stat().st_mode) == 0o600


def test_certificate_is_valid_for_slow_clocks_and_as_long_as_browsers_accept(tmp_path: Path) -> None:
    certificate = tmp_path / "tls.crt"
    create(certificate, tmp_path / "tls.key", [])
    made_now, now = read_certificate(certificate), dt.datetime.now(dt.UTC)
    assert made_now.not_valid_before_utc < now - dt.timedelta(hours=23)
    assert made_now.not_valid_after_utc - made_now.not_valid_before_utc == VALIDITY
    assert dt.timedelta(days=200) > VALIDITY


def test_renewed_certificate_has_the_same_key_and_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    monkeypatch.setattr(own_certificate, "VALIDITY", dt.timedelta(days=20))
    create(certificate, key, ["hangar.example", "192.0.2.7"])
    monkeypatch.undo()
    before, secret = read_certificate(certificate), key.read_bytes()
    renew(certificate, key)
    after = read_certificate(certificate)
    assert after.not_valid_after_utc > before.not_valid_after_utc + dt.timedelta(days=100)
    assert after.serial_number != before.serial_number
    assert certificate_names(after) == certificate_names(before)
    assert key.read_bytes() == secret
    assert key_fingerprint(after.public_bytes(Encoding.DER)) == key_fingerprint(
        before.public_bytes(Encoding.DER)
    )


def test_removed_certificate_is_created_with_the_same_key(tmp_path: Path) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    create(certificate, key, [])
    before = fingerprint(certificate)
    certificate.unlink()
    create(certificate, key, [])
    assert fingerprint(certificate) == before


def test_processes_that_start_together_use_one_key(tmp_path: Path) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    start = threading.Barrier(4)

    def begin() -> None:
        start.wait(20)
        create(certificate, key, [])

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    last = fingerprint(certificate)
    create(certificate, key, [])
    assert fingerprint(certificate) == last


def test_fingerprint_is_32_bytes_in_pairs(tmp_path: Path) -> None:
    create(tmp_path / "tls.crt", tmp_path / "tls.key", [])
    pairs = fingerprint(tmp_path / "tls.crt").split(":")
    assert len(pairs) == 32
    assert all(len(pair) == 2 and pair == pair.upper() for pair in pairs)


def test_fingerprint_of_invalid_content_is_a_value_error() -> None:
    with pytest.raises(ValueError):
        key_fingerprint(b"not a certificate")
