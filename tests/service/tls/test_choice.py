"""Tests when the service uses TLS, with which certificate, and what `walkaround tls` prints."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from pydantic import ValidationError

from service.command_line import main
from service.settings import Settings
from service.tls import CertificateError, needs_tls, own_certificate
from service.tls.files import configured_files, usable_files
from tests.certificates import make_pair


@pytest.mark.parametrize(
    ("host", "tls"),
    [
        ("127.0.0.1", False),
        ("127.0.0.2", False),
        ("localhost", False),
        ("::1", False),
        ("0.0.0.0", True),
        ("::", True),
        ("", True),
        ("192.0.2.7", True),
        ("hangar.example", True),
        ("localhost.evil.example", True),
    ],
)
def test_service_beyond_loopback_uses_tls_by_default(host: str, tls: bool) -> None:
    assert needs_tls(Settings(host=host)) is tls
    assert not needs_tls(Settings(host=host, plain_http=True))


def test_service_on_loopback_uses_a_configured_certificate(tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    settings = Settings(tls_cert=pair.certificate, tls_key=pair.key)
    assert needs_tls(settings)
    assert usable_files(settings).fingerprint() == pair.fingerprint
    assert not usable_files(settings).is_own


def test_contradicting_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="set both"):
        Settings(tls_cert=tmp_path / "a.crt")
    with pytest.raises(ValidationError, match="remove one"):
        Settings(tls_cert=tmp_path / "a.crt", tls_key=tmp_path / "a.key", plain_http=True)


def test_empty_variable_names_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKAROUND_TLS_CERT", "")
    monkeypatch.setenv("WALKAROUND_TLS_KEY", "")
    assert not needs_tls(Settings())


def test_own_certificate_is_created_once_and_renewed_at_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path, host="0.0.0.0", allowed_hosts=["hangar.example"])
    monkeypatch.setattr(own_certificate, "VALIDITY", dt.timedelta(days=20))
    first = usable_files(settings)
    fingerprint, end_time = first.fingerprint(), first.end_time()
    monkeypatch.undo()
    second = usable_files(settings)
    assert second.fingerprint() == fingerprint
    assert second.end_time() > end_time
    third = usable_files(settings)
    assert third.end_time() == second.end_time()
    assert third.is_own


def test_damaged_own_key_is_reported_with_a_remedy(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, host="0.0.0.0")
    files = usable_files(settings)
    files.certificate.unlink()
    files.key.write_bytes(b"damaged")
    with pytest.raises(CertificateError, match="Move it and"):
        usable_files(settings)


@pytest.fixture
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # A command passes its options to child processes by the environment.
    for name in ("DATA_DIR", "TLS_CERT", "TLS_KEY"):
        monkeypatch.setenv(f"WALKAROUND_{name}", "")
        monkeypatch.delenv(f"WALKAROUND_{name}")


@pytest.mark.usefixtures("_environment")
def test_command_shows_fingerprint_and_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tls", "--data-dir", str(tmp_path)]) == 1
    assert "there is no certificate" in capsys.readouterr().err
    files = usable_files(Settings(data_dir=tmp_path, host="0.0.0.0"))
    assert main(["tls", "--data-dir", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert f"fingerprint  {files.fingerprint()}\n" in shown
    assert "localhost" in shown
    assert "renewed by itself" in shown


@pytest.mark.usefixtures("_environment")
def test_command_shows_the_certificate_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = make_pair(tmp_path / "given")
    monkeypatch.setenv("WALKAROUND_TLS_CERT", str(pair.certificate))
    monkeypatch.setenv("WALKAROUND_TLS_KEY", str(pair.key))
    assert main(["tls", "--data-dir", str(tmp_path)]) == 0
    assert pair.fingerprint in capsys.readouterr().out
    other = make_pair(tmp_path / "other")
    named = ["--tls-cert", str(other.certificate), "--tls-key", str(other.key)]
    assert main(["tls", "--data-dir", str(tmp_path), *named]) == 0
    assert other.fingerprint in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["tls", *named[:2]])
    assert "name both" in capsys.readouterr().err
    pair.key.unlink()
    assert main(["tls", "--data-dir", str(tmp_path)]) == 1
    assert "cannot be used" in capsys.readouterr().err
    assert configured_files(Settings(data_dir=tmp_path)).certificate == pair.certificate


@pytest.mark.usefixtures("_environment")
def test_service_with_an_unusable_certificate_reports_it_and_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "serve",
        "--port",
        "0",
        "--data-dir",
        str(tmp_path),
        "--tls-cert",
        str(tmp_path / "nowhere.crt"),
    ]
    assert main(arguments) == 2
    assert "tls_cert and tls_key belong together" in capsys.readouterr().err
    assert main([*arguments, "--tls-key", str(tmp_path / "nowhere.key")]) == 1
    captured = capsys.readouterr()
    assert '"event": "failed"' in captured.out
    assert "cannot be used: No such file or directory" in captured.err
