"""Shows the result of verifying a seal."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from desktop.messages.seal_terms import short_seal
from desktop.widgets import Button, Dialog, IconLabel, label, row_of
from shared.wire.seal import SealCheck

_LIST_LINES = 10


class CheckDialog(Dialog):
    """Shows that the seal is intact, or a sentence for each difference."""

    def __init__(self, check: SealCheck, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName("seal-check")
        self.setWindowTitle(self.tr("Seal verification"))
        self.setModal(True)
        self.setMinimumWidth(480)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        head = row_of(
            IconLabel("check" if check.intact else "warning", "passed" if check.intact else "failed"),
            spacing=8,
        )
        title = self.tr("Seal intact") if check.intact else self.tr("Record does not match its seal")
        self.title = label(title, "item", wrap=True)
        head.addWidget(self.title, 1)
        column.addLayout(head)
        summary = self.tr("Edition {n}, seal {seal}…, %n file(s) verified.", "", check.files)
        column.addWidget(
            label(summary.format(n=check.edition, seal=short_seal(check.seal)), "dim", wrap=True)
        )
        if not check.current:
            text = self.tr("The record was reopened. The stored edition and its files were verified.")
            column.addWidget(label(text, "dim", wrap=True))
        if check.differences:
            column.addWidget(self._differences(check))
        row = row_of(1)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        column.addSpacing(8)
        column.addLayout(row)

    def _differences(self, check: SealCheck) -> QWidget:
        rows = QWidget()
        lines = QVBoxLayout(rows)
        lines.setContentsMargins(0, 0, 8, 0)
        for difference in check.differences:
            lines.addWidget(label(difference.message, wrap=True))
            lines.addWidget(label(difference.path, "dim", wrap=True))
        lines.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(rows)
        scroll.setMinimumHeight(self.fontMetrics().lineSpacing() * _LIST_LINES)
        return scroll
