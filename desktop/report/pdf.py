"""Writes a report as PDF/A-1b in A4 with selectable text and embedded fonts; may run in any thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QMarginsF, QRectF, Qt
from PySide6.QtGui import QColor, QPageLayout, QPageSize, QPainter, QPdfWriter, QPen

from desktop.localization.dates import format_minute_in_zone
from desktop.report import report_terms
from desktop.report.content import FailedFinding, Report, ReportedItem
from desktop.report.pdf_drawing import (
    ACCENT,
    DIM,
    FOOTER,
    INK,
    LINE,
    MARGIN,
    OUTCOME,
    PAGE_H,
    PAGE_W,
    QR_SIDE,
    STATUS,
    WIDTH,
    Drawing,
    make_searchable,
    paint_in_bands,
    value_size,
)
from shared.record.codes import Status
from shared.system import atomic

RESOLUTION = 144
_WATERMARK = QColor("#f1e6d2")
_WATERMARK_PX = 120.0
_LOGO_HEIGHT = 44.0
_SIGNATURE_HEIGHT = 52.0

Block = tuple[float, Callable[[float], None]]
"""The height of a block in points, and the function that paints it with its top at the given y."""


def write(report: Report, path: Path, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Write `report` to `path` atomically.

    `cancelled` is called between blocks; once it returns True, nothing is written. Raises OSError when the
    file cannot be written, and MissingGlyphsError for a character that no font of this computer has, because
    Qt would write a NUL instead of it.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPdfVersion(QPdfWriter.PdfVersion.PdfVersion_A1b)
    writer.setResolution(RESOLUTION)
    writer.setTitle(report.title)
    writer.setCreator(report.program)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)
        )
    )
    painter = QPainter(writer)
    painter.scale(RESOLUTION / 72, RESOLUTION / 72)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    try:
        finished = _Pages(painter, writer, report, cancelled).paint()
    finally:
        painter.end()
    if finished:
        atomic.write_file(path, make_searchable(bytes(buffer.data().data())), durable=True)


class _Pages:
    """Puts blocks on pages. Measures all blocks first, so that every footer can show "Page n of N"."""

    def __init__(
        self, painter: QPainter, writer: QPdfWriter, report: Report, cancelled: Callable[[], bool]
    ) -> None:
        self.painter = painter
        self.writer = writer
        self.report = report
        self.cancelled = cancelled
        self._draw = Drawing(painter)

    def paint(self) -> bool:
        """Paint every page. Returns False if it was cancelled."""
        pages: list[list[Block]] = [[]]
        page_height = PAGE_H - 2 * MARGIN - FOOTER
        remaining_height = page_height
        for block in self._blocks():
            if block[0] > remaining_height and pages[-1]:
                pages.append([])
                remaining_height = page_height
            pages[-1].append(block)
            remaining_height -= block[0]
        for number, page in enumerate(pages, 1):
            if number > 1:
                self.writer.newPage()
            self._watermark()
            y = MARGIN
            for height, paint in page:
                if self.cancelled():
                    return False
                paint(y)
                y += height
            self._footer(number, len(pages))
        return True

    def _blocks(self) -> list[Block]:
        blocks = [self._letterhead(), self._header(), self._fields(), self._overview()]
        blocks += [self._item(item) for item in self.report.items]
        blocks += [self._failed(failed) for failed in self.report.failed]
        evidence = [self._evidence(start) for start in range(0, len(self.report.evidence), 20)]
        # The signature must not be alone on a page.
        return [
            *blocks,
            *evidence[:-1],
            _unbreakable_block([*evidence[-1:], self._seal(), self._signature()]),
        ]

    def _letterhead(self) -> Block:
        """The logo and the company of the template; nothing without them."""
        template = self.report.template
        logo = template.logo
        if logo.isNull() and not template.company:
            return 0.0, lambda _y: None
        scale = 0.0 if logo.isNull() else min(160 / logo.width(), _LOGO_HEIGHT / logo.height())
        width = logo.width() * scale

        def paint(y: float) -> None:
            if width:
                self.painter.drawImage(QRectF(MARGIN, y, width, logo.height() * scale), logo)
            left = width + 12 if width else 0.0
            self._draw.text(MARGIN + left, y + 10, WIDTH - left, template.company, 12, INK, True)

        return _LOGO_HEIGHT + 12, paint

    def _failed(self, failed: FailedFinding) -> Block:
        """A page of its own for a failed finding."""
        title = f"{failed.number}  {failed.name}: {report_terms.finding(failed.finding)}"
        height = PAGE_H - 2 * MARGIN - FOOTER
        top = self._draw.height(WIDTH, title, 12, True) + 12
        pictures = report_terms.failed_pictures(failed)

        def paint(y: float) -> None:
            self._draw.text(MARGIN, y, WIDTH, title, 12, INK, True)
            y += top
            room = (height - top) / len(pictures)
            for name, image in pictures:
                self._draw.text(MARGIN, y, WIDTH, name, 8, DIM)
                scale = min(WIDTH / image.width(), (room - 24) / image.height())
                place = QRectF(MARGIN, y + 13, image.width() * scale, image.height() * scale)
                paint_in_bands(self.painter, place, image)
                y += room

        return height, paint

    def _header(self) -> Block:
        title = self._draw.height(WIDTH - 110, self.report.title, 19, True)
        draft = report_terms.mark(self.report.seal)

        def paint(y: float) -> None:
            self._draw.text(MARGIN, y, WIDTH - 110, self.report.title, 19, INK, True)
            self._draw.text(MARGIN, y + title + 2, WIDTH - 110, self.report.subtitle, 10, DIM)
            if draft:
                self._draw.pill_at_right(y + 4, draft, OUTCOME[None])
            else:
                self._draw.pill_at_right(y + 4, self.report.status_name, STATUS[Status(self.report.status)])
            self.painter.setPen(QPen(ACCENT, 1.5))
            line = y + title + 22
            self.painter.drawLine(int(MARGIN), int(line), int(PAGE_W - MARGIN), int(line))

        return title + 34, paint

    def _fields(self) -> Block:
        half = WIDTH / 2
        pairs = [(label, value or "–") for label, value in self.report.fields]
        rows = [pairs[index : index + 2] for index in range(0, len(pairs), 2)]
        heights = [
            max(
                max(self._draw.height(84, label), self._draw.height(half - 96, value, value_size(value)))
                for label, value in row
            )
            + 6
            for row in rows
        ]
        counts = self.report.counts

        def paint(y: float) -> None:
            for row, height in zip(rows, heights, strict=True):
                for column, (label, value) in enumerate(row):
                    self._draw.text(MARGIN + column * half, y, 84, label, 9, DIM)
                    self._draw.text(MARGIN + column * half + 88, y, half - 96, value, value_size(value))
                y += height
            x = MARGIN
            for passed, key in ((True, "passed"), (False, "failed"), (None, "undecided")):
                text = f"{report_terms.outcome(passed)}  {counts[key]}"
                x += self._draw.pill(x, y + 4, text, OUTCOME[passed]) + 8

        return sum(heights) + 34, paint

    def _overview(self) -> Block:
        image = self.report.overview
        if image.isNull():
            return 0.0, lambda _y: None
        scale = min(WIDTH / image.width(), 330 / image.height())
        width, height = image.width() * scale, image.height() * scale

        def paint(y: float) -> None:
            x = MARGIN + (WIDTH - width) / 2
            paint_in_bands(self.painter, QRectF(x, y, width, height), image)
            factor = scale * self.report.overview_scale
            for item in self.report.items:
                if item.region is not None and item.on_overview:
                    region = QRectF(
                        x + item.region.x * factor,
                        y + item.region.y * factor,
                        item.region.w * factor,
                        item.region.h * factor,
                    )
                    self._draw_region(region, item)

        return height + 16, paint

    def _draw_region(self, region: QRectF, item: ReportedItem) -> None:
        colour = OUTCOME[item.passed]
        self.painter.setPen(QPen(colour, 1.2))
        self.painter.drawRect(region)
        self.painter.setFont(self._draw.font(8, True))
        width = self.painter.fontMetrics().horizontalAdvance(str(item.number)) + 6.0
        tag = QRectF(region.x(), max(region.y() - 11, 0), width, 11)
        self.painter.fillRect(tag, colour)
        self._draw.text(
            tag.x(),
            tag.y(),
            width,
            str(item.number),
            8,
            QColor("#ffffff"),
            True,
            11,
            Qt.AlignmentFlag.AlignCenter,
        )

    def _item(self, item: ReportedItem) -> Block:
        pictures_width = 236.0
        text_width = WIDTH - pictures_width - 14
        lines = [
            (item.description, 9, INK, False),
            (item.model, 9, DIM, False),
            (report_terms.region(item), 8, DIM, False),
            (report_terms.findings(item), 9, INK, False),
            *((report_terms.correction(correction), 8, DIM, False) for correction in item.corrections),
            (report_terms.settings(item), 8, DIM, False),
            (report_terms.coverage(item), 8, OUTCOME[False] if item.is_incomplete else DIM, False),
            (report_terms.explained_differences(item), 8, DIM, False),
            (report_terms.opinion(item), 9, DIM, False),
            (report_terms.decision(item), 9, OUTCOME[item.passed], True),
            (item.reason, 9, INK, False),
            (item.note, 9, OUTCOME[False], False),
            (item.camera, 8, DIM, False),
            (report_terms.used_photo(item), 8, OUTCOME[False], False),
            *((report_terms.comment(comment), 8, INK, False) for comment in item.comments),
        ]
        visible_lines = [line for line in lines if line[0]]
        name = f"{item.number}  {item.name}"
        title = self._draw.height(WIDTH - 90, name, 12, True)
        text = sum(self._draw.height(text_width, line[0], line[1], line[3]) + 3 for line in visible_lines)
        height = (
            title
            + 12
            + max(text, 0.0 if item.reference_crop.isNull() and item.photo_crop.isNull() else 96.0)
            + 14
        )

        def paint(y: float) -> None:
            self.painter.setPen(QPen(LINE, 0.8))
            self.painter.drawLine(int(MARGIN), int(y), int(PAGE_W - MARGIN), int(y))
            y += 7
            self._draw.text(MARGIN, y, WIDTH - 90, name, 12, INK, True)
            self._draw.pill_at_right(y, report_terms.outcome(item.passed), OUTCOME[item.passed])
            y += title + 5
            self._draw.picture(MARGIN, y, (pictures_width - 6) / 2, item.reference_crop)
            self._draw.picture(
                MARGIN + (pictures_width + 6) / 2, y, (pictures_width - 6) / 2, item.photo_crop
            )
            for line, size, colour, bold in visible_lines:
                self._draw.text(MARGIN + pictures_width + 14, y, text_width, line, size, colour, bold)
                y += self._draw.height(text_width, line, size, bold) + 3

        return height, paint

    def _evidence(self, start: int) -> Block:
        part = self.report.evidence[start : start + 20]

        def paint(y: float) -> None:
            title = QCoreApplication.translate("Report", "Evidence: files and their SHA-256")
            self._draw.text(MARGIN, y + 6, WIDTH, title if start == 0 else "", 11, INK, True)
            y += 26
            for row in part:
                self._draw.line(MARGIN, y, 96, row.use, 8, DIM)
                self._draw.line(MARGIN + 100, y, 120, row.name, 8, INK)
                self._draw.line(MARGIN + 224, y, WIDTH - 224, row.digest, 7, DIM)
                y += 12

        return 32.0 + 12 * len(part), paint

    def _signature(self) -> Block:
        one = QCoreApplication.translate("Report", "Signature and date")
        signs = self.report.template.signatures or (one,)

        def paint(y: float) -> None:
            text = QCoreApplication.translate(
                "Report", "Created by {person} on {time} with {program}"
            ).format(
                person=self.report.made_by,
                time=format_minute_in_zone(self.report.made_at),
                program=self.report.program,
            )
            self._draw.text(MARGIN, y + 10, WIDTH, text, 9, DIM)
            for number, sign in enumerate(signs):
                x = MARGIN + (number % 2) * (WIDTH / 2)
                line = y + 62 + (number // 2) * _SIGNATURE_HEIGHT
                self.painter.setPen(QPen(DIM, 0.8))
                self.painter.drawLine(int(x), int(line), int(x + 220), int(line))
                self._draw.text(x, line + 4, 220, sign, 8, DIM, height=20)

        return 84.0 + (len(signs) - 1) // 2 * _SIGNATURE_HEIGHT, paint

    def _seal(self) -> Block:
        """The seal with its QR code; nothing on a draft."""
        report_seal = self.report.seal
        if report_seal is None:
            return 0.0, lambda _y: None
        lines = report_terms.seal_lines(report_seal)
        modules = report_terms.qr_modules(report_seal)
        right = WIDTH - QR_SIDE - 16
        heights = [self._draw.height(right, line, value_size(line)) + 3 for line in lines]

        def paint(y: float) -> None:
            title = QCoreApplication.translate("Report", "Seal")
            self._draw.text(MARGIN, y + 6, WIDTH, title, 11, INK, True)
            self._draw.qr(MARGIN, y + 26, modules)
            y += 26
            for line, height in zip(lines, heights, strict=True):
                self._draw.text(MARGIN + QR_SIDE + 16, y, right, line, value_size(line))
                y += height

        return 34 + max(sum(heights), QR_SIDE), paint

    def _watermark(self) -> None:
        """Paint the watermark of a report that is not final across the page, below all other content."""
        text = report_terms.mark(self.report.seal)
        if not text:
            return
        self.painter.save()
        self.painter.translate(PAGE_W / 2, PAGE_H / 2)
        self.painter.rotate(-54)
        font = self._draw.font(_WATERMARK_PX, True)
        self.painter.setFont(font)
        text_width = self.painter.fontMetrics().horizontalAdvance(text)
        size = min(_WATERMARK_PX, _WATERMARK_PX * (PAGE_H - 4 * MARGIN) / text_width)
        self._draw.text(
            -PAGE_H / 2, -size, PAGE_H, text, size, _WATERMARK, True, align=Qt.AlignmentFlag.AlignHCenter
        )
        self.painter.restore()

    def _footer(self, number: int, total: int) -> None:
        y = PAGE_H - MARGIN - 8
        page = QCoreApplication.translate("Report", "Page {number} of {total}").format(
            number=number, total=total
        )
        text = report_terms.mark(self.report.seal) or report_terms.footer(self.report.seal)
        self._draw.line(MARGIN, y, WIDTH - 290, self.report.title, 8, DIM)
        self._draw.text(PAGE_W - MARGIN - 290, y, 196, text, 8, DIM, align=Qt.AlignmentFlag.AlignRight)
        self._draw.text(PAGE_W - MARGIN - 90, y, 90, page, 8, DIM, align=Qt.AlignmentFlag.AlignRight)


def _unbreakable_block(blocks: list[Block]) -> Block:
    """Join `blocks` into one block that no page break divides."""

    def paint(y: float) -> None:
        for height, part in blocks:
            part(y)
            y += height

    return sum(height for height, _ in blocks), paint
