"""Photos in all eight EXIF orientations, from the upload through detection to the pair and the export."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from desktop.exchange.gather import collect_inspection
from desktop.exchange.registry import FORMATS, read_regions
from shared.images.cv import cv2
from shared.record import results
from shared.record.geometry import Rect
from shared.samples import draw_panel
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver
from tests.narrowing import not_none
from tests.pictures import encode_picture

pytestmark = pytest.mark.slow

CRACK = np.array([[300, 230], [330, 245], [350, 270], [390, 290]], np.int32)
REGION = Rect(240, 180, 240, 180)
TURNS = range(1, 9)


def test_findings_have_their_place_in_every_orientation(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    session = workbench.session
    good = draw_panel(WIDTH, HEIGHT, 1).image
    bad = good.copy()
    cv2.polylines(bad, [CRACK], isClosed=False, color=(30, 30, 30), thickness=3, lineType=cv2.LINE_AA)
    stored = session.files.upload(encode_picture(good[..., ::-1], "JPEG", 6), "reference.jpg")
    reference_id = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="turned", file_id=stored.file_id)
    ).reference_image_id
    record = session.records.create(RecordCreate(task_id="t", reference_image_id=reference_id))
    record_id = record.inspection_id
    for turn in TURNS:
        body = {
            "item_name": f"{turn}",
            "inspection_id": record_id,
            "model_id": "reference-difference",
            "item_point": {
                "point": {
                    "x": REGION.x / WIDTH,
                    "y": REGION.y / HEIGHT,
                    "w": REGION.w / WIDTH,
                    "h": REGION.h / HEIGHT,
                }
            },
        }
        item = session.items.create(ItemCreate.model_validate(body)).value
        photo = session.files.upload(encode_picture(bad[..., ::-1], "JPEG", turn), f"{turn}.jpg")
        session.items.add_photo(item.item_id, photo.file_id)
    workbench.open(record_id, qtbot.waitUntil)
    assert workbench.page.canvas.view.source is not None
    assert workbench.page.canvas.view.source.size == (WIDTH, HEIGHT)
    assert workbench.context.commands.run("record.detect")
    # Eight detections.
    qtbot.waitUntil(lambda: all(row.finished for row in workbench.page.open_record.rows), timeout=180_000)
    assert workbench.page.open_record.document is not None
    for shown in workbench.page.open_record.document.items:
        entry = results.newest_detection(shown.result)
        assert entry is not None
        corners = [box["points"] for box in not_none(entry["resultImage"])["boxes"]]
        left, top = min(box["x1"] for box in corners), min(box["y1"] for box in corners)
        right, bottom = max(box["x2"] for box in corners), max(box["y2"] for box in corners)
        assert (left, top, right, bottom) == pytest.approx((300, 230, 390, 290), abs=14), shown.item_name

        assert 0 <= left < right <= WIDTH
        assert 0 <= top < bottom <= HEIGHT
    inspection = collect_inspection(session, record_id, lambda _done, _total: None)
    assert inspection.reference is not None
    for file_format in FORMATS:
        drafts = read_regions(
            file_format.write(inspection), file_format.file_name("turned"), inspection.reference
        )
        assert len(drafts) == len(TURNS)
        for draft in drafts:
            place = (draft.rect.x, draft.rect.y, draft.rect.w, draft.rect.h)
            assert place == pytest.approx((REGION.x, REGION.y, REGION.w, REGION.h), abs=1e-6)
