"""Paints an unfinished action: the rectangle being drawn, the selection band, the ruler."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from desktop.canvas.layers.boxes import pixel_aligned
from desktop.canvas.layers.chips import CHIP_HEIGHT, chip_font, draw_chip
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.model.viewport import Viewport
from desktop.canvas.tools.tool_machine import Measure, ToolDraft
from desktop.canvas.tools.tool_names import measure_text
from shared.record.geometry import Rect


def paint_draft(
    painter: QPainter,
    viewport: Viewport,
    draft: ToolDraft,
    colours: CanvasColours,
    font: QFont,
    mm_per_pixel: float | None,
) -> None:
    """Paint a draft over all other layers. `mm_per_pixel` adds sizes in mm; None if it is unknown."""
    accent = QColor(colours.accent)
    if draft.new_rect is not None:
        _draw_frame(painter, viewport.rect_to_view(draft.new_rect), accent, Qt.PenStyle.SolidLine)
        size = f"{draft.new_rect.w:.0f} × {draft.new_rect.h:.0f}"
        if mm_per_pixel is not None:
            size += f" · {draft.new_rect.w * mm_per_pixel:.1f} × {draft.new_rect.h * mm_per_pixel:.1f} mm"
        box = viewport.rect_to_view(draft.new_rect)
        _draw_size_chip(painter, viewport, box.right, box.bottom + 6, size, accent, font)
    if draft.band is not None:
        _draw_frame(painter, viewport.rect_to_view(draft.band), accent, Qt.PenStyle.DashLine)
    if draft.measure is not None:
        _draw_ruler(painter, viewport, draft.measure, accent, font, mm_per_pixel)


def _draw_frame(painter: QPainter, box: Rect, accent: QColor, style: Qt.PenStyle) -> None:
    pen = QPen(accent, 1.5, style)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    fill = QColor(accent)
    fill.setAlpha(30)
    painter.setBrush(fill)
    painter.drawRect(pixel_aligned(box))


def _draw_ruler(
    painter: QPainter,
    viewport: Viewport,
    measure: Measure,
    accent: QColor,
    font: QFont,
    mm_per_pixel: float | None,
) -> None:
    x1, y1 = viewport.to_view(measure.x1, measure.y1)
    x2, y2 = viewport.to_view(measure.x2, measure.y2)
    line = QLineF(x1, y1, x2, y2)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((QColor("#ffffff"), 4.0), (accent, 2.0)):
        painter.setPen(QPen(colour, width))
        painter.drawLine(line)
        for point in (line.p1(), line.p2()):
            end = QLineF(point, line.p2() if point == line.p1() else line.p1()).normalVector()
            end.setLength(6)
            painter.drawLine(end)
            end.setLength(-6)
            painter.drawLine(end)
    painter.restore()
    text = measure_text(measure, mm_per_pixel)
    _draw_size_chip(painter, viewport, (x1 + x2) / 2 + 8, (y1 + y2) / 2 + 8, text, accent, font)


def _draw_size_chip(
    painter: QPainter, viewport: Viewport, x: float, y: float, text: str, accent: QColor, font: QFont
) -> None:
    strong = chip_font(font)
    painter.setFont(strong)
    width = QFontMetricsF(strong).horizontalAdvance(text) + 14
    x = min(max(x, 0), max(viewport.width - width, 0))
    y = min(max(y, 0), max(viewport.height - CHIP_HEIGHT, 0))
    draw_chip(painter, QRectF(round(x), round(y), round(width), CHIP_HEIGHT), text, accent)


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
