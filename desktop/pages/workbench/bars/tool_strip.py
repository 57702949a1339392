"""Shows the tools over the canvas."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from desktop.canvas.tools.tool_machine import Tool
from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS
from desktop.pages.workbench.bars.floating import FloatingBar
from desktop.widgets import IconButton

_TOP = 12
_TOOLS = (
    (Tool.SELECT, "tool.select"),
    (Tool.DRAW, "tool.rectangle"),
    (Tool.PAN, "tool.pan"),
    (Tool.RULER, "tool.ruler"),
)


class ToolStrip(FloatingBar):
    """The tools select, draw, move, measure and compare, centred at the upper edge of the covered widget."""

    tool_picked = Signal(object)
    """The `Tool` that the user chose."""
    compare_wanted = Signal(bool)
    """Emitted to start or stop comparing reference and photo on the canvas."""

    def __init__(self, target: QWidget, commands: Commands) -> None:
        super().__init__(target, _TOP)
        self._commands = commands
        self.setObjectName("tool-strip")
        self.setAccessibleName(self.tr("Tools"))
        self._group = QButtonGroup(self)
        self.buttons: dict[Tool, IconButton] = {}
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 4, 4)
        row.setSpacing(4)
        for tool, command in _TOOLS:
            button = self._button(commands, command)
            button.clicked.connect(lambda _checked=False, it=tool: self.tool_picked.emit(it))
            self._group.addButton(button)
            self.buttons[tool] = button
            row.addWidget(button)
        self.compare = self._button(commands, "compare")
        self.compare.clicked.connect(self.compare_wanted)
        row.addWidget(self.compare)
        self.show_tool(Tool.SELECT)
        self.adjustSize()

    def add(self, widget: QWidget) -> None:
        """Add a widget at the end of the tools, with a gap."""
        self._row.addSpacing(8)
        self._row.addWidget(widget)
        self.reposition()

    def name_drawing(self, text: str) -> None:
        """Set the text of the drawing tool. An empty text stands for regions."""
        title = text or self._commands.title("tool.rectangle")
        self.buttons[Tool.DRAW].set_name(title, self._commands.keys_text("tool.rectangle"))

    def _button(self, commands: Commands, command: str) -> IconButton:
        button = IconButton(
            COMMANDS[command].icon,
            commands.title(command),
            keys=commands.keys_text(command),
            checkable=True,
            side=34,
        )
        button.setObjectName(command)
        return button

    def show_tool(self, tool: Tool | None) -> None:
        """Mark the active tool; None marks none."""
        self._group.setExclusive(tool in self.buttons)
        for other, button in self.buttons.items():
            button.setChecked(other is tool)

    def set_editable(self, editable: bool) -> None:
        """Enable or disable drawing."""
        self.buttons[Tool.DRAW].setEnabled(editable)
