# ruff: noqa: N815 - Qt signals
"""The tools that float over the canvas."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QGraphicsDropShadowEffect, QHBoxLayout, QWidget

from desktop.binding import Commands
from desktop.canvas.tools import Tool
from desktop.commands import COMMANDS
from desktop.theme import CARD_RADIUS, look
from desktop.widgets import IconButton

_TOP = 12
_TOOLS = (
    (Tool.SELECT, "tool.select"),
    (Tool.DRAW, "tool.rectangle"),
    (Tool.PAN, "tool.pan"),
    (Tool.RULER, "tool.ruler"),
)


class ToolStrip(QWidget):
    """Select, draw, move, measure, compare; stays in the middle of the upper edge of what it floats over."""

    picked = Signal(object)
    """The `Tool` that a person took."""
    compareWanted = Signal(bool)
    """Compare reference and photo on the canvas, or stop that."""

    def __init__(self, over: QWidget, commands: Commands) -> None:
        super().__init__(over)
        self.setObjectName("tool-strip")
        self.setAccessibleName(self.tr("Tools"))
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self._group = QButtonGroup(self)
        self.buttons: dict[Tool, IconButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 4, 4)
        row.setSpacing(4)
        for tool, command in _TOOLS:
            button = self._button(commands, command)
            button.clicked.connect(lambda _checked=False, it=tool: self.picked.emit(it))
            self._group.addButton(button)
            self.buttons[tool] = button
            row.addWidget(button)
        self.compare = self._button(commands, "compare")
        self.compare.clicked.connect(self.compareWanted)
        row.addWidget(self.compare)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(18)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, 70))
        self.setGraphicsEffect(shadow)
        over.installEventFilter(self)
        self.show_tool(Tool.SELECT)
        self.adjustSize()

    def _button(self, commands: Commands, command: str) -> IconButton:
        made = IconButton(
            COMMANDS[command].icon,
            commands.title(command),
            keys=commands.keys_text(command),
            checkable=True,
            side=34,
        )
        made.setObjectName(command)
        return made

    def show_tool(self, tool: Tool | None) -> None:
        """Mark the tool in hand, or none for one that is taken elsewhere, or while there is none."""
        self._group.setExclusive(tool in self.buttons)
        for other, button in self.buttons.items():
            button.setChecked(other is tool)

    def set_editable(self, on: bool) -> None:
        """Offer drawing, or not."""
        self.buttons[Tool.DRAW].setEnabled(on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.place()
        return False

    def place(self) -> None:
        """Go to the middle of the upper edge."""
        over = self.parentWidget()
        if over is not None:
            self.move((over.width() - self.width()) // 2, _TOP)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = look().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line)))
        painter.setBrush(QColor(theme.panel))
        radius = CARD_RADIUS
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), radius, radius)
        painter.end()
