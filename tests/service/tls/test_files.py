"""Tests what a server shows of certificate and key while they change."""

from __future__ import annotations

import datetime as dt
import logging
import ssl
from pathlib import Path

import pytest

from service.tls import CertificateError, own_certificate
from service.tls.files import CertificateFiles
from shared.fingerprints import key_fingerprint
from tests.certificates import Pair, create_pair, create_unchecked_context, encrypt_key


def handshake(
    server: ssl.SSLContext, client: ssl.SSLContext | None = None, name: str | None = "localhost"
) -> str:
    """The fingerprint that a client sees in a handshake in memory, with TLS as it was agreed."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = server.wrap_bio(to_server, to_client, server_side=True)
    asking = (client or create_unchecked_context()).wrap_bio(to_client, to_server, server_hostname=name)
    for _turn in range(4):
        for side in (asking, serving):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert serving.selected_alpn_protocol() in (None, "http/1.1")
    return key_fingerprint(asking.getpeercert(binary_form=True) or b"")


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return create_pair(tmp_path / "first")


@pytest.fixture
def other(tmp_path: Path) -> Pair:
    return create_pair(tmp_path / "second")


def test_a_renewed_pair_is_served_without_a_restart(pair: Pair, other: Pair) -> None:
    context = CertificateFiles(*pair).reloading_context()
    before = pair.fingerprint
    assert handshake(context) == before
    pair.replace_with(other)
    assert handshake(context) == other.fingerprint != before
    # An address as server is asked for without a name.
    assert handshake(context, name="127.0.0.1") == other.fingerprint


def test_half_replaced_pair_keeps_the_previous_one_and_is_logged(
    pair: Pair, other: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    context = CertificateFiles(*pair).reloading_context()
    before = pair.fingerprint
    pair.certificate.write_bytes(other.certificate.read_bytes())
    with caplog.at_level(logging.INFO, "walkaround.tls"):
        assert handshake(context) == before
        assert handshake(context) == before
        pair.key.write_bytes(other.key.read_bytes())
        assert handshake(context) == other.fingerprint
    first, second = (record.getMessage() for record in caplog.records)
    assert "do not belong together" in first
    assert "The previous certificate stays in use." in first
    assert other.fingerprint in second


@pytest.mark.parametrize("content", [b"", b"-----BEGIN CERTIFICATE-----\nMIIB", None])
def test_a_file_that_is_damaged_or_gone_keeps_the_pair_before(
    pair: Pair, other: Pair, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    context = CertificateFiles(*pair).reloading_context()
    before = pair.fingerprint
    if content is None:
        pair.key.unlink()
    else:
        pair.certificate.write_bytes(content)
    assert handshake(context) == before
    assert "cannot be used" in caplog.text
    pair.replace_with(other)
    assert handshake(context) == other.fingerprint


def test_own_certificate_is_renewed_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_certificate, "VALIDITY", dt.timedelta(days=29))
    pair = create_pair(tmp_path)
    monkeypatch.undo()
    files = CertificateFiles(*pair, is_own=True)
    context = files.reloading_context()
    ended, fingerprint = files.end_time(), pair.fingerprint
    assert handshake(context) == fingerprint
    assert files.end_time() > ended
    renewed = pair.certificate.stat().st_mtime_ns
    assert handshake(context) == fingerprint
    assert pair.certificate.stat().st_mtime_ns == renewed


def test_a_renewal_that_fails_is_said_and_not_tried_at_each_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(own_certificate, "VALIDITY", dt.timedelta(days=29))
    pair = create_pair(tmp_path)
    context = CertificateFiles(*pair, is_own=True).reloading_context()

    def full(_certificate: Path, _key: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("service.tls.files.renew", full)
    for _connection in range(3):
        assert handshake(context) == pair.fingerprint
    assert caplog.text.count("cannot renew the certificate") == 1


def test_a_certificate_that_the_settings_name_is_never_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_certificate, "VALIDITY", dt.timedelta(days=29))
    pair = create_pair(tmp_path)
    before = pair.certificate.read_bytes()
    handshake(CertificateFiles(*pair).reloading_context())
    assert pair.certificate.read_bytes() == before


def test_older_tls_is_refused(pair: Pair) -> None:
    context = CertificateFiles(*pair).reloading_context()
    old = create_unchecked_context()
    old.set_ciphers("DEFAULT@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = ssl.TLSVersion.TLSv1_1
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        handshake(context, old)


def test_unusable_files_are_reported_in_a_sentence(pair: Pair, other: Pair, tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="No such file"):
        CertificateFiles(tmp_path / "nowhere.crt", pair.key).load()
    with pytest.raises(CertificateError, match="do not belong together"):
        CertificateFiles(pair.certificate, other.key).load()
    with pytest.raises(CertificateError, match="not a whole PEM file"):
        CertificateFiles(pair.key, pair.key).load()
    encrypt_key(pair.key)
    with pytest.raises(CertificateError, match="has a password"):
        CertificateFiles(*pair).load()
