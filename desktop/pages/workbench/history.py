# ruff: noqa: N815 - Qt signals
"""The same region in earlier inspections: what was found, when, and whether it grew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.canvas.findings import Matrix, mapped_corners
from desktop.client import RecordFilter, Session
from desktop.detection_words import finding_word
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.document import ItemView, view_of
from desktop.pages.workbench.rows import findings_of, shown_detection, to_reference
from desktop.widgets import Button, Chip, Kind, Symbol, label
from desktop.workers import Lane, Task, run
from shared import results
from shared.geometry import Rect
from shared.wire.inspection import Item, Record

_RECORDS = 8
_SHOWN = 4
_SAME = 0.5
"""Regions that overlap at least this much (intersection over union) are the same."""
_GROWN = 1.25


class Trend(StrEnum):
    """How what was found compares with the inspection before."""

    NEW = "new"
    GROWN = "grown"
    UNCHANGED = "unchanged"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Earlier:
    """One earlier inspection of a region. `length` is the longest finding, in px of the reference image."""

    record_id: str
    at: datetime
    label: str
    count: int
    length: float | None
    passed: bool | None
    trend: Trend | None = None


Past = Sequence[tuple[Record, Sequence[Item]]]


def load_past(session: Session, record: Record) -> Past:
    """The earlier records of the same reference image with their items, newest first. Raises ClientError."""
    if record.reference_image_id is None:
        return ()
    where = RecordFilter(reference_image_id=record.reference_image_id)
    found = session.records.search(where, 1, _RECORDS * 4).data
    earlier = [
        one
        for one in found
        if one.created_at < record.created_at and one.inspection_id != record.inspection_id
    ]
    return [(one, session.items.all(one.inspection_id)) for one in earlier[:_RECORDS]]


def earlier_of(item: ItemView, past: Past) -> list[Earlier]:
    """What was found in the region of `item`, newest first, as far as anything was looked at there."""
    region = item.region(1000, 1000)
    if region is None:
        return []
    rows: list[Earlier] = []
    before: Earlier | None = None
    for record, items in reversed(past):
        same = _same_region(region, items)
        if same is None or not same.result:
            continue
        row = _row(record, same, before)
        rows.append(row)
        before = row
    return rows[::-1]


def _same_region(region: Rect, items: Sequence[Item]) -> ItemView | None:
    views = [view_of(item, item.item_id) for item in items]
    rects = [(view.region(1000, 1000), view) for view in views]
    scored = [(rect.iou(region), view) for rect, view in rects if rect is not None]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= _SAME else None


def _row(record: Record, item: ItemView, before: Earlier | None) -> Earlier:
    entry = shown_detection(item)
    findings = findings_of(entry)
    back = to_reference(entry)
    lengths = [_length(finding.rect, back) for finding in findings]
    known = [length for length in lengths if length is not None]
    length = max(known, default=None)
    return Earlier(
        record_id=record.inspection_id,
        at=(record.end_time or record.created_at).replace(tzinfo=UTC),
        label=findings[0].label if findings else "",
        count=len(findings),
        length=length,
        passed=results.passed(item.result),
        trend=_trend(len(findings), length, before),
    )


def _length(rect: Rect, back: Matrix | None) -> float | None:
    """The longer side of a box of the photo in px of the reference image; None without an alignment."""
    if back is None:
        return None
    corners = np.array(mapped_corners(rect, back))
    return float(np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).max())


def _trend(count: int, length: float | None, before: Earlier | None) -> Trend | None:
    if before is None:
        return None
    if count == 0:
        return Trend.GONE if before.count else None
    if before.count == 0:
        return Trend.NEW
    if length is None or before.length is None:
        return None
    return Trend.GROWN if length > before.length * _GROWN else Trend.UNCHANGED


class HistoryBox(QWidget):
    """Lists the earlier inspections of the chosen region; hidden when there are none."""

    openWanted = Signal(str)
    """The id of an earlier record that the person wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(Symbol("history", "dim", 14))
        head.addWidget(label(self.tr("Earlier inspections"), "label"))
        head.addStretch(1)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(self._grid)
        self.hide()

    def show_rows(self, rows: Sequence[Earlier], mm_per_pixel: float | None) -> None:
        """Show these, newest first."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for place, row in enumerate(rows[:_SHOWN]):
            day = row.at.astimezone().date().isoformat()
            link = Button(day, kind=Kind.QUIET)
            link.setToolTip(self.tr("Open this inspection"))
            link.clicked.connect(partial(self._open, row.record_id))
            tone = "dim" if row.passed is None else "passed" if row.passed else "failed"
            chip = Chip(self._said(row, mm_per_pixel), tone)
            self._grid.addWidget(link, place, 0, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(chip, place, 1, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(label(self._trend(row.trend), "small"), place, 2)
        self.setVisible(bool(rows))

    def _open(self, record_id: str, _checked: bool = False) -> None:
        self.openWanted.emit(record_id)

    def _said(self, row: Earlier, mm_per_pixel: float | None) -> str:
        if not row.count:
            return self.tr("Nothing found")
        name = finding_word(row.label)
        if row.length is None:
            return name
        if mm_per_pixel is None:
            return f"{name} {row.length:.0f} px"
        return f"{name} {row.length * mm_per_pixel:.0f} mm"

    def _trend(self, trend: Trend | None) -> str:
        match trend:
            case Trend.NEW:
                return self.tr("new")
            case Trend.GROWN:
                return self.tr("grown")
            case Trend.UNCHANGED:
                return self.tr("unchanged")
            case Trend.GONE:
                return self.tr("gone")
        return ""


class History(QObject):
    """Reads the earlier records once for each open record, and shows those of the chosen region."""

    def __init__(self, bench: Bench, box: HistoryBox, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._box = bench, box
        self._past: Mapping[str, Past] = {}
        self._reading: Task | None = None

    def show(self) -> None:
        """Show what is known of the chosen region."""
        document, item = self._bench.document, self._bench.item
        if document is None or item is None:
            self._box.show_rows((), None)
            return
        past = self._past.get(self._bench.record_id)
        if past is not None:
            self._box.show_rows(earlier_of(item, past), self._bench.mm_per_pixel)
            return
        self._box.show_rows((), None)
        if self._reading is None or self._reading.finished:
            record = document.record
            self._reading = run(
                load_past,
                self._bench.context.session,
                record,
                owner=self,
                done=partial(self._read, record.inspection_id),
                failed=lambda _: None,
                lane=Lane.LONG,
                priority=-1,
            )

    def _read(self, record_id: str, past: Past) -> None:
        self._past = {record_id: past}
        self.show()
