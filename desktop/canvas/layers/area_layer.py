"""Paints areas that detection does not look at: hatched, over the regions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.region_layer import crisp
from desktop.canvas.model.viewport import Viewport
from shared.geometry import Rect


class AreaLayer:
    """`areas` are rectangles in px of the picture on view, `chosen` is the place of the marked one or -1."""

    def __init__(self) -> None:
        self.areas: tuple[Rect, ...] = ()
        self.chosen = -1

    def paint(self, painter: QPainter, viewport: Viewport, colours: CanvasColours) -> None:
        """Paint all areas."""
        for index, area in enumerate(self.areas):
            box = crisp(viewport.rect_to_view(area))
            ground = QColor(colours.panel)
            ground.setAlpha(110)
            painter.fillRect(box, ground)
            colour = QColor(colours.accent if index == self.chosen else colours.text)
            # Two hatches, dark over light: seen on every ground.
            for shade, pattern in (
                (colours.panel, Qt.BrushStyle.BDiagPattern),
                (colour, Qt.BrushStyle.FDiagPattern),
            ):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QBrush(QColor(shade), pattern))
                painter.drawRect(box)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour, 1.5, Qt.PenStyle.DashLine))
            painter.drawRect(box)
