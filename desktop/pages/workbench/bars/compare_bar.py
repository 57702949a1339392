"""Offers the comparison modes over the canvas."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLayout, QSlider

from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands
from desktop.pages.workbench.bars.floating import FloatingBar
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


_TOP = 64
_MIX_PX = 110


class CompareBar(FloatingBar):
    """The bar of comparison modes with the opacity of the overlay, below the tools of the canvas."""

    def __init__(self, view: CompareView, commands: Commands) -> None:
        super().__init__(view, _TOP)
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
