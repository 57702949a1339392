"""A new photo of an item does not carry what was found in the photo before it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.canvas.views.compare_view import CompareView
from shared.record.entries import Entry, EntryAlignment, EntryCoverage
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, SAME, STAIN, jpeg
from tests.narrowing import not_none


def count_boxes(view: CompareView) -> int:
    return len(view._findings.boxes)


def test_new_photo_shows_no_findings_alignment_or_coverage_of_the_old_one(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    session, page = workbench.session, workbench.page
    record_id = make_record(session, REGION)
    item_id = session.items.all(record_id)[0].item_id
    first = session.files.upload(jpeg(), "old.jpg")
    session.items.add_photo(item_id, first.file_id)
    alignment: EntryAlignment = {"homography": SAME, "error_px": 0.4, "inliers": 50}
    coverage: EntryCoverage = {"inspected": 1.0, "ignored": 0.0, "required": 0.9}
    entry: Entry = {
        "inputImage": {
            "download_url": first.download_url,
            "ipfs_cid": first.ipfs_cid,
            "file_id": first.file_id,
        },
        "resultImage": {"boxes": [CRACK, STAIN]},
        "isPassed": False,
        "progress": "done",
        "version": 1,
        "provenance": {"alignment": alignment, "coverage": coverage},
    }
    store_detections(session, item_id, entry)
    workbench.open(record_id, qtbot.waitUntil)
    pairing, box = page.photos.pairing, page.inspector.photo
    qtbot.waitUntil(lambda: pairing.finding_pair is not None and bool(pairing.file_id))
    pair = not_none(pairing.pair)
    covered = not_none(page.inspector.verdict.findChild(QLabel, "coverage"))
    aligned = box._alignment
    assert count_boxes(box.pane) == 2
    assert aligned.text().startswith("Aligned within")
    assert covered.text() == "100% of the region inspected"

    stored = session.files.upload(jpeg(), "new.jpg")
    pairing.add_photo(item_id, session.items.add_photo(item_id, stored.file_id))
    # The old photo stays until the new one is loaded.
    qtbot.waitUntil(lambda: pairing.pair is not None and pairing.pair is not pair)

    assert count_boxes(box.pane) == 0
    assert count_boxes(page.canvas.compare) == 0
    assert aligned.text() == ""
    assert covered.isHidden()
    # The photo that was inspected shows what was found in it again.
    new, pair = pairing.file_id, not_none(pairing.pair)
    assert new == stored.file_id
    old = next(photo for photo in session.items.photos(item_id) if photo.file_id != new)
    pairing.compare_photo(old.photo_id)
    qtbot.waitUntil(lambda: pairing.pair is not pair and pairing.pair is not None)
    assert count_boxes(box.pane) == 2
    assert count_boxes(page.canvas.compare) == 2
    assert aligned.text().startswith("Aligned within")
