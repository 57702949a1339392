"""The calls on the photos of a record against the real service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.client import Session
from desktop.client.http.errors import Conflict, NotFound, Unsupported
from shared import samples
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.samples import View
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, ItemPoint, Point, RecordCreate
from shared.wire.photos import Assigned, PhotoItemSet, PhotoState
from tests.client_session import open_session
from tests.service_process import service_process

PLACES = [Point(x=0.05, y=0.05, w=0.4, h=0.9), Point(x=0.55, y=0.05, w=0.4, h=0.9)]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with service_process(tmp_path) as address, open_session(address) as session:
        yield session


def png(image: samples.Image) -> bytes:
    return bytes(cv2.imencode(".png", image)[1])


def test_every_call(session: Session) -> None:
    panel = samples.draw_panel(640, 480, 3).image
    file = session.files.upload(png(panel), "reference.png")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="左翼", file_id=file.file_id)
    )
    record = session.records.create(
        RecordCreate(task_id="t", reference_image_id=image.reference_image_id)
    ).inspection_id
    items = [
        session.items.create(
            ItemCreate(item_name=str(number), inspection_id=record, item_point=ItemPoint(point=place))
        ).value.item_id
        for number, place in enumerate(PLACES)
    ]
    shot, _ = samples.photograph(panel, View(rotation=3, noise=2), 3)
    stored = session.files.upload(png(shot), "photo.png")
    added = session.photos.add(record, stored.file_id)
    assert (added.state, added.items, added.matches) == (PhotoState.WAITING, [], None)
    assert session.photos.add(record, stored.file_id) == added
    matched = session.photos.match(record, added.photo_id, wait=60)
    assert matched.state is PhotoState.MATCHED
    assert matched.matches is not None
    assert [(match.item_id, match.covered) for match in matched.matches] == [(item, True) for item in items]
    proposed = [PhotoItemSet(item_id=match.item_id) for match in matched.matches if match.covered]
    assigned = session.photos.assign(record, added.photo_id, proposed)
    assert [assignment.assigned for assignment in assigned.items] == [Assigned.ALIGNMENT] * 2
    assert session.photos.list(record) == [assigned]
    assert [photo.photo_id for photo in session.items.photos(items[0])] == [assigned.items[0].photo_id]
    session.items.set_verdict(items[0], Verdict.PASSED)
    with pytest.raises(Conflict) as refused:
        session.photos.delete(record, added.photo_id)
    assert refused.value.code == "photo_in_use"
    assert refused.value.details["items"] == [{"item_id": items[0], "item_name": "0"}]
    session.photos.delete(record, added.photo_id, confirmed=True)
    assert session.photos.list(record) == []
    text = session.files.upload(b"only words", "note.txt")
    with pytest.raises(Unsupported):
        session.photos.add(record, text.file_id)
    for call in (
        lambda: session.photos.match(record, "none"),
        lambda: session.photos.assign(record, "none", []),
        lambda: session.photos.delete(record, "none"),
        lambda: session.photos.list("none"),
    ):
        with pytest.raises(NotFound):
            call()
