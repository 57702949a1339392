"""Paints ignored areas hatched over the regions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.region_layer import pixel_aligned
from desktop.canvas.model.viewport import Viewport
from shared.record.geometry import Rect


class AreaLayer:
    """Paints `areas`, rectangles in px of the picture. `selected_index` is the index of the marked one or
    -1."""

    def __init__(self) -> None:
        self.areas: tuple[Rect, ...] = ()
        self.selected_index = -1

    def paint(self, painter: QPainter, viewport: Viewport, colours: CanvasColours) -> None:
        """Paint all areas."""
        for index, area in enumerate(self.areas):
            box = pixel_aligned(viewport.rect_to_view(area))
            ground = QColor(colours.panel)
            ground.setAlpha(110)
            painter.fillRect(box, ground)
            colour = QColor(colours.accent if index == self.selected_index else colours.text)
            # A dark hatch over a light one is visible on every picture.
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
