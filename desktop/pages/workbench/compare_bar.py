"""How reference and photo are compared, within reach where they are compared on the canvas."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QHBoxLayout, QSlider, QWidget

from desktop.binding import Commands
from desktop.canvas.alignment import AlignedPair
from desktop.canvas.compare import CompareView
from desktop.canvas.pair_drawing import CompareMode
from desktop.theme import CARD_RADIUS, look
from desktop.widgets import Button, Kind
from desktop.widgets.labels import tip

MODE_COMMANDS = {
    CompareMode.SIDE_BY_SIDE: "compare.side_by_side",
    CompareMode.SWIPE: "compare.swipe",
    CompareMode.BLINK: "compare.blink",
    CompareMode.DIFFERENCE: "compare.difference",
    CompareMode.OVERLAY: "compare.overlay",
}
"""The command of each mode."""

_TOP = 64
_MIX_PX = 110


class CompareBar(QWidget):
    """The modes, and how much of the photo the overlay shows; below the tools of the canvas."""

    def __init__(self, view: CompareView, commands: Commands) -> None:
        super().__init__(view)
        self._view = view
        self.setObjectName("compare-bar")
        self.setAccessibleName(self.tr("Ways to compare"))
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(12)
        self.modes: dict[CompareMode, Button] = {}
        for mode, text in (
            (CompareMode.SIDE_BY_SIDE, self.tr("Side by side")),
            (CompareMode.SWIPE, self.tr("Swipe")),
            (CompareMode.BLINK, self.tr("Blink")),
            (CompareMode.DIFFERENCE, self.tr("Difference")),
            (CompareMode.OVERLAY, self.tr("Overlay")),
        ):
            button = Button(text, kind=Kind.QUIET)
            button.setObjectName(f"bar-{mode.value}")
            button.setToolTip(tip(commands.tooltip(MODE_COMMANDS[mode])))
            button.clicked.connect(lambda _checked=False, it=mode: view.set_mode(it))
            self.modes[mode] = button
            row.addWidget(button)
        self.mix = QSlider(Qt.Orientation.Horizontal)
        self.mix.setObjectName("compare-mix")
        self.mix.setAccessibleName(self.tr("How much of the photo is seen"))
        self.mix.setToolTip(self.tr("How much of the photo is seen"))
        self.mix.setRange(0, 100)
        self.mix.setFixedWidth(_MIX_PX)
        self.mix.valueChanged.connect(lambda percent: view.set_mix(percent / 100))
        row.addWidget(self.mix)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(18)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, 70))
        self.setGraphicsEffect(shadow)
        view.installEventFilter(self)
        view.modeChanged.connect(self.show_mode)
        view.mixChanged.connect(self._show_mix)
        self._show_mix(view.mix)
        self.show_pair(None)
        self.show_mode(view.mode)

    def show_mode(self, mode: CompareMode) -> None:
        """Mark the mode in force."""
        for it, button in self.modes.items():
            button.kind = Kind.LINK if it is mode else Kind.QUIET
            button.update()
        self.mix.setVisible(mode is CompareMode.OVERLAY)
        self._place()

    def show_pair(self, pair: AlignedPair | None) -> None:
        """Offer the modes that this pair allows: without an alignment only side by side."""
        for mode, button in self.modes.items():
            button.setEnabled(mode is CompareMode.SIDE_BY_SIDE or (pair is not None and pair.aligned))

    def _show_mix(self, share: float) -> None:
        self.mix.setValue(round(share * 100))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        self.adjustSize()
        self.move(max((self._view.width() - self.width()) // 2, 0), _TOP)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = look().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line)))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), CARD_RADIUS, CARD_RADIUS)
        painter.end()
