"""Offers the comparison modes over the canvas."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider

from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands
from desktop.pages.workbench.bars.floating import FloatingBar
from desktop.pages.workbench.bars.mode_buttons import ModeButtons

_TOP = 64
_MIX_PX = 110


class CompareBar(FloatingBar):
    """The bar of comparison modes with the opacity of the overlay, below the tools of the canvas."""

    def __init__(self, view: CompareView, commands: Commands) -> None:
        super().__init__(view, _TOP)
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
        view.modeChanged.connect(self.show_mode)
        view.mixChanged.connect(self._on_mix_changed)
        self._on_mix_changed(view.mix)
        self.show_pair(None)
        self.show_mode(view.mode)

    def show_mode(self, mode: CompareMode) -> None:
        """Mark the current mode."""
        self.modes.mark(mode)
        self.mix.setVisible(mode is CompareMode.OVERLAY)
        self.reposition()

    def show_pair(self, pair: AlignedPair | None) -> None:
        """Offer the modes that this pair allows."""
        self.modes.offer(pair)

    def _on_mix_changed(self, share: float) -> None:
        self.mix.setValue(round(share * 100))
