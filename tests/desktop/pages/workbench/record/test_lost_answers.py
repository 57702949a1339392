"""A request to add photos reaches the real service, its response is lost, and it is sent again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import Unreachable
from desktop.connection.local_service import EmbeddedService
from desktop.journal import Edit, EditKind, Journal
from desktop.record.outbox import Outbox, SendResult, UnshownEdits
from desktop.record.photo_queue import QueuedPicture, upload
from shared.wire.inspection import Photo
from tests.desktop.pages.workbench.driver import make_record, picture
from tests.service_process import ADMIN


class LossyTransport(httpx.BaseTransport):
    """Sends every request to the service; the responses to the additions numbered in `lost` are lost."""

    def __init__(self) -> None:
        self._through = httpx.HTTPTransport()
        self.lost: list[int] = []
        self.additions = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._through.handle_request(request)
        if request.method == "POST" and request.url.path.endswith("/photos"):
            self.additions += 1
            if self.additions in self.lost:
                response.read()
                raise httpx.ReadError("cut", request=request)
        return response

    def close(self) -> None:
        self._through.close()


@pytest.fixture
def way() -> LossyTransport:
    return LossyTransport()


@pytest.fixture
def lossy(session: Session, service: EmbeddedService, way: LossyTransport) -> Iterator[Session]:
    """Logged in over `way`, without patience: a lost answer is reported at once."""
    lossy_session = Session(service.wait_until_ready(60), patience=0, transport=way)
    lossy_session.account.login(*ADMIN)
    yield lossy_session
    lossy_session.close()


def photos(session: Session, record_id: str) -> list[list[str]]:
    """The file ids of the photos of each item, oldest first."""
    return [
        [photo.file_id for photo in reversed(session.items.photos(item.item_id))]
        for item in session.items.all(record_id)
    ]


@pytest.mark.parametrize("lost", [1, 2])
def test_photos_of_an_item_with_lost_answers_are_added_once(
    lossy: Session, way: LossyTransport, tmp_path: Path, lost: int
) -> None:
    record_id = make_record(lossy, (), image=False)
    files = [lossy.files.upload(picture(seed), f"{seed}.png").file_id for seed in (2, 3)]
    journal = Journal.open(tmp_path / "a.journal")
    after = {"item_name": "前缘", "photos": files}
    journal.append(Edit(record_id, "item", "local", EditKind.CREATE, {}, after, "make", 0.0))
    way.lost = [lost]
    outbox, sent = Outbox(lossy, journal, UnshownEdits()), list[SendResult]()
    with pytest.raises(Unreachable):
        outbox.send(sent.append)
    assert (sent, len(journal.pending_edits())) == ([], 1)
    outbox.send(sent.append)
    assert (len(sent), journal.pending_edits()) == (1, [])
    assert way.additions == lost + 2
    assert photos(lossy, record_id) == [files]
    journal.close()


class Reporting:
    """Takes the reports of an upload."""

    def __call__(self, _share: float) -> None:
        """Ignore the progress."""

    def check(self) -> None:
        """Never cancel."""


def test_photo_with_a_lost_answer_is_added_once(
    session: Session, service: EmbeddedService, way: LossyTransport
) -> None:
    record_id = make_record(session, ((0.1, 0.1, 0.2, 0.2),), image=False)
    (item,) = session.items.all(record_id)
    patient = Session(service.wait_until_ready(60), transport=way)
    patient.account.login(*ADMIN)
    way.lost = [1]
    taken = picture(4)
    added = upload(Reporting(), patient, QueuedPicture(record_id, taken, "a.png", item.item_id))  # type: ignore[arg-type]
    patient.close()
    assert way.additions == 2
    assert isinstance(added, Photo)
    assert photos(session, record_id) == [[added.file_id]]
    # The same picture added by the person a second time is a second photo.
    upload(Reporting(), session, QueuedPicture(record_id, taken, "a.png", item.item_id))  # type: ignore[arg-type]
    assert photos(session, record_id) == [[added.file_id] * 2]
