"""An inspection out of the real service, and where a person writes it to."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from desktop.background.workers import Cancelled, ProgressReport
from desktop.client import Session
from desktop.exchange.data.column_terms import CODES
from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.formats import csv_table, walkaround_json
from desktop.exchange.gather import collect_inspection
from desktop.exchange.registry import FORMATS, read_regions
from desktop.pages.common.files.export import _write, choose_format, column_terms_in_language
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.record.geometry import Rect
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.client_session import open_session
from tests.desktop.exchange.samples import box
from tests.narrowing import not_none
from tests.pictures import camera_photo
from tests.service_process import service_process

JSON, CSV, COCO, YOLO, CVAT = FORMATS


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with service_process(tmp_path_factory.mktemp("data")) as url, open_session(url) as session:
        yield session


def rotated_jpeg(width: int, height: int, orientation: int) -> bytes:
    """A JPEG stored as `width` x `height` px with this EXIF orientation."""
    pixels = np.full((height, width, 3), 127, np.uint8)
    jpeg = bytes(cv2.imencode(".jpg", pixels)[1])
    # TIFF, little endian, one entry: tag 0x0112 (orientation), a SHORT.
    tiff = b"II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"
    tiff += orientation.to_bytes(4, "little") + b"\x00\x00\x00\x00"
    body = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + jpeg[2:]


def entry(info: dict[str, Any]) -> dict[str, Any]:
    boxes = [box("裂纹", Rect(1, 2, 3, 4))]
    return {
        "inputImage": info,
        "resultImage": {"boxes": boxes},
        "isPassed": False,
        "progress": "done",
        "version": 1,
    }


def make_record(session: Session, reference_image_id: str | None, *entries: dict[str, Any]) -> str:
    body = RecordCreate(task_id="t", inspection_name="左翼", reference_image_id=reference_image_id)
    record = session.records.create(body)
    for number, result_entry in enumerate(entries, 1):
        values = {
            "item_name": f"条目 {number}",
            "inspection_id": record.inspection_id,
            "item_point": {"point": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}},
            "result": [result_entry],
        }
        session.items.create(ItemCreate.model_validate(values))
    return record.inspection_id


@pytest.mark.parametrize("orientation", range(1, 9))
def test_sizes_are_upright_in_every_orientation(session: Session, orientation: int) -> None:
    stored = session.files.upload(rotated_jpeg(64, 32, orientation), f"机身 {orientation}.jpg")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name=f"机身 {orientation}", file_id=stored.file_id)
    )
    record_id = make_record(
        session,
        image.reference_image_id,
        entry({"file_id": stored.file_id}),
        entry({"download_url": stored.download_url}),
        entry({"filename": "别处.jpg", "width": 7, "height": 5}),
        entry({"download_url": "https://example.org/x.jpg"}),
        entry({"file_id": "gone"}),
    )
    steps: list[tuple[int, int]] = []
    whole = collect_inspection(session, record_id, lambda done, total: steps.append((done, total)))
    width, height = (64, 32) if orientation < 5 else (32, 64)
    upright = ExportedPicture(f"机身 {orientation}.jpg", width, height, stored.ipfs_cid)
    assert whole.reference == upright
    assert [whole.photos.get(item.item_id) for item in whole.items] == [
        upright,
        upright,
        ExportedPicture("别处.jpg", 7, 5),
        None,
        None,
    ]
    region = whole.facts()[0].region
    assert region is not None
    assert (region.x, region.w) == pytest.approx((0.1 * width, 0.3 * width))
    assert (region.y, region.h) == pytest.approx((0.2 * height, 0.4 * height))
    assert steps == [(done, 5) for done in range(6)]
    for export_format in FORMATS:
        drafts = read_regions(export_format.write(whole), export_format.file_name("x"), upright)
        assert len(drafts) == 5
        assert drafts[0].rect.w == pytest.approx(region.w, abs=1e-6)


def test_item_with_another_reference_file_is_exported_on_it(session: Session) -> None:
    home = session.files.upload(rotated_jpeg(200, 100, 1), "home.jpg")
    other = session.files.upload(rotated_jpeg(400, 80, 1), "home.jpg")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="r", file_id=home.file_id)
    )
    body = RecordCreate(task_id="t", reference_image_id=image.reference_image_id)
    record_id = session.records.create(body).inspection_id
    for name, stored in (("a", home), ("b", other)):
        place = {"point": {"x": 0.25, "y": 0.5, "w": 0.25, "h": 0.25}, "fileInfo": stored.model_dump()}
        values = {"item_name": name, "inspection_id": record_id, "item_point": place}
        session.items.create(ItemCreate.model_validate(values))
    whole = collect_inspection(session, record_id, lambda *_: None)
    assert [facts.region for facts in whole.facts()] == [Rect(50, 50, 50, 25), Rect(100, 40, 100, 20)]
    # The first names what the record has anyway.
    assert set(whole.item_references) == {whole.items[1].item_id}
    assert walkaround_json.read_inspection(walkaround_json.write(whole)) == whole
    homes = ExportedPicture("home.jpg", 200, 100, home.ipfs_cid)
    for export_format in (COCO, YOLO):
        (draft,) = read_regions(export_format.write(whole), export_format.file_name("x"), homes)
        assert draft.name == "a"
        assert draft.rect.w == pytest.approx(50)
    (draft,) = read_regions(
        COCO.write(whole), COCO.file_name("x"), ExportedPicture("?", 400, 80, other.ipfs_cid)
    )
    assert (draft.name, draft.rect) == ("b", Rect(100, 40, 100, 20))


def test_verdicts_are_collected_without_a_reference_image(session: Session) -> None:
    record_id = make_record(session, "unknown image", entry({}))
    (item,) = session.items.all(record_id)
    session.items.set_verdict(item.item_id, Verdict.PASSED, "只是反光")
    whole = collect_inspection(session, record_id, lambda *_: None)
    assert whole.reference is None
    (facts,) = whole.facts()
    # A client entered the result: it is not a model's opinion.
    assert (facts.verdict, facts.opinion, facts.reason) == (Verdict.PASSED, None, "只是反光")
    assert walkaround_json.read_inspection(walkaround_json.write(whole)) == whole


def test_export_of_a_sealed_record_names_its_seal_and_deciders(session: Session) -> None:
    record_id = make_record(session, None, entry({}), entry({}))
    plain, failed = session.items.all(record_id)
    open_one = collect_inspection(session, record_id, lambda *_: None)
    assert json.loads(walkaround_json.write(open_one))["seal"]["state"] == "open"
    session.items.set_verdict(plain.item_id, Verdict.PASSED, "只是反光")
    session.items.set_verdict(failed.item_id, Verdict.FAILED, "裂纹")
    session.records.finish(record_id)
    newest = not_none(session.records.seal(record_id).newest)
    whole = collect_inspection(session, record_id, lambda *_: None)
    document = json.loads(walkaround_json.write(whole))
    assert walkaround_json.read_inspection(walkaround_json.write(whole)) == whole
    assert document["seal"]["state"] == "finished"
    assert document["seal"]["newest"] == newest.model_dump(mode="json")
    who = newest.finished_by_name or newest.finished_by
    decisions = document["decisions"]
    assert decisions[plain.item_id]["accepted_opinion_of_version"] is None
    assert decisions[plain.item_id]["reason"] == "只是反光"
    assert decisions[failed.item_id]["reason"] == "裂纹"
    assert {decision["decided_by"] for decision in decisions.values()} == {who}
    first, second = csv.DictReader(csv_table.write(whole).decode("utf-8-sig").splitlines())
    for row in (first, second):
        assert (row["state"], row["outcome"], row["edition"]) == ("finished", "failed", "1")
        assert (row["seal"], row["finished_by"], row["decided_by"]) == (newest.seal, who, who)
        assert row["finished_at"] == newest.model_dump(mode="json")["finished_at"]
        assert row["released_by"] == ""
    assert (first["accepted_opinion_of_version"], second["accepted_opinion_of_version"]) == ("", "")
    (terms_row, _) = csv.DictReader(
        csv_table.write(whole, column_terms_in_language()).decode("utf-8-sig").splitlines()
    )
    assert (terms_row["state"], terms_row["outcome"]) == ("Sealed", "Failed")


def test_collecting_ends_when_it_is_cancelled(session: Session) -> None:
    record_id = make_record(session, None, entry({}))

    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        collect_inspection(session, record_id, stop)


def test_typed_file_name_selects_the_format() -> None:
    cases = [
        ("a", JSON, "a.json", JSON),
        ("a", COCO, "a-coco.zip", COCO),
        ("a.csv", JSON, "a.csv", CSV),
        ("a.JSON", CSV, "a.JSON", JSON),
        ("a.zip", YOLO, "a.zip", YOLO),
        ("a-yolo.zip", JSON, "a-yolo.zip", YOLO),
        ("a-cvat.zip", JSON, "a-cvat.zip", CVAT),
        ("a.zip", JSON, "a.zip.json", JSON),
        ("v1.2 左翼", CSV, "v1.2 左翼.csv", CSV),
    ]
    for typed, chosen, path, expected_format in cases:
        assert choose_format(Path(typed), chosen) == (Path(path), expected_format), typed


def test_a_dataset_is_written_with_its_pictures_upright(session: Session, tmp_path: Path) -> None:
    sideways = session.files.upload(rotated_jpeg(64, 32, 6), "turned.jpg")
    plain = session.files.upload(rotated_jpeg(80, 40, 1), "plain.jpg")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="r", file_id=plain.file_id)
    )
    known_photo = {"file_id": sideways.file_id, "download_url": sideways.download_url}
    elsewhere = {"filename": "b.jpg", "width": 7, "height": 5, "download_url": "https://example.org/b.jpg"}
    record_id = make_record(session, image.reference_image_id, entry(known_photo), entry(elsewhere))
    task = cast(ProgressReport, IgnoredProgress())
    for export_format, folders in (
        (COCO, ("images/regions", "images/findings")),
        (YOLO, ("regions/images", "findings/images")),
        (CVAT, ("images/regions", "images/findings")),
    ):
        path = tmp_path / f"{export_format.format_id}.zip"
        assert _write(task, session, record_id, path, export_format, True, CODES) == 1
        with zipfile.ZipFile(path) as archive:
            assert archive.read(f"{folders[0]}/plain.jpg") == rotated_jpeg(80, 40, 1)
            photo = archive.read(f"{folders[1]}/0001-turned.jpg")
            assert f"{folders[1]}/0002-b.jpg" not in archive.namelist()
        pixels = not_none(
            cv2.imdecode(np.frombuffer(photo, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
        )
        assert pixels.shape[:2] == (64, 32)
        assert read_regions(path.read_bytes(), path.name, ExportedPicture("plain.jpg", 80, 40))
        assert _write(task, session, record_id, path, export_format, False, CODES) == 0
        with zipfile.ZipFile(path) as archive:
            assert not [name for name in archive.namelist() if name.endswith(".jpg")]
    assert not list(tmp_path.glob(".*"))


class IgnoredProgress:
    """A report to which nothing is said."""

    def __call__(self, _share: float) -> None: ...

    def check(self) -> None: ...


def test_the_camera_of_a_photo_is_exported(session: Session) -> None:
    photo = session.files.upload(
        camera_photo({0x010F: "Canon"}, {0x9003: "2020:05:01 10:00:01"}), "photo.jpg"
    )
    info = photo.model_dump(mode="json")
    record_id = make_record(session, None, entry(info))
    (item,) = session.items.all(record_id)
    session.items.add_photo(item.item_id, photo.file_id)
    inspection = collect_inspection(session, record_id, lambda *_: None)
    exported_photo = json.loads(JSON.write(inspection))["photos"][item.item_id]
    assert exported_photo["camera"] == {"taken_at": "2020-05-01T10:00:01", "make": "Canon"}
