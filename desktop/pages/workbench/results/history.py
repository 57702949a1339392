"""Shows the findings of earlier inspections in the same region, and how they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from desktop.background.workers import Lane, Task, run
from desktop.client import Session
from desktop.localization.dates import format_day
from desktop.localization.detection_terms import finding_word, model_word
from desktop.record.document import ItemView
from desktop.record.open_record import OpenRecord
from desktop.widgets import Button, ButtonKind, Chip, IconLabel, clear_layout, column_of, label
from shared.record import results
from shared.record.codes import Verdict
from shared.wire.history import FindingChange, HistoryEntry

_SHOWN = 4
_LONGEST = 16
"""Most letters of a label that are shown in its chip."""


def looked_at(entry: HistoryEntry) -> bool:
    """True when the region was detected or decided in that inspection."""
    return entry.found_at is not None or entry.decided_at is not None or entry.passed is not None


def event_time(entry: HistoryEntry) -> datetime:
    """The time of the detection, else of the verdict, else the start of the record."""
    return entry.found_at or entry.decided_at or entry.start_time or entry.created_at


def changes(entry: HistoryEntry) -> list[FindingChange]:
    """How the findings changed since: grown and new first, each once."""
    kinds = {finding.change for finding in entry.findings}
    if entry.appeared:
        kinds.add(FindingChange.NEW)
    order = (FindingChange.GROWN, FindingChange.NEW, FindingChange.GONE, FindingChange.UNCHANGED)
    return [change for change in order if change in kinds]


def longest(entry: HistoryEntry) -> float | None:
    """The longer side of the longest finding in px of the reference image; None without an alignment."""
    boxes = [finding.reference for finding in entry.findings if finding.reference is not None]
    return max((max(box.x2 - box.x1, box.y2 - box.y1) for box in boxes), default=None)


class HistoryBox(QWidget):
    """Lists the earlier inspections of the region. It is hidden if there are none."""

    open_wanted = Signal(str, str)
    """The ids of an earlier record and of its item whose photo the user wants to see."""

    trend_wanted = Signal()
    """The user wants to see all inspections as a trend."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        self.trend = Button(self.tr("Show trend…"), kind=ButtonKind.LINK, icon="chart")
        self.trend.setObjectName("history-trend")
        self.trend.clicked.connect(lambda _checked=False: self.trend_wanted.emit())
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(IconLabel("history", "dim", 14))
        head.addWidget(label(self.tr("Earlier records"), "label"))
        head.addStretch(1)
        head.addWidget(self.trend)
        self._all = False
        self._shown: tuple[Sequence[HistoryEntry], float | None, Mapping[str, str]] = ((), None, {})
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        column_of(head, self._grid, parent=self, margins=0, spacing=6)
        self.hide()

    def show_rows(
        self, entries: Sequence[HistoryEntry], mm_per_pixel: float | None, models: Mapping[str, str]
    ) -> None:
        """Show these rows, newest first. `models` maps names of models at the service to display names.

        Only the first few are shown until the user wants all.
        """
        wanted = (entries, mm_per_pixel, models)
        # A row keeps the focus when the item is shown again.
        if wanted != self._shown:
            self._shown = wanted
            self._fill()

    def _fill(self) -> None:
        entries, mm_per_pixel, models = self._shown
        clear_layout(self._grid)
        shown = entries if self._all else entries[:_SHOWN]
        for index, entry in enumerate(shown):
            when = format_day(event_time(entry).astimezone().date())
            link = Button(when, kind=ButtonKind.QUIET)
            link.setToolTip(self.tr("Compare photo of this record"))
            link.clicked.connect(partial(self._open, entry.inspection_id, entry.item_id))
            tone = "dim" if entry.passed is None else "passed" if entry.passed else "failed"
            chip = Chip(self._result_text(entry, mm_per_pixel), tone)
            trend = " · ".join(self._change(change) for change in changes(entry))
            self._grid.addWidget(link, index * 2, 0, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(chip, index * 2, 1, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(label(trend, "small", wrap=True), index * 2, 2)
            self._grid.addWidget(label(self._who(entry, models), "small", wrap=True), index * 2 + 1, 0, 1, 3)
        if len(entries) > _SHOWN:
            text = self.tr("Show fewer") if self._all else self.tr("Show all {n}").format(n=len(entries))
            more = Button(text, kind=ButtonKind.LINK)
            more.setObjectName("history-more")
            more.clicked.connect(lambda _checked=False: self._unfold(not self._all))
            self._grid.addWidget(more, len(shown) * 2, 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
        self.setVisible(bool(entries))

    def _unfold(self, on: bool) -> None:
        self._all = on
        self._fill()
        more = self.findChildren(Button, "history-more")[-1]
        # The focus moves to the place of the removed button.
        more.show()
        more.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open(self, record_id: str, item_id: str, _checked: bool = False) -> None:
        self.open_wanted.emit(record_id, item_id)

    def _result_text(self, entry: HistoryEntry, mm_per_pixel: float | None) -> str:
        if not entry.findings:
            return self.tr("No findings")
        name, length = finding_word(entry.findings[0].label), longest(entry)
        if len(name) > _LONGEST:
            name = name[: _LONGEST - 1].rstrip() + "…"
        if length is None:
            return name
        if mm_per_pixel is None:
            return f"{name} {length:.0f} px"
        return f"{name} {length * mm_per_pixel:.0f} mm"

    def _who(self, entry: HistoryEntry, models: Mapping[str, str]) -> str:
        parts = []
        if entry.found_by:
            name = models.get(entry.found_by, entry.found_by)
            parts.append(self.tr("Detected by {name}").format(name=name))
        if entry.decided_by and entry.verdict is not Verdict.UNDECIDED:
            parts.append(self.tr("verdict by {name}").format(name=entry.decided_by))
        if entry.reason:
            parts.append(entry.reason)
        return " · ".join(parts)

    def _change(self, change: FindingChange) -> str:
        match change:
            case FindingChange.NEW:
                return self.tr("new since then")
            case FindingChange.GROWN:
                return self.tr("grown")
            case FindingChange.UNCHANGED:
                return self.tr("unchanged")
            case FindingChange.GONE:
                return self.tr("gone")


class HistoryController(QObject):
    """Asks the service for the history of the chosen item, once for each state of its findings."""

    def __init__(self, open_record: OpenRecord, box: HistoryBox, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._box = open_record, box
        self._entries: dict[str, tuple[str, Sequence[HistoryEntry]]] = {}
        self._record_id = ""
        self._reading: Task | None = None
        self._requested: tuple[str, str] | None = None

    def show(self) -> None:
        """Show the cached history of the selected region, and fetch it when it is outdated."""
        if self._open_record.record_id != self._record_id:
            self._clear()
        item = self._open_record.item
        if item is None:
            self._box.show_rows((), None, {})
            return
        state = _state(item)
        cached = self._entries.get(item.item_id)
        self._show(cached[1] if cached is not None else ())
        if (cached is not None and cached[0] == state) or self._requested == (item.item_id, state):
            return
        if self._reading is not None:
            self._reading.cancel()
        self._requested = (item.item_id, state)
        self._reading = run(
            _read,
            self._open_record.context.session,
            self._open_record.edits.service_id(item.item_id),
            owner=self,
            done=partial(self._read, item.item_id, state),
            failed=self._on_read_failed,
            lane=Lane.LONG,
            priority=-1,
        )

    def _clear(self) -> None:
        """Drop the histories of the previous record."""
        self._record_id = self._open_record.record_id
        self._entries.clear()
        self._requested = None
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _read(self, item_id: str, state: str, entries: Sequence[HistoryEntry]) -> None:
        self._requested = None
        self._entries[item_id] = (state, [entry for entry in entries if looked_at(entry)])
        if item_id == self._open_record.current:
            self._show(self._entries[item_id][1])

    def _show(self, entries: Sequence[HistoryEntry]) -> None:
        models = {
            model.model_name: model_word(model.model_id, model.model_name)
            for model in self._open_record.models
        }
        self._box.show_rows(entries, self._open_record.mm_per_pixel, models)

    def _on_read_failed(self, _error: Exception) -> None:
        # An item that the service does not have yet has no history; it is requested again when shown.
        self._requested = None


def _read(session: Session, item_id: str) -> Sequence[HistoryEntry]:
    return session.items.history(item_id)


def _state(item: ItemView) -> str:
    """Changes when the region or the findings of an item do."""
    entry = results.finished_detection(item.result)
    return f"{item.item_point} {results.entry_version(entry) if entry is not None else 0} {item.saved}"
