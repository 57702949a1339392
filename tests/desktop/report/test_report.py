"""The report as a reader sees it: text, pictures, pages."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader
from pypdf.generic import DictionaryObject, StreamObject
from PySide6.QtCore import QBuffer, QLocale, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.localization.dates import format_minute_in_zone
from desktop.report import html, pdf, pdf_drawing, report_terms
from desktop.report.content import Evidence, Report, ReportedCorrection, ReportedItem, ReportSeal
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.record.entries import EntryAppearance
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.detection import Severity
from tests.narrowing import as_instance


def picture(width: int, height: int, colour: str = "#9aa3ad") -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB888)
    image.fill(colour)
    painter = QPainter(image)
    painter.drawLine(0, 0, width, height)
    painter.end()
    return image


def item(number: int, passed: bool | None, name: str = "壁板裂纹") -> ReportedItem:
    return ReportedItem(
        number=number,
        name=f"{name} {number}",
        description="左翼根部，第 12 框与第 13 框之间",
        model="参考差分",
        region=Rect(100 * number % 1200, 80 * number % 700, 180, 120),
        region_mm=(90.0, 60.0),
        on_overview=True,
        reference_crop=picture(180, 120),
        photo_crop=picture(180, 120, "#8a939d"),
        findings=(Finding("crack", 0.93, Rect(10, 10, 30, 8)),) if passed is False else (),
        passed=passed,
        opinion=passed,
        verdict=Verdict.UNDECIDED if passed is None else Verdict("passed" if passed else "failed"),
        reason="裂纹长约 34 mm，已通知工程部" if passed is False else "",
        decided_by="" if passed is None else "张三",
        decided_at=None if passed is None else datetime(2026, 3, 1, 9, 12, tzinfo=UTC),
        version=2,
        note="",
    )


def report(items: int, title: str = "左翼根部航后检查") -> Report:
    return Report(
        title=title,
        subtitle="检查报告",
        status="failed",
        status_name="未通过",
        fields=(("飞机", "B-1234 波音 787"), ("航班", "CA1831"), ("检查人", "张三"), ("进度", "100 %")),
        overview=picture(800, 500),
        overview_scale=0.5,
        items=tuple(item(n, [True, False, None][n % 3]) for n in range(1, items + 1)),
        evidence=tuple(Evidence("照片", f"photo{n}.jpg", "0" * 64) for n in range(items)),
        made_at=datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
        made_by="张三",
        program="Walkaround 0.1.0",
        record={"record": {"inspection_name": title}},
    )


SEAL = ReportSeal("r-1", 2, "9f2b" * 16, "张三", datetime(2026, 3, 1, 9, 20, tzinfo=UTC))


def test_every_page_of_a_draft_is_marked(qtbot: QtBot, tmp_path: Path) -> None:
    pdf.write(report(12), tmp_path / "draft.pdf")
    pages = [page.extract_text() for page in PdfReader(tmp_path / "draft.pdf").pages]
    assert len(pages) > 2
    assert all("DRAFT" in page for page in pages)
    assert "class=draft" in html.page(report(1))


def test_line_breaks_and_long_names_stay_in_their_row(qtbot: QtBot, tmp_path: Path) -> None:
    rows = tuple(Evidence("Photo\nof item 1", f"a\n{'wing ' * 40}{n}.jpg", "0" * 64) for n in range(3))
    odd = replace(report(1, "Post flight\nleft wing"), evidence=rows)
    pdf.write(odd, tmp_path / "p.pdf")
    text = PdfReader(tmp_path / "p.pdf").pages[-1].extract_text()
    rows_of_text = [" ".join(row.split()) for row in text.splitlines()]
    assert rows_of_text.count("Photo of item 1") == 3
    assert [row[:6] + row[-5:] for row in rows_of_text if row.startswith("a wing")] == [
        f"a wing{n}.jpg" for n in range(3)
    ]
    assert "Post flight left wing" in rows_of_text


def test_every_page_of_a_record_awaiting_release_is_marked(qtbot: QtBot, tmp_path: Path) -> None:
    waits = replace(report(3), seal=replace(SEAL, awaits_release=True))
    pdf.write(waits, tmp_path / "waits.pdf")
    pages = [page.extract_text() for page in PdfReader(tmp_path / "waits.pdf").pages]
    assert all("AWAITINGREVIEW" in re.sub(r"\s+", "", page) for page in pages)
    assert "AWAITING REVIEW" in html.page(waits)


def test_every_page_of_a_sealed_report_shows_the_seal(qtbot: QtBot, tmp_path: Path) -> None:
    sealed = replace(report(12), seal=SEAL)
    pdf.write(sealed, tmp_path / "sealed.pdf")
    pages = [page.extract_text() for page in PdfReader(tmp_path / "sealed.pdf").pages]
    assert not any("DRAFT" in page for page in pages)
    assert all(SEAL.seal[:16] in page for page in pages)
    assert SEAL.seal in pdf_words(tmp_path / "sealed.pdf")
    assert "walkaround audit verify --record r-1" in html.page(sealed)


def test_qr_code_contains_record_edition_and_seal() -> None:
    modules = report_terms.qr_modules(SEAL)
    image = np.kron(~np.array(modules), np.ones((8, 8), bool)).astype(np.uint8) * 255
    text, *_ = cv2.QRCodeDetector().detectAndDecode(np.pad(image, 64, constant_values=255))
    assert text == f"walkaround-seal record=r-1 edition=2 sha256={SEAL.seal}"


def pdf_words(path: Path) -> str:
    pages = PdfReader(path).pages
    return re.sub(r"\s+", "", "".join(page.extract_text() for page in pages))


def test_pdf_contains_findings_as_selectable_chinese_text(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "报告 1.pdf"
    pdf.write(replace(report(3), seal=SEAL), path)
    text = pdf_words(path)
    for part in (
        "左翼根部航后检查",
        "飞机",
        "壁板裂纹1",
        "裂纹长约34mm，已通知工程部",
        "crack0.93",
        "张三",
        "未通过",
    ):
        assert part in text
    assert text.count("0" * 64) == 3


def test_pdf_contains_the_reason_of_a_failed_detection(qtbot: QtBot, tmp_path: Path) -> None:
    whole = report(1)
    noted = replace(whole.items[0], note="照片与标记区域对不上")
    pdf.write(replace(whole, items=(noted,)), tmp_path / "a.pdf")
    assert "照片与标记区域对不上" in pdf_words(tmp_path / "a.pdf")


def test_items_are_counted_by_verdict() -> None:
    assert report(4).counts == {"passed": 1, "failed": 2, "undecided": 1}


def test_the_size_of_a_region_is_width_by_height(qtbot: QtBot, tmp_path: Path) -> None:
    pdf.write(report(1), tmp_path / "a.pdf")
    assert "180×120px(90×60mm)" in pdf_words(tmp_path / "a.pdf")


def test_regions_are_scaled_to_the_overview(qtbot: QtBot) -> None:
    page = QImage(600, 400, QImage.Format.Format_RGB32)
    page.fill(QColor("#ffffff"))
    with QPainter(page) as painter:
        pages = pdf._Pages(painter, QPdfWriter(QBuffer()), report(1), lambda: False)
        _, paint = pages._overview()
        paint(0)
    # 800 px wide at half the size of the original, printed as wide as the page.
    share = pdf_drawing.WIDTH / 800 * 0.5
    left, middle = pdf_drawing.MARGIN + 100 * share, (80 + 60) * share
    colours = [page.pixelColor(round(left) + step, round(middle)) for step in (-1, 0, 1)]
    assert any(colour.red() > 180 and colour.green() < 100 for colour in colours)


def test_digits_and_latin_words_are_found_in_any_language_and_font(qtbot: QtBot, tmp_path: Path) -> None:
    before, font = QLocale(), QApplication.font()
    QLocale.setDefault(QLocale("en"))
    QApplication.setFont(QFont("Noto Sans CJK SC"))
    try:
        pdf.write(report(1, title="After-flight check of B-3059"), tmp_path / "report.pdf")
    finally:
        QLocale.setDefault(before)
        QApplication.setFont(font)
    assert "After-flightcheckofB-3059" in pdf_words(tmp_path / "report.pdf")


def test_the_pdf_declares_pdf_a_1b_and_embeds_its_fonts(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    pdf.write(report(1), path)
    reader = PdfReader(path)
    catalogue = as_instance(reader.trailer["/Root"], DictionaryObject)
    metadata = as_instance(catalogue["/Metadata"], StreamObject).get_data().decode()
    assert re.search(r"pdfaid:part\W+1\b", metadata)
    assert re.search(r"pdfaid:conformance\W+B\b", metadata)
    resources = as_instance(reader.pages[0]["/Resources"], DictionaryObject)
    fonts = as_instance(resources["/Font"], DictionaryObject)
    assert fonts
    for font in fonts.values():
        kind = font.get_object()
        descriptor = kind["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
        assert "/FontFile2" in descriptor or "/FontFile3" in descriptor


def test_every_page_is_numbered_and_no_item_is_cut(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    pdf.write(report(40), path)
    pages = [re.sub(r"\s+", "", page.extract_text()) for page in PdfReader(path).pages]
    assert len(pages) > 5
    for number, page in enumerate(pages, 1):
        assert f"Page{number}of{len(pages)}" in page
    assert all(f"{n}壁板裂纹{n}" in "".join(pages) for n in range(1, 41))


def test_large_picture_is_painted_in_bands(qtbot: QtBot, tmp_path: Path) -> None:
    pdf.write(report(1), tmp_path / "a.pdf")
    resources = as_instance(PdfReader(tmp_path / "a.pdf").pages[0]["/Resources"], DictionaryObject)
    images = as_instance(resources["/XObject"], DictionaryObject)
    pictures = [as_instance(images[name].get_object(), StreamObject) for name in images]
    bands = [picture for picture in pictures if as_instance(picture["/Width"], int) == 800]
    heights = [as_instance(band["/Height"], int) for band in bands]
    assert max(heights) <= 168
    # Each but the last has some of the next.
    assert sum(heights) - 8 * (len(heights) - 1) == 500


def test_bands_leave_no_gap_between_them(qtbot: QtBot) -> None:
    page = QImage(500, 500, QImage.Format.Format_RGB32)
    page.fill(QColor("#ffffff"))
    with QPainter(page) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        grey = QImage(800, 900, QImage.Format.Format_RGB888)
        grey.fill("#404040")
        pdf_drawing.paint_in_bands(painter, QRectF(3.3, 2.7, 400.1, 451.3), grey)
    inside = [page.pixelColor(200, y).lightness() for y in range(10, 450)]
    assert max(inside) - min(inside) <= 2


def test_cancelled_report_does_not_change_the_existing_file(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"the old one")
    pdf.write(report(3), path, cancelled=lambda: True)
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_an_error(qtbot: QtBot, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"."):
        pdf.write(report(1), tmp_path / "none" / "report.pdf")


def test_field_without_value_keeps_its_line(qtbot: QtBot, tmp_path: Path) -> None:
    names = ("Aircraft", "Flight", "Started", "Finished", "Progress", "Reference")
    fields = tuple((name, "" if name in ("Started", "Finished") else "x") for name in names)
    pdf.write(replace(report(1), fields=fields), tmp_path / "report.pdf")
    lines: dict[str, float] = {}

    def keep(text: str, at: list[float], within: list[float], *_font: object) -> None:
        lines[text.strip()] = within[5] * at[3] + at[5]

    PdfReader(tmp_path / "report.pdf").pages[0].extract_text(visitor_text=keep)
    left = [lines[name] for name in names[::2]]
    assert len(lines) > len(names)
    gaps = [abs(upper - lower) for upper, lower in pairwise(left)]
    assert gaps[0] == pytest.approx(gaps[1], rel=0.1)


def test_html_declares_its_language_and_counts_failures(qtbot: QtBot, tmp_path: Path) -> None:
    text = html.page(report(4))
    assert "<html lang=" in text
    assert ">Failed 2<" in text
    assert ">Passed 1<" in text
    assert "<h3>" in text


@pytest.mark.parametrize(("status", "colour"), [("failed", "#cf2f2a"), ("passed", "#1d8a54")])
def test_status_in_the_html_has_the_colour_of_the_outcome(qtbot: QtBot, status: str, colour: str) -> None:
    text = html.page(replace(report(1), status=status, status_name="the state", seal=SEAL))
    pill = re.search(r"<span class='pill (\w+)'>the state</span>", text)
    assert pill is not None
    assert re.search(rf"\.{pill.group(1)}{{background:{colour}}}", text)


def test_html_is_self_contained_and_escapes_typed_text(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    html.write(report(2, title="</script><script>alert(1)</script>"), path)
    text = path.read_text("utf-8")
    assert "<script>alert" not in text
    assert not re.search(r"""(src|href)=(?!["']data:)""", text)
    record = re.search(r'id="record">(.*?)</script>', text, re.DOTALL)
    assert record is not None
    assert json.loads(record.group(1))["record"]["inspection_name"] == "</script><script>alert(1)</script>"


def test_finding_text_has_author_severity_and_size() -> None:
    boxes = (
        Finding("crack", 0.93, Rect(0, 0, 9, 9), severity=Severity.CRITICAL, size_mm=(12.4, 3.25)),
        Finding("dent", 1.0, Rect(0, 0, 9, 9), is_drawn=True, author_name="李四", severity=Severity.MINOR),
        Finding("stain", 0.5, Rect(0, 0, 9, 9)),
    )
    line = report_terms.findings(replace(item(1, False), findings=boxes))
    assert line == "crack 0.93 (critical, 12 × 3.2 mm)   dent, drawn by 李四 (minor)   stain 0.50"


def test_report_names_the_person_who_corrected_the_findings(qtbot: QtBot, tmp_path: Path) -> None:
    at = datetime(2026, 3, 1, 9, 10, tzinfo=UTC)
    correction = ReportedCorrection("张三 (zhang3)", at, deleted=1, graded=2)
    time = format_minute_in_zone(at)
    sentence = f"Findings corrected by 张三 (zhang3), {time}: 1 deleted, 2 graded"
    assert report_terms.correction(correction) == sentence
    unchanged = f"Findings corrected by –, {time}"
    assert report_terms.correction(ReportedCorrection("", at)) == unchanged
    base = report(1)
    corrected = replace(base, items=(replace(base.items[0], corrections=(correction,)),))
    assert html.page(corrected).count(sentence) == 1
    pdf.write(corrected, tmp_path / "corrected.pdf")
    assert re.sub(r"\s+", "", sentence) in pdf_words(tmp_path / "corrected.pdf")


def test_report_counts_differences_explained_by_the_memory(qtbot: QtBot, tmp_path: Path) -> None:
    two_items = report(2)
    first, second = two_items.items
    two_items = replace(two_items, items=(replace(first, explained=3, memory_photos=5), second))
    sentence = "3 known variation(s) not reported, by 5 photo(s)"
    assert report_terms.explained_differences(two_items.items[0]) == sentence
    assert report_terms.explained_differences(second) == ""
    page = re.sub(r"&#x27;|&#39;", "'", html.page(two_items))
    assert page.count(sentence) == 1


def test_report_says_that_a_photo_was_compared_by_its_appearance() -> None:
    first, *_ = report(1).items
    appearance: EntryAppearance = {
        "distance": 0.1,
        "limit": 0.3,
        "share": 0.25,
        "photos": 3,
        "place": "fixed",
    }
    item = replace(first, appearance=appearance, settings={"sensitivity": 0.5, "min_confidence": 0.5})
    sentence = "Compared by appearance with 3 passed photo(s); 25.0% of them are as unusual"
    assert report_terms.coverage(item) == sentence
    # These have no effect on it.
    assert report_terms.settings(item) == ""
    assert report_terms.settings(replace(item, ignored_areas=2)) == "Detection: 2 ignored area(s)"


def test_report_names_items_that_were_not_inspected(qtbot: QtBot, tmp_path: Path) -> None:
    base = report(3)
    plain, partly, unseen = (replace(each, findings=()) for each in base.items)
    partly = replace(
        partly,
        coverage={"inspected": 0.7512, "ignored": 0.1, "required": 0.95},
        is_incomplete=True,
        used_in="昨天的检查",
    )
    unseen = replace(unseen, is_detected=False, opinion=None)
    assert report_terms.findings(plain) == "No findings"
    assert report_terms.findings(unseen) == "Not detected"
    assert report_terms.opinion(partly) == "Model's opinion: not inspected completely"
    sentence = "75% of the region inspected, 10% ignored; not inspected completely, 95% required"
    assert report_terms.coverage(partly) == sentence
    assert report_terms.coverage(plain) == ""
    whole = replace(base, items=(plain, partly, unseen))
    for text in (sentence, "Not detected", "Photo already used in 昨天的检查"):
        assert html.page(whole).count(text) == 1
    pdf.write(whole, tmp_path / "a.pdf")
    words = pdf_words(tmp_path / "a.pdf")
    assert "Notdetected" in words
    assert "95%required" in words
