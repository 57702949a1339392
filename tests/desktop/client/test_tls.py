"""The client against a real service with TLS that only its fingerprint vouches for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from desktop.client import Session
from desktop.client.http.errors import Unreachable, Untrusted
from shared.images.cv import cv2
from shared.wire.events import ChangeEvent
from shared.wire.inspection import RecordCreate
from tests.certificates import Pair, create_pair
from tests.service_app import ADMIN
from tests.service_process import service_process


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return create_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="module")
def url(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {"tls_cert": str(pair.certificate), "tls_key": str(pair.key)}
    with service_process(tmp_path_factory.mktemp("data"), **settings) as address:
        yield address


@pytest.fixture
def session(url: str, pair: Pair) -> Iterator[Session]:
    session = Session(url, fingerprint=pair.fingerprint)
    if session.account.first_run_needed():
        session.account.first_run(*ADMIN)
    else:
        session.account.login(*ADMIN)
    yield session
    session.close()


def test_pictures_are_uploaded_and_downloaded(session: Session) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (900, 1200, 3), dtype=np.uint8)
    data = bytes(cv2.imencode(".png", pixels)[1])
    stored = session.files.upload(data, "左翼.png")
    assert session.files.download(stored.file_id) == data
    assert len(session.files.crop(stored.file_id, 0, 0, 400, 300)) > 100
    assert len(session.files.thumbnail(stored.file_id, 64)) > 100


def test_changes_arrive_and_close_ends_a_blocked_read(session: Session) -> None:
    taken: list[ChangeEvent | None] = []
    is_reading, has_arrived = threading.Event(), threading.Event()
    ended: list[Exception] = []

    def on_change(change: ChangeEvent | None) -> None:
        taken.append(change)
        if change is not None and change.kind == "record":
            has_arrived.set()

    def read() -> None:
        try:
            session.events.read(on_change, on_open=is_reading.set)
        except Unreachable as error:
            ended.append(error)

    reading = threading.Thread(target=read)
    reading.start()
    assert is_reading.wait(20)
    session.records.create(RecordCreate(task_id="t1"))
    assert has_arrived.wait(20), taken
    session.events.close()
    reading.join(20)
    assert not reading.is_alive()
    assert len(ended) == 1


def test_calls_with_another_fingerprint_are_refused(url: str, tmp_path: Path) -> None:
    other = create_pair(tmp_path).fingerprint
    session = Session(url, fingerprint=other, patience=60)
    with pytest.raises(Untrusted):
        session.account.login(*ADMIN)
    session.close()
