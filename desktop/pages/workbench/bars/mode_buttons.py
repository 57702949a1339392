"""Creates the buttons of the comparison modes, for the inspector and the canvas."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLayout

from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands
from desktop.widgets import Button, ButtonKind, escape_tooltip

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
