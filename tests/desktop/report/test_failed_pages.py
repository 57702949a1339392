"""Tests the pages of failed findings, the template file, settings and comments in a report."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from desktop.imaging import open_image
from desktop.report import html, pdf, report_terms
from desktop.report.content import ReportTemplate, TemplateError, read_template
from desktop.report.pictures import make_failed_findings
from shared.images.cv import cv2
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.shift import Comment
from tests.desktop.report.test_report import pdf_words, picture, report

SHIFT = 40


def _image_file(path: Path, image: np.ndarray) -> Path:
    good, data = cv2.imencode(".png", image)
    assert good
    path.write_bytes(bytes(data))
    return path


def _surface() -> np.ndarray:
    return np.random.default_rng(1).integers(60, 180, (400, 600, 3), np.uint8)


def _brightness(image: QImage) -> np.ndarray:
    return np.array(
        [
            [QColor(image.pixel(x, y)).lightness() for x in range(0, image.width(), 4)]
            for y in range(0, image.height(), 4)
        ]
    )


def test_reference_photo_and_difference_show_the_same_place(qtbot: QtBot, tmp_path: Path) -> None:
    surface = _surface()
    shifted = np.roll(surface, SHIFT, axis=1)
    # Darker light, and a defect that the reference image does not have.
    photo = (shifted * 0.8).astype(np.uint8)
    photo[190:210, 290:310] = 255
    finding = Finding("crack", 0.9, Rect(290, 190, 20, 20))
    (failed,) = make_failed_findings(
        3,
        "裂纹",
        [finding],
        open_image(_image_file(tmp_path / "r.png", surface)),
        open_image(_image_file(tmp_path / "p.png", photo)),
        [[1, 0, SHIFT], [0, 1, 0], [0, 0, 1]],
    )
    assert failed.reference.size() == failed.photo.size() == failed.difference.size()
    difference = _brightness(failed.difference)
    middle = difference[18:22, 38:42]
    around = np.concatenate([difference[:12].ravel(), difference[-12:].ravel()])
    assert middle.mean() > 4 * around.mean()


def test_finding_without_an_alignment_has_the_photo_alone(qtbot: QtBot, tmp_path: Path) -> None:
    source = open_image(_image_file(tmp_path / "p.png", _surface()))
    (failed,) = make_failed_findings(1, "n", [Finding("crack", 0.9, Rect(5, 5, 9, 9))], source, source, None)
    assert [name for name, _ in report_terms.failed_pictures(failed)] == ["Photo"]
    assert make_failed_findings(1, "n", [failed.finding], source, None, None) == []


def test_each_failed_finding_has_a_page_of_its_own(qtbot: QtBot, tmp_path: Path) -> None:
    source = open_image(_image_file(tmp_path / "p.png", _surface()))
    findings = [Finding("crack", 0.9, Rect(100 * n, 100, 30, 30)) for n in (1, 2)]
    identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    failed = make_failed_findings(2, "壁板", findings, source, source, identity)
    base = report(2)
    pdf.write(replace(base, failed=tuple(failed)), tmp_path / "b.pdf")
    pages = PdfReader(tmp_path / "b.pdf").pages
    texts = [page.extract_text() for page in pages]
    assert sum("Difference" in text for text in texts) == 2
    assert all("Region x" not in text for text in texts if "Difference" in text)
    assert html.page(replace(base, failed=tuple(failed))).count("<section class=full>") == 2


def test_template_adds_company_logo_and_signature_lines(qtbot: QtBot, tmp_path: Path) -> None:
    picture(80, 40, "#0b6fd6").save(str(tmp_path / "logo.png"))
    file = tmp_path / "template.toml"
    file.write_text(
        'company = "Example & Co"\nlogo = "logo.png"\nsignatures = ["Inspector", "Released by"]\n', "utf-8"
    )
    template = read_template(file)
    assert (template.logo.width(), template.logo.height()) == (80, 40)
    made = replace(report(1), template=template)
    pdf.write(made, tmp_path / "a.pdf")
    words = pdf_words(tmp_path / "a.pdf")
    assert "Example&Co" in words
    assert "Releasedby" in words
    assert "Signatureanddate" not in words
    page = html.page(made)
    assert "Example &amp; Co" in page
    assert page.count("<span class=sign>") == 2
    pdf.write(replace(made, template=ReportTemplate()), tmp_path / "b.pdf")
    assert "Signatureanddate" in pdf_words(tmp_path / "b.pdf")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("company = 3", "company"),
        ('logo = "none.png"', "logo"),
        ('signatures = "x"', "signatures"),
        ("signatures = [1]", "signatures"),
        ("company =", ""),
    ],
)
def test_template_that_cannot_be_used_names_its_entry(text: str, key: str, tmp_path: Path) -> None:
    file = tmp_path / "template.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(TemplateError) as raised:
        read_template(file)
    assert raised.value.key == key


def test_report_has_detection_settings_and_comments(qtbot: QtBot, tmp_path: Path) -> None:
    base = report(1)
    comment = Comment(
        comment_id="c",
        item_id="i",
        file_id="f",
        x=0.25,
        y=0.5,
        text="铆钉松动",
        written_by="u",
        written_by_name="李四 (li)",
        created_at=datetime(2026, 3, 1, 9, 12, tzinfo=UTC),
    )
    item = replace(
        base.items[0],
        settings={"sensitivity": 0.7, "smallest": 2.5, "confidence": 0.25},
        ignored_areas=2,
        comments=(comment,),
    )
    settings = "Detection: sensitivity 70%, minimum size 2.5, confidence from 0.25, 2 ignored area(s)"
    assert report_terms.settings(item) == settings
    assert report_terms.settings(base.items[0]) == ""
    page = html.page(replace(base, items=(item,)))
    assert settings in page
    assert "李四 (li), " in page
    assert "铆钉松动 (at 25% from the left, 50% from the top of the photo)" in page
    pdf.write(replace(base, items=(item,)), tmp_path / "a.pdf")
    words = pdf_words(tmp_path / "a.pdf")
    assert re.sub(r"\s+", "", settings) in words
    assert "铆钉松动" in words
