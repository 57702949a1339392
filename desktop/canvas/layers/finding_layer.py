"""Paints the boxes of findings over a picture, in the pixels of the photo they were found in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.marks import CHIP_HEIGHT, chip_cells, chip_font, chip_text, draw_chip
from desktop.canvas.model.regions import RegionState
from desktop.canvas.model.viewport import Viewport
from shared.geometry import Rect

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FindingBox:
    """A finding to show: its rectangle in px of its photo, what it is, how sure the model is (0..1).

    `author` is set for one that a person drew, which has no confidence. `quiet` marks one of another
    item: it is only shown and cannot be edited. `reason` says why one is not a finding of the photo, such as
    that the memory of the region explains it: it is quiet too, and the reason is its tooltip.
    """

    rect: Rect
    label: str = ""
    confidence: float | None = None
    state: RegionState = RegionState.FAILED
    highlighted: bool = False
    author: str = ""
    quiet: bool = False
    reason: str = ""

    @property
    def text(self) -> str:
        """Label and confidence, or who drew it."""
        return self._with_source(self.label)

    def fitted_text(self, metrics: QFontMetricsF) -> str:
        """The same as it fits into a chip."""
        return self._with_source(chip_text(metrics, self.label))

    def _with_source(self, name: str) -> str:
        if self.confidence is not None:
            return f"{name} {self.confidence:.2f}".lstrip()
        # A name after a label of several words would read as a part of it.
        return " · ".join(part for part in (name, self.author) if part)


def mapped_corners(rect: Rect, mapping: Matrix | None) -> list[tuple[float, float]]:
    """The corners of `rect`, clockwise from the upper left, through a 3 x 3 homography or none."""
    corners = [(rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)]
    if mapping is None:
        return corners
    points = np.column_stack([np.array(corners), np.ones(4)]) @ np.asarray(mapping, np.float64).T
    flat = points[:, :2] / points[:, 2:]
    return [(float(x), float(y)) for x, y in flat]


def _urgency(place: tuple[FindingBox, QColor, list[tuple[float, float]]]) -> tuple[bool, bool, float]:
    box = place[0]
    return box.quiet, not box.highlighted, -(1.0 if box.confidence is None else box.confidence)


def dashed_outline(
    painter: QPainter,
    corners: Sequence[tuple[float, float]],
    colour: QColor,
    dashes: Qt.PenStyle = Qt.PenStyle.DashLine,
) -> None:
    """Paint an outline without a ground: dashes over a line in contrast, seen on every picture."""
    polygon = QPolygonF([QPointF(x, y) for x, y in corners])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    ground = QColor("#ffffff" if colour.lightnessF() < 0.5 else "#20262d")
    ground.setAlpha(170)
    for shade, style in ((ground, Qt.PenStyle.SolidLine), (colour, dashes)):
        painter.setPen(QPen(shade, 1.5, style))
        painter.drawPolygon(polygon)


def _in_view(corners: Sequence[tuple[float, float]], viewport: Viewport) -> bool:
    across, down = zip(*corners, strict=True)
    beside = max(across) <= 0 or min(across) >= viewport.width
    return not beside and max(down) > 0 and min(down) < viewport.height


class FindingLayer:
    """Paints findings. `mapping` brings px of their photo to px of the picture on view."""

    def __init__(self) -> None:
        self.boxes: tuple[FindingBox, ...] = ()
        self.mapping: Matrix | None = None
        self.show_labels = True

    def paint(self, painter: QPainter, viewport: Viewport, colours: CanvasColours, font: QFont) -> None:
        """Paint all boxes, the highlighted ones last.

        A chip that would cover another one is left out: first those of highlighted boxes, then the surest.
        """
        strong = chip_font(font)
        metrics = QFontMetricsF(strong)
        painter.setFont(strong)
        places: list[tuple[FindingBox, QColor, list[tuple[float, float]]]] = []
        for box in sorted(self.boxes, key=lambda box: box.highlighted):
            corners = [viewport.to_view(x, y) for x, y in mapped_corners(box.rect, self.mapping)]
            if box.quiet and not _in_view(corners, viewport):
                continue
            colour = QColor(colours.accent) if box.highlighted else colours.of_state(box.state)
            if box.quiet:
                colour = QColor(colours.dim)
                dashes = Qt.PenStyle.DashDotLine if box.reason else Qt.PenStyle.DashLine
                dashed_outline(painter, corners, colour, dashes)
            else:
                self._outline(painter, corners, colour, 3 if box.highlighted else 2)
            if self.show_labels and box.text:
                places.append((box, colour, corners))
        taken: set[tuple[int, int]] = set()
        for box, colour, corners in sorted(places, key=_urgency):
            x, y = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
            text = box.fitted_text(metrics)
            width = metrics.horizontalAdvance(text) + 14
            x = min(max(x - 1, 0), max(viewport.width - width, 0))
            y = y - CHIP_HEIGHT if y >= CHIP_HEIGHT else max(y, 0)
            chip = QRectF(round(x), round(y), round(width), CHIP_HEIGHT)
            cells = chip_cells(chip)
            if taken.isdisjoint(cells):
                taken.update(cells)
                draw_chip(painter, chip, text, colour)

    def reason_at(self, x: float, y: float, viewport: Viewport) -> str:
        """Why the box at a place of the view is not a finding; empty where no box has a reason."""
        place, rule = QPointF(x, y), Qt.FillRule.WindingFill
        reasons = [
            (box.rect.area, box.reason)
            for box in self.boxes
            if box.reason and self._outlined(box, viewport).containsPoint(place, rule)
        ]
        return min(reasons, default=(0.0, ""))[1]

    def _outlined(self, box: FindingBox, viewport: Viewport) -> QPolygonF:
        corners = mapped_corners(box.rect, self.mapping)
        return QPolygonF([QPointF(*viewport.to_view(x, y)) for x, y in corners])

    @staticmethod
    def _outline(
        painter: QPainter, corners: Sequence[tuple[float, float]], colour: QColor, width: int
    ) -> None:
        painter.setPen(QPen(colour, width))
        fill = QColor(colour)
        fill.setAlpha(26)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
