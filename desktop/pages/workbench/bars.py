"""The floating bars over the canvas: tools, and how the pictures are compared."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLayout, QSlider, QWidget

from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS
from desktop.theme import CARD_RADIUS, theme_manager
from desktop.widgets import Button, ButtonKind, IconButton, escape_tooltip
from desktop.widgets.basic.shadows import soft_shadow

_BLUR = 6
_DROP = 4
_TOOLS_TOP = 12
_STRENGTH = 0.27
_GEOMETRY_EVENTS = {
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.ShowToParent,
    QEvent.Type.HideToParent,
    QEvent.Type.ZOrderChange,
}


class FloatingBar(QWidget):
    """A bar with a shadow, `top` px below the upper edge of the widget that it covers."""

    def __init__(self, target: QWidget, top: int) -> None:
        super().__init__(target)
        self._target, self._top = target, top
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._shadow = _Shadow(self)
        target.installEventFilter(self)

    @property
    def covered(self) -> int:
        """The px that the bar covers at the top of the widget below it, with the gaps above and below."""
        return self._top + self.sizeHint().height() + _TOOLS_TOP

    def reposition(self) -> None:
        """Adjust the size to the content, and centre the bar."""
        self.adjustSize()
        self.move(max((self._target.width() - self.width()) // 2, 0), self._top)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in _GEOMETRY_EVENTS:
            self._shadow.follow_bar()
        return handled

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.reposition()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line)))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), CARD_RADIUS, CARD_RADIUS)
        painter.end()


class _Shadow(QWidget):
    """The shadow of a bar: a picture directly below it.

    An effect on the bar itself would blur it again whenever the canvas is painted, and lay out the whole
    window before that, with all pages that are hidden.
    """

    def __init__(self, bar: FloatingBar) -> None:
        super().__init__(bar.parentWidget())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar = bar
        self._image = QImage()
        self.follow_bar()

    def follow_bar(self) -> None:
        """Move directly below the bar, with its size and visibility."""
        margin = 3 * _BLUR
        self.setGeometry(self._bar.geometry().adjusted(-margin, _DROP - margin, margin, _DROP + margin))
        self.stackUnder(self._bar)
        self.setVisible(not self._bar.isHidden())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._image.size() != self.size():
            self._image = soft_shadow(self._bar.width(), self._bar.height(), _BLUR, _STRENGTH)
        painter = QPainter(self)
        painter.drawImage(0, 0, self._image)
        painter.end()


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
        super().__init__(target, _TOOLS_TOP)
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


MODE_COMMANDS = {
    CompareMode.SIDE_BY_SIDE: "compare.side_by_side",
    CompareMode.SWIPE: "compare.swipe",
    CompareMode.BLINK: "compare.blink",
    CompareMode.DIFFERENCE: "compare.difference",
    CompareMode.OVERLAY: "compare.overlay",
}
"""The command of each mode."""


class ModeButtons(QObject):
    """A button for each mode, the current one marked."""

    chosen = Signal(object)
    """The `CompareMode` that the user chose."""

    def __init__(self, name: str, commands: Commands, row: QLayout, parent: QObject) -> None:
        """Add the buttons to `row`. `name` is the prefix of their object names."""
        super().__init__(parent)
        self.buttons: dict[CompareMode, Button] = {}
        for mode, text in (
            (CompareMode.SIDE_BY_SIDE, self.tr("Side by side")),
            (CompareMode.SWIPE, self.tr("Swipe")),
            (CompareMode.BLINK, self.tr("Blink")),
            (CompareMode.DIFFERENCE, self.tr("Difference")),
            (CompareMode.OVERLAY, self.tr("Overlay")),
        ):
            button = Button(text, kind=ButtonKind.QUIET)
            button.setObjectName(f"{name}-{mode.value}")
            button.setToolTip(escape_tooltip(commands.tooltip(MODE_COMMANDS[mode])))
            button.clicked.connect(lambda _checked=False, it=mode: self.chosen.emit(it))
            self.buttons[mode] = button
            row.addWidget(button)

    def mark(self, mode: CompareMode) -> None:
        """Mark the current mode."""
        for it, button in self.buttons.items():
            kind = ButtonKind.LINK if it is mode else ButtonKind.QUIET
            if button.kind is not kind:
                button.kind = kind
                button.update()

    def offer(self, pair: AlignedPair | None) -> None:
        """Offer the modes that this pair allows: without an alignment only side by side."""
        for mode, button in self.buttons.items():
            button.setEnabled(mode is CompareMode.SIDE_BY_SIDE or (pair is not None and pair.aligned))


_COMPARE_TOP = 64
_MIX_PX = 110


class CompareBar(FloatingBar):
    """The bar of comparison modes with the opacity of the overlay, below the tools of the canvas."""

    def __init__(self, view: CompareView, commands: Commands) -> None:
        super().__init__(view, _COMPARE_TOP)
        self._view = view
        self.setObjectName("compare-bar")
        self.setAccessibleName(self.tr("Compare modes"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(12)
        self.modes = ModeButtons("bar", commands, row, self)
        self.modes.chosen.connect(view.set_mode)
        self.mix = QSlider(Qt.Orientation.Horizontal)
        self.mix.setObjectName("compare-mix")
        self.mix.setAccessibleName(self.tr("Photo visibility"))
        self.mix.setToolTip(self.tr("Photo visibility"))
        self.mix.setRange(0, 100)
        self.mix.setFixedWidth(_MIX_PX)
        self.mix.valueChanged.connect(lambda percent: view.set_mix(percent / 100))
        row.addWidget(self.mix)
        view.mode_changed.connect(self.show_mode)
        view.mix_changed.connect(self._on_mix_changed)
        self._on_mix_changed(view.mix)
        self.show_pair(None)

    def show_mode(self, mode: CompareMode) -> None:
        """Mark the current mode."""
        self.modes.mark(mode)
        self.mix.setVisible(mode is CompareMode.OVERLAY)
        self.reposition()

    def show_pair(self, pair: AlignedPair | None) -> None:
        """Offer the modes that this pair allows, and mark the one in which it is drawn."""
        self.modes.offer(pair)
        self.show_mode(self._view.drawn_mode)

    def _on_mix_changed(self, share: float) -> None:
        self.mix.setValue(round(share * 100))
