"""Sets which greys of a picture of more than 8 bits are shown as black and as white."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QWidget

from desktop.canvas.views.overlays import FloatingPanel, make_button
from desktop.imaging.sources.grey import GreyLevels

_STEPS = 1000
_SLIDER_PX = 80


class LevelsChip(FloatingPanel):
    """Two sliders, for black and for white, with their values in the file and a button that resets them."""

    chosen = Signal(object)
    """The new `GreyLevels`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("levels")
        self._bounds = self._default = self.levels = GreyLevels(0, 1)
        self.black, self.white = (
            self._slider(self.tr("Darkest grey value")),
            self._slider(self.tr("Brightest grey value")),
        )
        self._text = QLabel()
        reset = make_button("↺", self.tr("Reset grey values"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 6, 3)
        layout.setSpacing(6)
        for widget in (self.black, self.white, self._text, reset):
            layout.addWidget(widget)
        self.black.valueChanged.connect(lambda value: self._on_moved(self.black, value))
        self.white.valueChanged.connect(lambda value: self._on_moved(self.white, value))
        reset.clicked.connect(lambda: self._choose(self._default))

    def set_range(self, bounds: GreyLevels, default: GreyLevels, shown: GreyLevels) -> None:
        """Set the least and greatest value, those of the reset, and the shown ones."""
        self._bounds, self._default = bounds, default
        self._show(shown)

    def _slider(self, name: str) -> QSlider:
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, _STEPS)
        slider.setPageStep(_STEPS // 20)
        slider.setFixedWidth(_SLIDER_PX)
        slider.setAccessibleName(name)
        slider.setToolTip(name)
        return slider

    def _on_moved(self, slider: QSlider, step: int) -> None:
        """Black stays at least one step below white."""
        black, white = self.black.value(), self.white.value()
        if slider is self.black:
            black = min(step, white - 1)
        else:
            white = max(step, black + 1)
        self._choose(GreyLevels(self._value(black), self._value(white)))

    def _choose(self, levels: GreyLevels) -> None:
        self._show(levels)
        self.chosen.emit(levels)

    def _show(self, levels: GreyLevels) -> None:
        self.levels = levels
        for slider, value in ((self.black, levels.black), (self.white, levels.white)):
            slider.blockSignals(True)
            slider.setValue(round((value - self._bounds.black) / self._span * _STEPS))
            slider.blockSignals(False)
        self._text.setText(f"{self._number(levels.black)} – {self._number(levels.white)}")
        self.adjustSize()

    def _value(self, step: int) -> float:
        return self._bounds.black + self._span * step / _STEPS

    @property
    def _span(self) -> float:
        return max(self._bounds.white - self._bounds.black, 1e-9)

    def _number(self, value: float) -> str:
        """The value with as many decimals as a step of the slider changes."""
        decimals = max(0, -math.floor(math.log10(self._span / _STEPS)))
        return f"{value:.{min(decimals, 6)}f}"
