"""Asks before a record is finished, and shows its counters, outcome and items that need attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.localization.detection_terms import percent
from desktop.messages.seal_terms import (
    counters_sentence,
    outcome_word,
    unassigned_photos_sentence,
)
from desktop.widgets import Button, ButtonKind, Confirm, ElidedLabel, label, row_of
from shared.record.codes import InspectionGap, Verdict
from shared.record.entries import EntryCoverage
from shared.record.results import Counters

_VISIBLE_UNINSPECTED = 4
_MAX_UNINSPECTED = 200


@dataclass(frozen=True, slots=True)
class UninspectedItem:
    """An item that a person passed, and what its inspection lacks.

    `coverage` is how much of its region the detection inspected, None if unknown.
    """

    item_id: str
    number: int
    name: str
    gap: InspectionGap
    coverage: EntryCoverage | None = None


class UninspectedItems(QWidget):
    """A line for each item, and a link to the first one."""

    go_to_item_requested = Signal(str)
    """The ID of the first item."""

    def __init__(self, items: Sequence[UninspectedItem]) -> None:
        super().__init__()
        self.setObjectName("finish-uninspected")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        title = self.tr("%n passed item(s) were not inspected completely.", "", len(items))
        column.addWidget(label(title, "error", wrap=True))
        rows = QWidget()
        lines = QVBoxLayout(rows)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(4)
        for item in items[:_MAX_UNINSPECTED]:
            lines.addLayout(_item_row(item))
        if len(items) > _MAX_UNINSPECTED:
            lines.addWidget(label(self.tr("and %n more", "", len(items) - _MAX_UNINSPECTED), "dim"))
        content: QWidget = rows
        if len(items) > _VISIBLE_UNINSPECTED:
            content = QScrollArea()
            content.setWidgetResizable(True)
            content.setWidget(rows)
            content.setFixedHeight((self.fontMetrics().lineSpacing() + 6) * _VISIBLE_UNINSPECTED)
        column.addWidget(content)
        first = Button(self.tr("Go to first of these items"), kind=ButtonKind.LINK)
        first.setObjectName("finish-go-to-uninspected")
        first.clicked.connect(lambda _checked=False: self.go_to_item_requested.emit(items[0].item_id))
        line = row_of(first, 1)
        column.addLayout(line)


def _item_row(item: UninspectedItem) -> QHBoxLayout:
    return row_of(
        label(f"{item.number}", "dim"), (ElidedLabel(item.name), 1), label(gap_text(item), "dim"), spacing=8
    )


def gap_text(item: UninspectedItem) -> str:
    """What the inspection of the item lacks."""
    match item.gap:
        case InspectionGap.NO_PHOTO:
            return QCoreApplication.translate("UninspectedItems", "no photo")
        case InspectionGap.NOT_DETECTED:
            return QCoreApplication.translate("UninspectedItems", "not detected")
        case InspectionGap.REGION_CHANGED:
            return QCoreApplication.translate("UninspectedItems", "region changed since the detection")
    share = "–" if item.coverage is None else percent(item.coverage["inspected"])
    return QCoreApplication.translate("UninspectedItems", "{share}% of the region inspected").format(
        share=share
    )


_VISIBLE_ITEMS = 6
_MAX_ITEMS = 200
_MAX_PX = 560
"""Names that are longer are elided."""


@dataclass(frozen=True, slots=True)
class UndecidedItem:
    """An item without a verdict. `opinion` is the model's opinion, None if there is none to accept.

    `is_corrected`: a person corrected the findings, so that the model's opinion is not about them.
    """

    item_id: str
    number: int
    name: str
    opinion: Verdict | None
    is_corrected: bool = False


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """An item with a verdict or a correction that is not complete. `text` says what is missing."""

    item_id: str
    number: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class FinishSummary:
    """The current state of a record to finish: its counters, its undecided items, and who signs.

    `unassigned` is the number of photos that are assigned to no item. `waiting` are the items with something
    that the user has not completed; while there is one, the record cannot be finished. `uninspected` are the
    passed items that were not inspected completely.
    """

    counters: Counters
    undecided: Sequence[UndecidedItem]
    signer: str
    unassigned: int = 0
    waiting: Sequence[WaitingItem] = ()
    uninspected: Sequence[UninspectedItem] = ()

    @property
    def all_acceptable(self) -> bool:
        """Whether accepting the model's opinion decides every undecided item."""
        return all(item.opinion is not None for item in self.undecided)

    def counters_after(self) -> Counters:
        """The counters if the model's opinion is accepted for all undecided items."""
        opinions = [item.opinion for item in self.undecided if item.opinion is not None]
        count, counters = len(opinions), self.counters
        total = replace(
            counters,
            items=counters.items - count,
            detected=counters.detected - count,
            undecided=counters.undecided - count,
        )
        for opinion in opinions:
            total = total.plus(opinion, detected=True)
        return total


class FinishDialog(Confirm):
    """Finishes a record whose items all have a verdict, or get one here by accepting the model's opinion."""

    go_to_item_requested = Signal(str)
    """The ID of the item that the user wants to decide first."""

    def __init__(self, finish: FinishSummary, parent: QWidget | None) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("FinishDialog", "Finish record?"),
            _summary_text(finish),
            QCoreApplication.translate("FinishDialog", "Finish record"),
            danger=False,
        )
        self.setObjectName("finish-record")
        self.setMaximumWidth(_MAX_PX)
        self._finish = finish
        self.accept_opinion = QCheckBox(self)
        self.accept_opinion.setObjectName("accept-opinion")
        self.outcome = label("", "strong")
        self.outcome.setObjectName("finish-outcome")
        if finish.waiting:
            self._add_waiting_items()
        if finish.undecided:
            self._add_undecided_items()
        else:
            self.accept_opinion.hide()
        if finish.uninspected:
            uninspected = UninspectedItems(finish.uninspected)
            uninspected.go_to_item_requested.connect(self._go_to)
            self.body.addWidget(uninspected)
        if finish.unassigned:
            unassigned = label(unassigned_photos_sentence(finish.unassigned), wrap=True)
            unassigned.setObjectName("finish-unassigned")
            self.body.addWidget(unassigned)
        self.body.addSpacing(8)
        self.body.addWidget(self.outcome)
        seal_note = self.tr("Finishing seals the record. To change it later, reopen it with a reason.")
        self.body.addWidget(label(seal_note, "dim", wrap=True))
        self.accept_opinion.toggled.connect(lambda _on: self._update_outcome())
        self._update_outcome()

    @property
    def accepts_opinion(self) -> bool:
        """Whether the user accepts the model's opinion for the undecided items."""
        return self.accept_opinion.isChecked()

    def _add_waiting_items(self) -> None:
        text = self.tr("%n item(s) wait for you. Complete them first.", "", len(self._finish.waiting))
        self.body.addWidget(label(text, "error", wrap=True))
        for item in self._finish.waiting[:_VISIBLE_ITEMS]:
            link = Button(f"{item.number}  {item.name}: {item.text}", kind=ButtonKind.LINK, elide=True)
            link.setObjectName("finish-waiting")
            link.clicked.connect(lambda _checked=False, item_id=item.item_id: self._go_to(item_id))
            line = row_of(link, 1)
            self.body.addLayout(line)

    def _add_undecided_items(self) -> None:
        finish, count = self._finish, len(self._finish.undecided)
        rows = QWidget()
        column = QVBoxLayout(rows)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for item in finish.undecided[:_MAX_ITEMS]:
            column.addLayout(self._item_row(item))
        if count > _MAX_ITEMS:
            column.addWidget(label(self.tr("and %n more", "", count - _MAX_ITEMS), "dim"))
        column.addStretch(1)
        content: QWidget = rows
        if count > _VISIBLE_ITEMS:
            content = QScrollArea()
            content.setWidgetResizable(True)
            content.setWidget(rows)
            content.setFixedHeight((self.fontMetrics().lineSpacing() + 6) * _VISIBLE_ITEMS)
        self.body.addSpacing(4)
        self.body.addWidget(content)
        if finish.all_acceptable:
            link_text = self.tr("Go to first undecided item")
        else:
            link_text = self.tr("Go to first item to decide")
        first = Button(link_text, kind=ButtonKind.LINK)
        first.setObjectName("finish-go-to")
        first.clicked.connect(lambda _checked=False: self._go_to_first())
        line = row_of(first, 1)
        self.body.addLayout(line)
        if finish.all_acceptable:
            text = self.tr("Accept the model's opinion for the remaining %n item(s)", "", count)
            self.accept_opinion.setText(text)
            self.body.addWidget(self.accept_opinion)
            signature_note = self.tr("Each is signed by {name} and marked in the record and in the report.")
            self.body.addWidget(label(signature_note.format(name=finish.signer), "dim", wrap=True))
        else:
            self.accept_opinion.hide()
            without_opinion = sum(item.opinion is None for item in finish.undecided)
            text = self.tr(
                "%n item(s) have no model opinion to accept. Give a verdict for them first.",
                "",
                without_opinion,
            )
            self.body.addWidget(label(text, "error", wrap=True))

    def _item_row(self, item: UndecidedItem) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(f"{item.number}", "dim"))
        row.addWidget(ElidedLabel(item.name), 1)
        row.addWidget(label(_opinion_text(item), "dim"))
        return row

    def _go_to_first(self) -> None:
        undecided = self._finish.undecided
        first = next((item for item in undecided if item.opinion is None), undecided[0])
        self._go_to(first.item_id)

    def _go_to(self, item_id: str) -> None:
        self.reject()
        self.go_to_item_requested.emit(item_id)

    def _update_outcome(self) -> None:
        counters = self._finish.counters_after() if self.accepts_opinion else self._finish.counters
        self.confirm_button.setEnabled(counters.outcome is not None and not self._finish.waiting)
        text = self.tr("Outcome: {outcome} ({counted})")
        self.outcome.setText(
            text.format(outcome=outcome_word(counters.outcome), counted=counters_sentence(counters))
        )


def _summary_text(finish: FinishSummary) -> str:
    translate, count = QCoreApplication.translate, len(finish.undecided)
    if count:
        return translate("FinishDialog", "%n item(s) are undecided.", "", count)
    if finish.counters.failed:
        return translate("FinishDialog", "%n item(s) failed.", "", finish.counters.failed)
    return translate("FinishDialog", "All items passed.")


def _opinion_text(item: UndecidedItem) -> str:
    match item.opinion:
        case Verdict.PASSED:
            return QCoreApplication.translate("FinishDialog", "model: passed")
        case Verdict.FAILED:
            return QCoreApplication.translate("FinishDialog", "model: failed")
        case _ if item.is_corrected:
            return QCoreApplication.translate("FinishDialog", "findings corrected: decide yourself")
        case _:
            return QCoreApplication.translate("FinishDialog", "no model opinion")
