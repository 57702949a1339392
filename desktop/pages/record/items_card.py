"""Lists the items of a record, or offers to fill a record without items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop.localization.detection_terms import finding_word, model_word
from desktop.messages.seal_terms import decided_text, detected_text
from desktop.pages.common.lists.list_section import NOTHING
from desktop.record.item_rows import RunPhase, RunState, run_of_photo
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    Column,
    IconLabel,
    ProgressBar,
    Table,
    column_of,
    label,
    row_of,
    status_text,
    status_tone,
)
from shared.record import findings, results
from shared.record.codes import Progress, Status
from shared.record.entries import Entry, item_entries
from shared.record.findings import Finding
from shared.wire.inspection import Item


@dataclass(frozen=True, slots=True)
class RecordItemRow:
    """An item with its number in the record and its result entries as plain data.

    `run`: the state of the newest detection of its newest photo.
    """

    number: int
    item: Item
    entries: Sequence[Entry]
    run: RunState


class ItemsCard(Card):
    """Lists number, name, model, verdict and findings of every item."""

    item_activated = Signal(str)
    """The ID of the item that the user double-clicked or opened with Enter."""
    template_requested = Signal()
    """The user wants to apply the template of the reference image."""
    copy_requested = Signal()
    """The user wants to copy the items of the last record."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table: Table[RecordItemRow] = Table(self.tr("Items"), self._columns(), row_px=48)
        self.table.picked.connect(lambda row: self.item_activated.emit(row.item.item_id))
        self._counts = label("", "dim")
        self._progress = ProgressBar(self.tr("Progress"))
        self._progress.setFixedWidth(120)
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 12)
        head.setSpacing(12)
        head.addWidget(label(self.tr("Items"), "item"))
        head.addWidget(self._counts)
        head.addStretch(1)
        head.addWidget(self._progress)
        self.template = Button(self.tr("Apply reference image template"), kind=ButtonKind.MAIN)
        self.last = Button(self.tr("Copy from last record"))
        self.template.clicked.connect(self.template_requested)
        self.last.clicked.connect(self.copy_requested)
        self._hint = label("", "dim", wrap=True)
        self._hint.setMinimumWidth(480)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty_widget())
        column_of(head, (self._stack, 1), parent=self, margins=1, spacing=0)

    def _columns(self) -> list[Column[RecordItemRow]]:
        return [
            Column(self.tr("No."), lambda row: str(row.number), 60, kind="dim"),
            Column(
                self.tr("Name"),
                lambda row: row.item.item_name,
                stretch=True,
                kind="strong",
                second_line=lambda row: row.item.description or "",
            ),
            Column(
                self.tr("Model"),
                lambda row: model_word(row.item.model_id, row.item.model_name) or NOTHING,
                170,
            ),
            Column(
                self.tr("Verdict"),
                lambda row: status_text(_status(row)),
                110,
                tone=lambda row: status_tone(_status(row)),
            ),
            Column(self.tr("Findings"), self._findings_text, 190, second_line=_first_labels),
        ]

    def _empty_widget(self) -> QWidget:
        widget = QWidget()
        column = QVBoxLayout(widget)
        column.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.setSpacing(12)
        column.addWidget(IconLabel("rectangle", "dim", 32), 0, Qt.AlignmentFlag.AlignHCenter)
        empty_label = label(self.tr("No items yet."))
        column.addWidget(empty_label, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._hint, 0, Qt.AlignmentFlag.AlignHCenter)
        row = row_of(self.template, self.last, spacing=8)
        column.addLayout(row)
        return widget

    def show_items(
        self,
        items: Sequence[Item],
        has_reference: bool,
        may_add: bool,
        photos: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """Show the items of a record. `photos`: the file ids of an item's photos, oldest first, if known."""
        rows = []
        for number, item in enumerate(items, 1):
            entries, newest_photo = item_entries(item), next(reversed(photos.get(item.item_id, ())), None)
            rows.append(RecordItemRow(number, item, entries, run_of_photo(entries, newest_photo)))
        selected_id = self.table.selected_row.item.item_id if self.table.selected_row is not None else ""
        self.table.show_rows(rows, lambda row: row.item.item_id == selected_id)
        counters = results.count_items([row.entries for row in rows])
        self._counts.setText(f"{decided_text(counters)} · {detected_text(counters)}" if rows else "")
        self._progress.setVisible(bool(rows))
        self._progress.setValue(100 * counters.judged // len(rows) if rows else 0)
        self._stack.setCurrentIndex(0 if rows else 1)
        for button in (self.template, self.last):
            button.setVisible(may_add)
            button.setEnabled(has_reference)
        self._hint.setText(
            self.tr("Copy items of the reference image, or draw regions in the workbench.")
            if has_reference
            else self.tr("Select a reference image first, then copy items or draw regions.")
        )

    def _findings_text(self, row: RecordItemRow) -> str:
        entry = results.newest_detection(row.entries)
        if entry is None:
            return self.tr("Entered by a client") if results.has_client_result(row.entries) else NOTHING
        if row.run.run is RunPhase.FAILED:
            return self.tr("Detection failed")
        if entry.get("progress") in (Progress.PENDING, Progress.DETECTING):
            return self.tr("Detecting…")
        detection = results.finished_detection(row.entries)
        if detection is None:
            return NOTHING
        if results.is_incomplete(detection):
            return self.tr("Not inspected completely")
        count = len((detection.get("resultImage") or {}).get("boxes") or [])
        return self.tr("%n finding(s)", "", count) if count else self.tr("No findings")


def _status(row: RecordItemRow) -> str:
    """The verdict; "not started" for an item without result entries."""
    return results.current_verdict(row.entries).value if row.entries else Status.NOT_STARTED.value


def _first_labels(row: RecordItemRow) -> str:
    """The labels of the first three findings by confidence, with their confidence or author."""
    ranked_findings = findings.read_findings(results.shown_result(row.entries))
    ranked_findings.sort(key=lambda finding: -finding.confidence)
    return "  ".join(
        f"{finding_word(finding.label)} {_source_text(finding)}".strip() for finding in ranked_findings[:3]
    )


def _source_text(finding: Finding) -> str:
    return finding.author_name if finding.is_drawn else f"{finding.confidence:.2f}"
