"""What a report takes from the service."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.imaging import open_image
from desktop.imaging.conversion.jpeg import add_xmp
from desktop.report.collect import collect
from desktop.report.content import Evidence, ReportedItem
from desktop.report.html import page
from desktop.report.pictures import Pictures, outline_finding
from desktop.report.reported_item import photo_crop, report_item
from shared.images.camera_data import film_frame_packet
from shared.images.cv import cv2
from shared.names import user_label
from shared.record.codes import Verdict
from shared.record.entries import Provenance
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.files import FilmFrame
from shared.wire.inspection import Item, ItemCreate, ItemUpdate, RecordCreate
from tests.pictures import camera_photo, encode_picture, gradient_pixels


@pytest.mark.parametrize("progress", ["detecting", "canceled", "error"])
def test_a_detection_that_did_not_finish_hides_no_finding(
    qtbot: QtBot, session: Session, progress: str
) -> None:
    points = {"x1": 1, "y1": 2, "x2": 30, "y2": 40}
    box = {"label": "crack", "confidence": 0.9, "points": points}
    error = {"code": "alignment_failed", "message": "对不上"}
    result: list[dict[str, Any]] = [
        {"version": 1, "isPassed": True, "progress": "done", "resultImage": {"boxes": [box]}},
        {"version": 3, "isPassed": False, "progress": progress, "resultImage": {"boxes": []}},
    ]
    if progress == "error":
        result[1]["error"] = error
    record = session.records.create(RecordCreate(task_id="t")).inspection_id
    body = {"item_name": "a", "inspection_id": record, "result": result}
    created = session.items.create(ItemCreate.model_validate({**body, "result": result[:1]})).value
    session.items.set_verdict(created.item_id, Verdict.FAILED, "裂纹")
    session.items.update(created.item_id, ItemUpdate.model_validate({"result": result}), None)
    me = session.account.me().user
    (item,) = collect(session, record, "me", lambda *_: None).items
    assert [finding.label for finding in item.findings] == ["crack"]
    assert (item.passed, item.verdict, item.reason) == (False, Verdict.FAILED, "裂纹")
    # A client entered both results: no model has looked.
    assert (item.opinion, item.version) == (None, 2)
    assert item.decided_by == user_label(me.name, me.username)
    assert item.decided_at is not None
    assert item.note == "Entered by a client, not detected here."


def test_item_is_shown_on_its_reference_file(qtbot: QtBot, session: Session) -> None:
    point = {"x": 0.25, "y": 0.5, "w": 0.25, "h": 0.25}
    home = session.files.upload(_plain(2800, 1400, 50), "home.png")
    other = session.files.upload(_plain(400, 80, 220), "other.png")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="r", file_id=home.file_id, mm_per_pixel=0.5)
    )
    body = RecordCreate(task_id="t", reference_image_id=image.reference_image_id)
    record = session.records.create(body).inspection_id
    lost = {"download_url": f"/files/{'0' * 36}/content", "filename": "gone.png"}
    elsewhere = {"download_url": "https://example.org/x.png"}
    for info in (None, home.model_dump(mode="json"), other.model_dump(mode="json"), lost, elsewhere):
        place = {"point": point} if info is None else {"point": point, "fileInfo": info}
        values = {"item_name": "a", "inspection_id": record, "item_point": place}
        session.items.create(ItemCreate.model_validate(values))
    report = collect(session, record, "me", lambda *_: None)
    assert [item.on_overview for item in report.items] == [True, True, False, False, True]
    assert [item.region for item in report.items] == [
        Rect(700, 700, 700, 350),
        Rect(700, 700, 700, 350),
        Rect(100, 40, 100, 20),
        None,
        Rect(700, 700, 700, 350),
    ]
    assert [item.region_mm for item in report.items][:3] == [(350, 175), (350, 175), None]
    # It is made smaller, and what is drawn on it with it.
    assert (report.overview.width(), report.overview_scale) == (1400, 0.5)
    assert report.items[2].reference_crop.pixelColor(1, 1).red() == 220
    assert [(row.use, row.name) for row in report.evidence][1:] == [
        ("Reference image of item 3", "other.png"),
        ("Reference image of item 4", "gone.png"),
    ]


def test_evidence_has_the_hash_of_the_shown_content(qtbot: QtBot, session: Session) -> None:
    # An item takes any file by its address with the content id of another.
    shown, claimed = (session.files.upload(_plain(64, 64, grey), f"{grey}.png") for grey in (50, 220))
    lie = {"download_url": shown.download_url, "filename": "x.png", "ipfs_cid": claimed.ipfs_cid}
    lost = {**lie, "download_url": f"/api/files/{'0' * 36}/content"}
    record = session.records.create(RecordCreate(task_id="t")).inspection_id
    for info in (lie, lost):
        entry = {"version": 1, "isPassed": True, "progress": "done", "inputImage": info}
        body = {"item_name": "a", "inspection_id": record, "result": [entry]}
        session.items.create(ItemCreate.model_validate(body))
    report = collect(session, record, "me", lambda *_: None)
    assert [row.digest for row in report.evidence] == [shown.sha256, claimed.sha256]
    assert [item.photo_crop.isNull() for item in report.items] == [False, True]


def test_a_bitmap_is_shown(qtbot: QtBot, session: Session) -> None:
    pixels = np.full((40, 60, 3), (30, 60, 220), np.uint8)
    bitmap = session.files.upload(cv2.imencode(".bmp", pixels)[1].tobytes(), "scan.bmp")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="r", file_id=bitmap.file_id)
    )
    body = RecordCreate(task_id="t", reference_image_id=image.reference_image_id)
    report = collect(session, session.records.create(body).inspection_id, "me", lambda *_: None)
    assert (report.overview.width(), report.overview.height()) == (60, 40)
    assert report.overview.pixelColor(30, 20).name() == "#dc3c1e"


def _plain(width: int, height: int, grey: int) -> bytes:
    return bytes(cv2.imencode(".png", np.full((height, width, 3), grey, np.uint8))[1])


@pytest.mark.parametrize(
    ("provenance", "digest"),
    [
        ({"model_sha256": None, "program_version": "0.1.0"}, ["Included with Walkaround 0.1.0"]),
        ({"model_sha256": "f" * 64, "program_version": "0.1.0"}, ["f" * 64]),
        ({}, []),
    ],
)
def test_evidence_names_the_model(provenance: dict[str, Any], digest: list[str]) -> None:
    entry = {"version": 1, "isPassed": True, "progress": "done", "resultImage": {"boxes": []}}
    _, evidence = _reported({**entry, "provenance": provenance})
    assert [row.digest for row in evidence] == digest


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("timed_out", "Detection timed out. Use a smaller image or a faster model."),
        ("of a later version", "检测超时"),
    ],
)
def test_failure_sentence_has_the_language_of_the_report(qtbot: QtBot, code: str, note: str) -> None:
    entry = {"version": 1, "isPassed": False, "progress": "error", "resultImage": {"boxes": []}}
    error = {"code": code, "message": "检测超时"}
    item, _ = _reported({**entry, "error": error, "provenance": {"program_version": "0.1.0"}})
    assert item.note == note


def test_item_has_the_corrections_of_its_findings(qtbot: QtBot) -> None:
    correction = {"of_version": 1, "by": "u1", "by_name": "李四", "at": "2026-03-01T09:12:00Z"}
    entry = {"version": 2, "isPassed": True, "progress": "done", "resultImage": {"boxes": []}}
    item, _ = _reported({**entry, "correction": correction})
    assert [made.by for made in item.corrections] == ["李四"]


def _reported(entry: dict[str, Any]) -> tuple[ReportedItem, list[Evidence]]:
    """An item with this result in a report, and its evidence."""
    names = ("description", "model_name", "model_description", "item_point")
    item = Item.model_validate(
        dict.fromkeys(names)
        | {"item_id": "i", "item_name": "a", "inspection_id": "r", "model_id": "reference-difference"}
        | {"created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z", "result": [entry]}
    )
    evidence: list[Evidence] = []
    session = Session("http://127.0.0.1:9")
    pictures = Pictures(session)
    reported = report_item(1, item, None, pictures, evidence, {}, {})
    session.close()
    return reported, evidence


def test_photo_crop_includes_a_finding_outside_the_region(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(_plain(800, 600, 200))
    photo = open_image(path)
    region = Rect(100, 100, 100, 100)
    straight: Provenance = {"alignment": {"homography": np.eye(3).tolist()}}
    nobody = cast(Session, None)

    def crop(*boxes: Rect) -> QImage:
        findings = [Finding("crack", 1.0, box) for box in boxes]
        return photo_crop(Pictures(nobody), photo, findings, region, straight)

    inside = crop(Rect(120, 120, 20, 20))
    assert (inside.width(), inside.height()) == (116, 116)
    wide = crop(Rect(120, 120, 20, 20), Rect(500, 300, 50, 50))
    # From 100 to 550 and from 100 to 350, with a margin.
    scale = wide.width() / (450 * 1.16)
    assert wide.height() / scale == pytest.approx(250 + 0.16 * 450, abs=2)
    left, top = 100 - 0.08 * 450, 100 - 0.08 * 450
    edge = wide.pixelColor(round((500 - left) * scale), round((325 - top) * scale))
    assert edge.red() > edge.blue() + 50
    # Beyond the photo there is nothing to show.
    beyond = crop(Rect(700, 500, 500, 500))
    assert beyond.width() <= 800


@pytest.mark.parametrize("surface", ["#cf2f2a", "#101010", "#f8f8f8"])
def test_outline_of_a_finding_shows_on_every_surface(surface: str) -> None:
    image = QImage(340, 200, QImage.Format.Format_RGB32)
    image.fill(QColor(surface))
    outline_finding(image, QRectF(100, 50, 80, 60), 1 / 120)
    across = {image.pixelColor(x, 80).name() for x in range(90, 110)}
    assert len(across - {surface}) >= 1
    # In grey print, too, something of the outline differs from the surface.
    assert max(abs(QColor(name).lightness() - QColor(surface).lightness()) for name in across) > 80


def test_the_camera_of_the_photo_is_named(qtbot: QtBot, session: Session) -> None:
    photo = session.files.upload(
        camera_photo({0x010F: "Canon"}, {0x9003: "2020:05:01 10:00:01", 0x9011: "+08:00"}), "photo.jpg"
    )
    start = datetime(2026, 1, 1, tzinfo=UTC)
    record = session.records.create(RecordCreate(task_id="t", start_time=start)).inspection_id
    info = {"download_url": photo.download_url, "ipfs_cid": photo.ipfs_cid, "filename": photo.filename}
    entry = {"version": 1, "isPassed": True, "progress": "done", "inputImage": info}
    body = {"item_name": "a", "inspection_id": record, "result": [entry]}
    item = session.items.create(ItemCreate.model_validate(body)).value
    (without,) = collect(session, record, "me", lambda *_: None).items
    assert without.camera == ""
    session.items.add_photo(item.item_id, photo.file_id)
    report = collect(session, record, "me", lambda *_: None)
    assert report.items[0].camera == (
        "Taken 2020-05-01 10:00 +08:00, by the camera's clock\nCanon\nTaken before the record's start time."
    )
    assert "Taken before the record&#x27;s start time." in page(report)


def test_the_film_of_the_photo_is_evidence(qtbot: QtBot, session: Session) -> None:
    frame = FilmFrame(film="孔探.mp4", sha256="ab" * 32, number=25, at="00:02.500")
    data = encode_picture(gradient_pixels(64, 48), "JPEG", 1)
    photo = session.files.upload(add_xmp(data, film_frame_packet(frame)), "孔探.mp4 00-02.500.jpg")
    assert photo.camera is not None
    assert photo.camera.frame == frame
    record = session.records.create(RecordCreate(task_id="t")).inspection_id
    info = {"download_url": photo.download_url, "ipfs_cid": photo.ipfs_cid, "filename": photo.filename}
    entry = {"version": 1, "isPassed": True, "progress": "done", "inputImage": info}
    body = {"item_name": "a", "inspection_id": record, "result": [entry]}
    item = session.items.create(ItemCreate.model_validate(body)).value
    session.items.add_photo(item.item_id, photo.file_id)
    report = collect(session, record, "me", lambda *_: None)
    assert report.items[0].camera == "Frame of 孔探.mp4 at 00:02.500"
    assert Evidence("Film of item 1", "孔探.mp4", "ab" * 32) in report.evidence
