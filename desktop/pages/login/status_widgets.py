"""Defines small widgets of the login card."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from desktop.connection.local_service import ServiceState
from desktop.theme import CARD_RADIUS, theme_manager
from desktop.widgets import IconLabel, Logo, column_of, label


class Countdown(QObject):
    """Counts down the seconds that the user has to wait."""

    counted = Signal(int)
    """The remaining seconds, 0 at the end."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.remaining = 0
        """The remaining seconds; 0 when no countdown is running."""
        self.timer = QTimer(self, interval=1000)
        self.timer.timeout.connect(lambda: self._count(self.remaining - 1))

    def start(self, seconds: int) -> None:
        """Start the countdown, which replaces a running one."""
        self.timer.start()
        self._count(seconds)

    def stop(self) -> None:
        """Stop the countdown silently."""
        self.remaining = 0
        self.timer.stop()

    def _count(self, seconds: int) -> None:
        self.remaining = max(0, seconds)
        if not self.remaining:
            self.timer.stop()
        self.counted.emit(self.remaining)


class FormArea(QScrollArea):
    """Wants the height of `form`, and scrolls it on a screen that has less."""

    def __init__(self, form: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(form)
        self._content = form

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class ServiceDot(QWidget):
    """Shows the state of the service as a coloured dot."""

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
        painter.setBrush(QColor(getattr(theme_manager().theme, self._TONES[self._state])))
        painter.drawEllipse(self.rect())
        painter.end()


class Welcome(QWidget):
    """Shown at the left while no face is enrolled."""

    def __init__(self) -> None:
        super().__init__()
        column = column_of(1, Logo(56), parent=self, margins=(48, 32, 48, 32), spacing=12)
        column.addSpacing(12)
        column.addWidget(label(self.tr("Welcome to Walkaround"), "title"))
        column.addSpacing(4)
        for icon, text in (
            ("compare", self.tr("Compare today's photos with a reference image")),
            ("check", self.tr("Record every verdict with name and reason")),
            ("lock", self.tr("Seal the finished record; any later change is detected")),
            ("cloud-off", self.tr("Works without a network")),
        ):
            row = QHBoxLayout()
            row.setSpacing(12)
            row.addWidget(IconLabel(icon, "dim"), 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(label(text, wrap=True), 1)
            column.addLayout(row)
        column.addStretch(2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, area, radius = theme_manager().theme, QRectF(self.rect()), CARD_RADIUS - 1
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.raised))
        # Only the left corners are rounded. The right ones are outside the widget.
        painter.drawRoundedRect(area.adjusted(0, 0, 2 * radius, 0), radius, radius)
        painter.fillRect(QRectF(area.right() - 1, 0, 1, area.height()), QColor(theme.line))
        painter.end()
