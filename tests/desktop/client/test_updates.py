"""Newer versions: asked for only where an address is named, without a word of who asks."""

from __future__ import annotations

import pytest

from desktop.client.updates import VARIABLE, Update, newer_version, update_address
from tests.update_site import UpdateSite, update_site

__all__ = ["update_site"]


def test_newer_version_is_reported_with_its_page(update_site: UpdateSite) -> None:
    update_site.publish(version="0.10.0", url="https://files.example/walkaround")
    assert newer_version(update_site.url, "0.9.3") == Update("0.10.0", "https://files.example/walkaround")


@pytest.mark.parametrize("version", ["0.9.3", "0.9.2", "0.1.30"])
def test_same_or_older_version_is_not_reported(update_site: UpdateSite, version: str) -> None:
    update_site.publish(version=version, url="https://files.example")
    assert newer_version(update_site.url, "0.9.3") is None


def test_request_does_not_identify_the_user(update_site: UpdateSite) -> None:
    update_site.publish(version="9.0.0")
    assert newer_version(update_site.url) == Update("9.0.0", "")
    ((path, headers),) = update_site.requests
    assert path == "/walkaround.json"
    assert {name.lower() for name in headers} <= {"host", "accept"}


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "//x", "https://me:key@host", 3]
)
def test_page_that_is_not_on_the_web_is_left_out(update_site: UpdateSite, url: object) -> None:
    update_site.publish(version="9.0.0", url=url)
    assert newer_version(update_site.url) == Update("9.0.0", "")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"version": "new"}',
        b'{"url": "https://x"}',
        b'{"version": null}',
        b" " * 70_000 + b"{}",
    ],
)
def test_answer_that_cannot_be_read_reports_nothing(update_site: UpdateSite, text: bytes) -> None:
    update_site.text = text
    assert newer_version(update_site.url) is None


@pytest.mark.parametrize("status", [302, 404, 500])
def test_server_without_the_file_reports_nothing(update_site: UpdateSite, status: int) -> None:
    update_site.publish(version="9.0.0")
    update_site.status = status
    assert newer_version(update_site.url) is None
    # A redirection is not followed: the administrator named this address and no other.
    assert len(update_site.requests) == 1


def test_unreachable_server_reports_nothing(update_site: UpdateSite) -> None:
    update_site.server.server_close()
    assert newer_version("http://127.0.0.1:9/x") is None
    assert newer_version("https://[::1") is None


@pytest.mark.parametrize(
    ("variable", "address"),
    [
        ("", ""),
        (" https://files.example/v.json ", "https://files.example/v.json"),
        ("http://10.0.0.2/v.json", "http://10.0.0.2/v.json"),
        ("files.example", ""),
        ("ftp://files.example", ""),
        ("https://", ""),
        ("https://[", ""),
        ("https://user:secret@files.example", ""),
    ],
)
def test_address_is_that_of_the_environment(
    variable: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, variable)
    assert update_address() == address


def test_no_request_is_sent_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert update_address() == ""
