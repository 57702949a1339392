"""The report of a sealed edition: what was sealed, whatever the record is now."""

from __future__ import annotations

import itertools
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.messages.error_messages import sentence
from desktop.report import html, pdf
from desktop.report.collect import collect
from desktop.report.content import Evidence, Report, SealBrokenError
from desktop.report.edition import collect_edition
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.record.content import sha256_from_cid
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.detection import Severity
from shared.wire.inspection import ItemCreate, ItemUpdate, RecordCreate, RecordUpdate
from tests.films import make_film
from tests.narrowing import reread

BOX = {"label": "dent", "confidence": 0.5, "points": {"x1": 120, "y1": 100, "x2": 160, "y2": 140}}
# A test damages the stored photo, and equal contents are stored once: each test has a photo of its own.
_greys = itertools.count(90)


@dataclass
class TwiceSealedRecord:
    """A record that was sealed twice, with another name, verdict and number of items each time."""

    session: Session
    record_id: str
    data: Path
    photo_sha256: str

    def report(self, edition: int) -> Report:
        return collect_edition(self.session, self.record_id, edition, "张三", lambda *_: None)


@pytest.fixture
def twice_sealed(qtbot: QtBot, session: Session, data: Path) -> TwiceSealedRecord:
    home = session.files.upload(_plain(400, 300, 50), "home.png")
    photo = session.files.upload(_plain(400, 300, next(_greys)), "today.png")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="左翼", file_id=home.file_id, mm_per_pixel=0.5)
    )
    body = RecordCreate(
        task_id="t", inspection_name="first name", reference_image_id=image.reference_image_id
    )
    record_id = session.records.create(body).inspection_id
    unused = session.files.upload(_plain(400, 300, next(_greys)), "nobody.png")
    session.photos.add(record_id, unused.file_id)
    entry = {
        "inputImage": photo.model_dump(mode="json"),
        "resultImage": {"boxes": [BOX]},
        "isPassed": False,
        "progress": "done",
        "version": 1,
    }
    values = {
        "item_name": "前缘",
        "inspection_id": record_id,
        "item_point": {"point": {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}},
        "result": [entry],
    }
    session.detection.set_severities({"dent": Severity.MAJOR})
    item = session.items.create(ItemCreate.model_validate(values)).value
    session.items.set_verdict(item.item_id, Verdict.PASSED, "clean")
    session.records.finish(record_id)
    session.records.reopen(record_id, "the wrong wing")
    session.records.update(record_id, RecordUpdate(inspection_name="second name"), None)
    session.items.update(item.item_id, ItemUpdate(item_name="后缘"), None)
    other = session.items.create(ItemCreate(item_name="another", inspection_id=record_id)).value
    session.items.set_verdict(item.item_id, Verdict.FAILED, "crack")
    session.items.set_verdict(other.item_id, Verdict.PASSED, None)
    session.records.finish(record_id)
    return TwiceSealedRecord(session, record_id, data, photo.sha256)


def _plain(width: int, height: int, grey: int) -> bytes:
    return bytes(cv2.imencode(".png", np.full((height, width, 3), grey, np.uint8))[1])


def _texts(path: Path) -> list[str]:
    return [re.sub(r"\s+", "", page.extract_text()) for page in PdfReader(path).pages]


def test_earlier_edition_shows_its_sealed_content_and_the_newest_edition(
    twice_sealed: TwiceSealedRecord, tmp_path: Path
) -> None:
    first, second = twice_sealed.report(1), twice_sealed.report(2)
    assert (first.title, second.title) == ("first name", "second name")
    assert [(item.name, item.passed, item.reason) for item in first.items] == [("前缘", True, "clean")]
    assert [item.passed for item in second.items] == [False, True]
    assert (first.status, second.status) == ("passed", "failed")
    assert first.items[0].decided_by
    assert reread(first.items[0].region_mm) == (100, 75)
    assert not first.overview.isNull()
    assert not first.items[0].photo_crop.isNull()
    assert twice_sealed.photo_sha256 in [row.digest for row in first.evidence]
    pdf.write(first, tmp_path / "1.pdf")
    pdf.write(second, tmp_path / "2.pdf")
    pages = _texts(tmp_path / "1.pdf")
    assert all("Supersededbyedition2" in page for page in pages)
    assert not any("Superseded" in page for page in _texts(tmp_path / "2.pdf"))
    assert "Superseded by edition 2" in html.page(first)
    assert "Superseded" not in html.page(second)
    editions = twice_sealed.session.records.editions(twice_sealed.record_id)
    assert editions[0].seal in html.page(first)
    assert editions[1].seal not in html.page(first)


def test_severities_of_an_edition_are_the_sealed_ones(twice_sealed: TwiceSealedRecord) -> None:
    twice_sealed.session.detection.set_severities({"dent": Severity.MINOR})
    assert twice_sealed.report(1).items[0].findings[0].severity == "major"
    now = collect(twice_sealed.session, twice_sealed.record_id, "张三", lambda *_: None)
    assert now.items[0].findings[0].severity == "major"
    twice_sealed.session.records.reopen(twice_sealed.record_id, "again")
    now = collect(twice_sealed.session, twice_sealed.record_id, "张三", lambda *_: None)
    assert now.items[0].findings[0].severity == "minor"


def test_report_of_a_reopened_edition_is_marked(twice_sealed: TwiceSealedRecord, tmp_path: Path) -> None:
    twice_sealed.session.records.reopen(twice_sealed.record_id, "again")
    pdf.write(twice_sealed.report(2), tmp_path / "2.pdf")
    assert all("REOPENED" in page for page in _texts(tmp_path / "2.pdf"))


def test_edition_can_be_reported_after_the_record_was_deleted(twice_sealed: TwiceSealedRecord) -> None:
    twice_sealed.session.records.reopen(twice_sealed.record_id, "to delete it")
    twice_sealed.session.records.delete(twice_sealed.record_id)
    assert twice_sealed.report(1).title == "first name"


def test_picture_that_differs_from_the_sealed_one_is_not_shown(twice_sealed: TwiceSealedRecord) -> None:
    stored = next(twice_sealed.data.rglob(f"*{twice_sealed.photo_sha256[4:]}*"))
    stored.chmod(0o600)
    stored.write_bytes(_plain(400, 300, 200))
    first = twice_sealed.report(1)
    assert first.items[0].photo_crop.isNull()
    assert twice_sealed.photo_sha256 in [row.digest for row in first.evidence]


def test_content_that_does_not_match_its_seal_is_an_error(twice_sealed: TwiceSealedRecord) -> None:
    with closing(sqlite3.connect(twice_sealed.data / "walkaround.db", timeout=20)) as connection, connection:
        change = (
            "UPDATE record_edition SET content = replace(content, 'first', 'other')"
            " WHERE inspection_id = ? AND edition = 1"
        )
        assert connection.execute(change, (twice_sealed.record_id,)).rowcount == 1
    with pytest.raises(SealBrokenError) as raised:
        twice_sealed.report(1)
    assert "edition 1 does not match its seal" in sentence(raised.value)
    assert twice_sealed.report(2).title == "second name"


def test_photos_that_no_result_shows_are_named_with_their_hash(twice_sealed: TwiceSealedRecord) -> None:
    session, record_id = twice_sealed.session, twice_sealed.record_id
    unused = next(photo.file for photo in session.photos.list(record_id))
    row = Evidence("Photo without an item", "nobody.png", sha256_from_cid(unused.ipfs_cid or ""))
    assert row in twice_sealed.report(1).evidence
    assert row in collect(session, record_id, "me", lambda *_: None).evidence
    # A photo that no detection has seen, of an item.
    session.records.reopen(record_id, "one more photo")
    item = session.items.all(record_id)[0]
    later = session.files.upload(_plain(400, 300, next(_greys)), "later.png")
    session.items.add_photo(item.item_id, later.file_id)
    session.records.finish(record_id)
    further = Evidence("Further photo of item 1", "later.png", later.sha256)
    for report in (twice_sealed.report(3), collect(session, record_id, "me", lambda *_: None)):
        assert [line for line in report.evidence if line.digest in (row.digest, later.sha256)] == [
            further,
            row,
        ]


def test_films_of_the_record_are_named_with_size_and_hash(
    twice_sealed: TwiceSealedRecord, tmp_path: Path
) -> None:
    session, record_id = twice_sealed.session, twice_sealed.record_id
    session.records.reopen(record_id, "add the film")
    film = session.files.upload(make_film(tmp_path / "孔探.avi"))
    session.films.add(record_id, film.file_id)
    row = Evidence("Film of the record", f"孔探.avi ({QLocale().formattedDataSize(film.size)})", film.sha256)
    assert row in collect(session, record_id, "张三", lambda *_: None).evidence
    session.records.finish(record_id)
    assert row in twice_sealed.report(3).evidence
    assert row not in twice_sealed.report(2).evidence
