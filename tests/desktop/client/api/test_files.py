"""Upload and download, with a fake service (httpx.MockTransport)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import NotFound, Unreachable
from tests.desktop.client.fake_service import SECRET, Service, success_answer

STORED = {
    "file_id": "f1",
    "sha256": "0" * 64,
    "ipfs_cid": "b",
    "filename": "翼.jpg",
    "mime_type": "image/jpeg",
    "size": 200_000,
    "width": None,
    "height": None,
    "download_url": "/api/files/f1/content",
    "created_at": "2026-01-01T00:00:00Z",
}
DATA = bytes(range(256)) * 800


@pytest.fixture
def session(session: Session) -> Session:
    session.account.login("zhang", SECRET)
    return session


def test_upload_sends_the_file_and_reports_progress(
    service: Service, session: Session, tmp_path: Path
) -> None:
    bodies: list[bytes] = []

    def store(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read())
        return success_answer(STORED)

    service.answers["/api/files"] = store
    path = tmp_path / "翼.jpg"
    path.write_bytes(DATA)
    steps: list[tuple[int, int]] = []
    assert session.files.upload(path, progress=lambda done, size: steps.append((done, size))).file_id == "f1"
    assert DATA in bodies[0]
    assert "翼.jpg".encode() in bodies[0]
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1] == (len(DATA), len(DATA))
    assert len(steps) > 2


def test_upload_without_an_answer_restarts(service: Service, session: Session) -> None:
    bodies: list[bytes] = []

    def store(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read())
        if len(bodies) == 1:
            raise httpx.ReadError("cut")
        return success_answer(STORED)

    service.answers["/api/files"] = store
    session.files.upload(DATA, "x.jpg")
    assert [DATA in body for body in bodies] == [True, True]


def test_error_of_the_progress_callback_ends_the_upload(service: Service, session: Session) -> None:
    class StopIt(Exception):
        pass

    def stop(done: int, size: int) -> None:
        raise StopIt

    service.answers["/api/files"] = lambda request: success_answer(STORED)
    with pytest.raises(StopIt):
        session.files.upload(DATA, "x.jpg", stop)


def test_download_gives_the_bytes_and_progress(service: Service, session: Session) -> None:
    service.answers["/api/files/f1/content"] = lambda request: httpx.Response(200, content=DATA)
    steps: list[tuple[int, int]] = []
    assert session.files.download("f1", lambda done, size: steps.append((done, size))) == DATA
    assert steps[-1] == (len(DATA), len(DATA))
    assert session.files.fetch("/api/files/f1/content") == DATA


def test_thumbnail_asks_for_its_size(service: Service, session: Session) -> None:
    service.answers["/api/files/f1/thumbnail"] = lambda request: httpx.Response(200, content=b"png")
    assert session.files.thumbnail("f1", 128) == b"png"
    assert service.requests[-1].url.params["size"] == "128"


@pytest.mark.parametrize(
    "url",
    ["http://evil.test/api/files/f1/content", "//evil.test/files/x", "/api/users", "/api/files/../users", ""],
)
def test_the_login_is_never_sent_to_another_address(service: Service, session: Session, url: str) -> None:
    before = len(service.requests)
    with pytest.raises(NotFound):
        session.files.fetch(url)
    assert len(service.requests) == before


def test_a_missing_file_is_not_found(service: Service, session: Session) -> None:
    body = {"code": 1, "data": {"error": "not_found"}, "msg": "文件不存在"}
    service.answers["/api/files/f1/content"] = lambda request: httpx.Response(404, json=body)
    with pytest.raises(NotFound):
        session.files.download("f1")


def test_interrupted_download_is_unreachable(service: Service, session: Session) -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        def pieces() -> Iterator[bytes]:
            yield b"abc"
            raise httpx.ReadError("cut")

        return httpx.Response(200, stream=_Pieces(pieces()))

    service.answers["/api/files/f1/content"] = broken
    with pytest.raises(Unreachable):
        session.files.download("f1")


class _Pieces(httpx.SyncByteStream):
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces
