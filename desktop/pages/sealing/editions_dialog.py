"""Lists the sealed editions of a record: who finished, released and reopened each, and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from desktop.messages.seal_terms import edition_events, outcome_word
from desktop.widgets import Button, ButtonKind, Card, Dialog, column_of, label, row_of
from shared.wire.seal import Edition

_WIDTH = 560
_HEIGHT_LINES = 22


class EditionsDialog(Dialog):
    """Lists the editions, newest first.

    The seals can be selected and copied, and each edition has a report.
    """

    report_requested = Signal(int)
    """The number of the edition whose report the user requested."""

    def __init__(self, editions: Sequence[Edition], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName("editions")
        self.setWindowTitle(self.tr("Editions"))
        self.setModal(True)
        self.setMinimumWidth(_WIDTH)
        column = column_of(
            label(self.tr("Sealed editions"), "item"), parent=self, margins=(20, 20, 20, 16), spacing=12
        )
        rows = QWidget()
        rows.setProperty("clear", True)
        lines = QVBoxLayout(rows)
        lines.setContentsMargins(0, 0, 8, 0)
        lines.setSpacing(8)
        for edition in reversed(editions):
            lines.addWidget(self._card(edition))
        lines.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(rows)
        max_height = self.fontMetrics().lineSpacing() * _HEIGHT_LINES
        scroll.setMinimumHeight(min(rows.sizeHint().height() + 4, max_height))
        column.addWidget(scroll, 1)
        row = row_of(1)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        column.addLayout(row)

    def _card(self, edition: Edition) -> QWidget:
        card = Card()
        column = QVBoxLayout(card)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(4)
        head = self.tr("Edition {n}: {outcome}").format(
            n=edition.edition, outcome=outcome_word(edition.outcome)
        )
        row = row_of((label(head, "strong"), 1))
        report = Button(self.tr("Report…"), kind=ButtonKind.LINK)
        report.setObjectName(f"edition-report-{edition.edition}")
        report.setAccessibleName(self.tr("Report of edition {n}").format(n=edition.edition))
        report.clicked.connect(lambda _checked=False: self.report_requested.emit(edition.edition))
        row.addWidget(report)
        column.addLayout(row)
        for line in edition_events(edition):
            column.addWidget(label(line, wrap=True))
        seal = label(edition.seal, "dim", wrap=True)
        seal.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        seal.setAccessibleName(self.tr("Seal"))
        column.addWidget(seal)
        return card
