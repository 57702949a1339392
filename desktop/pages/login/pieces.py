"""Small parts of the login card."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.embedded import ServiceState
from desktop.theme import look
from desktop.widgets import Logo, Panel, Symbol, label


class ServiceDot(QWidget):
    """How the service is, as a dot beside its name."""

    _TONES: ClassVar[dict[ServiceState, str]] = {
        ServiceState.READY: "passed",
        ServiceState.STARTING: "undecided",
        ServiceState.RESTARTING: "undecided",
        ServiceState.FAILED: "failed",
        ServiceState.STOPPED: "failed",
    }

    def __init__(self) -> None:
        super().__init__()
        self._state = ServiceState.STARTING
        self.setFixedSize(8, 8)

    def show_state(self, state: ServiceState) -> None:
        """Show another state."""
        self._state = state
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(look().theme, self._TONES[self._state])))
        painter.drawEllipse(self.rect())
        painter.end()


class Welcome(Panel):
    """What stands at the left while there is nobody whose face could be known."""

    def __init__(self) -> None:
        super().__init__("raised", "right")
        column = QVBoxLayout(self)
        column.setContentsMargins(48, 32, 48, 32)
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(Logo(56))
        column.addSpacing(12)
        column.addWidget(label(self.tr("Welcome to Walkaround"), "title"))
        column.addSpacing(4)
        for icon, text in (
            ("lock", self.tr("No account and no password exists before you make one here.")),
            ("server", self.tr("Records and pictures stay on this machine, in one folder.")),
            ("people", self.tr("Inspectors and planners are added later, under People.")),
        ):
            row = QHBoxLayout()
            row.setSpacing(12)
            row.addWidget(Symbol(icon, "dim"), 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(label(text, wrap=True), 1)
            column.addLayout(row)
        column.addStretch(2)
