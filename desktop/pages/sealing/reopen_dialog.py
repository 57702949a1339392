"""Asks for the reason to reopen a sealed record."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.widgets import Confirm, Field, TextArea

_MAX_REASON_LENGTH = 2000


class ReopenDialog(Confirm):
    """Asks for a reason before a record is reopened."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("ReopenDialog", "Reopen record?"),
            QCoreApplication.translate(
                "ReopenDialog",
                "The record can be changed again. The sealed edition remains readable. Finishing "
                "again creates a new edition.",
            ),
            QCoreApplication.translate("ReopenDialog", "Reopen record"),
        )
        self.setObjectName("reopen-record")
        self.reason = TextArea(3)
        self.reason.setObjectName("reopen-reason")
        self.body.addWidget(Field(self.tr("Reason"), self.reason))
        self.reason.textChanged.connect(self._update_button)
        self.reason.setFocus()
        self._update_button()

    @property
    def reason_text(self) -> str:
        """The typed reason, stripped."""
        return self.reason.toPlainText().strip()[:_MAX_REASON_LENGTH]

    def _update_button(self) -> None:
        self.confirm_button.setEnabled(bool(self.reason_text))
