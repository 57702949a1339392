"""Asks before a record is finished: counters, outcome and undecided items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.pages.common.messages.seal_terms import counters_sentence, outcome_word
from desktop.widgets import Button, Confirm, label
from desktop.widgets import ButtonKind as ButtonKind
from shared.codes import Verdict
from shared.results import Counters

_SHOWN_AT_ONCE = 6
_SHOWN_AT_MOST = 200


@dataclass(frozen=True, slots=True)
class UndecidedItem:
    """An item without a verdict. `opinion`: the model's opinion, None where none can be accepted."""

    item_id: str
    number: int
    name: str
    opinion: Verdict | None


@dataclass(frozen=True, slots=True)
class FinishSummary:
    """What finishing would do now: the counters, the items to decide, and who signs."""

    counted: Counters
    undecided: Sequence[UndecidedItem]
    signer: str

    @property
    def acceptable(self) -> bool:
        """Whether accepting the model's opinion decides every item that is left."""
        return all(item.opinion is not None for item in self.undecided)

    def counters_after(self) -> Counters:
        """The counters once the model's opinion is accepted for the items that are left."""
        opinions = [item.opinion for item in self.undecided if item.opinion is not None]
        count, counted = len(opinions), self.counted
        total = replace(
            counted,
            items=counted.items - count,
            detected=counted.detected - count,
            undecided=counted.undecided - count,
        )
        for opinion in opinions:
            total = total.plus(opinion, detected=True)
        return total


class FinishDialog(Confirm):
    """Finishes only a record whose every item has a verdict of a person, or gets one here."""

    goToWanted = Signal(str)  # noqa: N815 - a Qt signal
    """The person wants to decide this item first."""

    def __init__(self, finish: FinishSummary, parent: QWidget | None) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("FinishDialog", "Finish record?"),
            _summary_text(finish),
            QCoreApplication.translate("FinishDialog", "Finish record"),
            danger=False,
        )
        self.setObjectName("finish-record")
        self._finish = finish
        self.accept_opinion = QCheckBox(self)
        self.accept_opinion.setObjectName("accept-opinion")
        self.outcome = label("", "strong")
        self.outcome.setObjectName("finish-outcome")
        if finish.undecided:
            self._offer_undecided()
        else:
            self.accept_opinion.hide()
        self.body.addSpacing(8)
        self.body.addWidget(self.outcome)
        sealed = self.tr("Finishing seals the record. To change it later, reopen it with a reason.")
        self.body.addWidget(label(sealed, "dim", wrap=True))
        self.accept_opinion.toggled.connect(lambda _on: self._show())
        self._show()

    @property
    def accepts_opinion(self) -> bool:
        """Whether the person signs the model's opinion for the items that are left."""
        return self.accept_opinion.isChecked()

    def _offer_undecided(self) -> None:
        finish, count = self._finish, len(self._finish.undecided)
        rows = QWidget()
        column = QVBoxLayout(rows)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for item in finish.undecided[:_SHOWN_AT_MOST]:
            column.addLayout(self._row(item))
        if count > _SHOWN_AT_MOST:
            column.addWidget(label(self.tr("and %n more", "", count - _SHOWN_AT_MOST), "dim"))
        column.addStretch(1)
        shown: QWidget = rows
        if count > _SHOWN_AT_ONCE:
            shown = QScrollArea()
            shown.setWidgetResizable(True)
            shown.setWidget(rows)
            shown.setFixedHeight((self.fontMetrics().lineSpacing() + 6) * _SHOWN_AT_ONCE)
        self.body.addSpacing(4)
        self.body.addWidget(shown)
        if finish.acceptable:
            link_text = self.tr("Go to first undecided item")
        else:
            link_text = self.tr("Go to first item to decide")
        first = Button(link_text, kind=ButtonKind.LINK)
        first.setObjectName("finish-go-to")
        first.clicked.connect(lambda _checked=False: self._go_to_first())
        line = QHBoxLayout()
        line.addWidget(first)
        line.addStretch(1)
        self.body.addLayout(line)
        if finish.acceptable:
            text = self.tr("Accept the model's opinion for the remaining %n item(s)", "", count)
            self.accept_opinion.setText(text)
            self.body.addWidget(self.accept_opinion)
            signed = self.tr("Each is signed by {name} and marked in the record and in the report.")
            self.body.addWidget(label(signed.format(name=finish.signer), "dim", wrap=True))
        else:
            self.accept_opinion.hide()
            open_ones = sum(item.opinion is None for item in finish.undecided)
            text = self.tr(
                "%n item(s) have no model opinion to accept. Give a verdict for them first.", "", open_ones
            )
            self.body.addWidget(label(text, "error", wrap=True))

    def _row(self, item: UndecidedItem) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(f"{item.number}", "dim"))
        row.addWidget(label(item.name), 1)
        row.addWidget(label(_opinion(item.opinion), "dim"))
        return row

    def _go_to_first(self) -> None:
        undecided = self._finish.undecided
        first = next((item for item in undecided if item.opinion is None), undecided[0])
        self.reject()
        self.goToWanted.emit(first.item_id)

    def _show(self) -> None:
        counted = self._finish.counters_after() if self.accepts_opinion else self._finish.counted
        self.act.setEnabled(counted.outcome is not None)
        text = self.tr("Outcome: {outcome} ({counted})")
        self.outcome.setText(
            text.format(outcome=outcome_word(counted.outcome), counted=counters_sentence(counted))
        )


def _summary_text(finish: FinishSummary) -> str:
    translate, undecided = QCoreApplication.translate, len(finish.undecided)
    if undecided:
        return translate("FinishDialog", "%n item(s) are undecided.", "", undecided)
    if finish.counted.failed:
        return translate("FinishDialog", "%n item(s) failed.", "", finish.counted.failed)
    return translate("FinishDialog", "All items passed.")


def _opinion(opinion: Verdict | None) -> str:
    match opinion:
        case Verdict.PASSED:
            return QCoreApplication.translate("FinishDialog", "model: passed")
        case Verdict.FAILED:
            return QCoreApplication.translate("FinishDialog", "model: failed")
        case _:
            return QCoreApplication.translate("FinishDialog", "no model opinion")
