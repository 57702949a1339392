"""Paints the boxes of findings over a picture. Their coordinates are pixels of the photo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop.canvas.layers.boxes import edges_of, edges_to_view, paint_boxes
from desktop.canvas.layers.chips import ChipPlaces, chip_font, chip_text, draw_chips
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.model.regions import Edges, RegionState
from desktop.canvas.model.viewport import Viewport
from shared.record.geometry import Rect

Matrix = npt.NDArray[np.float64]

_MANY = 200
"""Above this number of boxes in the view, all but the highlighted ones are painted together, as lines without
labels. Labels would find no place, and a frame with 1,000 dashed boxes takes 100 ms."""


@dataclass(frozen=True, slots=True)
class FindingBox:
    """A finding to show: its rectangle in px of its photo, its label and the confidence of the model (0..1).

    `author` names the user who drew the finding, which has no confidence then. `read_only` marks a finding
    that cannot be edited, such as one of another item. `reason` says why the box is not a finding of the
    photo, such as that the memory of the region explains it. It is shown as a tooltip, and such a box is
    read-only too.
    """

    rect: Rect
    label: str = ""
    confidence: float | None = None
    state: RegionState = RegionState.FAILED
    highlighted: bool = False
    author: str = ""
    read_only: bool = False
    reason: str = ""

    @property
    def text(self) -> str:
        """The label with the confidence or the author."""
        return self._add_source(self.label)

    def elided_text(self, metrics: QFontMetricsF) -> str:
        """The text with the label elided to the width of a chip."""
        return self._add_source(chip_text(metrics, self.label))

    def _add_source(self, name: str) -> str:
        if self.confidence is not None:
            return f"{name} {self.confidence:.2f}".lstrip()
        # Without the dot, the name would read as a part of a label of several words.
        return " · ".join(part for part in (name, self.author) if part)


def map_corners(rect: Rect, mapping: Matrix | None) -> list[tuple[float, float]]:
    """The corners of `rect`, clockwise from the upper left, mapped by a 3 x 3 homography if there is one."""
    corners = [(rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)]
    if mapping is None:
        return corners
    points = np.column_stack([np.array(corners), np.ones(4)]) @ np.asarray(mapping, np.float64).T
    flat = points[:, :2] / points[:, 2:]
    return [(float(x), float(y)) for x, y in flat]


def _chip_priority(place: tuple[FindingBox, QColor, list[tuple[float, float]]]) -> tuple[bool, bool, float]:
    box = place[0]
    return box.read_only, not box.highlighted, -(1.0 if box.confidence is None else box.confidence)


def draw_dashed_outline(
    painter: QPainter,
    corners: Sequence[tuple[float, float]],
    colour: QColor,
    dashes: Qt.PenStyle = Qt.PenStyle.DashLine,
) -> None:
    """Paint a dashed outline over a contrasting line, which is visible on every picture."""
    polygon = QPolygonF([QPointF(x, y) for x, y in corners])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    ground = QColor("#ffffff" if colour.lightnessF() < 0.5 else "#20262d")
    ground.setAlpha(170)
    for shade, style in ((ground, Qt.PenStyle.SolidLine), (colour, dashes)):
        painter.setPen(QPen(shade, 1.5, style))
        painter.drawPolygon(polygon)


def _bounds(corners: Sequence[tuple[float, float]]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the upright rectangle around corners."""
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _is_in_view(corners: Sequence[tuple[float, float]], viewport: Viewport) -> bool:
    xs, ys = zip(*corners, strict=True)
    is_beside = max(xs) <= 0 or min(xs) >= viewport.width
    return not is_beside and max(ys) > 0 and min(ys) < viewport.height


class FindingLayer:
    """Paints findings. `mapping` (3 x 3) maps px of their photo to px of the picture."""

    def __init__(self) -> None:
        self._boxes: tuple[FindingBox, ...] = ()
        self._edges: Edges | None = None
        self.mapping: Matrix | None = None
        self.show_labels = True

    @property
    def boxes(self) -> tuple[FindingBox, ...]:
        """The boxes."""
        return self._boxes

    @boxes.setter
    def boxes(self, boxes: tuple[FindingBox, ...]) -> None:
        self._boxes, self._edges = boxes, None

    def paint(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        font: QFont,
        taken: Iterable[QRectF] = (),
    ) -> None:
        """Paint all boxes, the highlighted ones last. `taken`: the places of other chips, in view px.

        A chip that finds no place beside its box is left out, unless that is highlighted. Highlighted boxes
        come first, then those with the highest confidence.
        """
        strong = chip_font(font)
        metrics = QFontMetricsF(strong)
        painter.setFont(strong)
        places: list[tuple[FindingBox, QColor, list[tuple[float, float]]]] = []
        boxes = self.boxes if self.mapping is not None else self._paint_many(painter, viewport, colours)
        for box in sorted(boxes, key=lambda box: box.highlighted):
            corners = [viewport.to_view(x, y) for x, y in map_corners(box.rect, self.mapping)]
            if box.read_only and not _is_in_view(corners, viewport):
                continue
            colour = QColor(colours.accent) if box.highlighted else colours.state_colour(box.state)
            if box.read_only:
                colour = QColor(colours.dim)
                dashes = Qt.PenStyle.DashDotLine if box.reason else Qt.PenStyle.DashLine
                draw_dashed_outline(painter, corners, colour, dashes)
            else:
                self._draw_outline(painter, corners, colour, 3 if box.highlighted else 2)
            if self.show_labels and box.text:
                places.append((box, colour, corners))
        if not places:
            return
        places.sort(key=_chip_priority)
        texts = [box.elided_text(metrics) for box, _, _ in places]
        widths = np.array([metrics.horizontalAdvance(text) + 14 for text in texts])
        edges = np.array([_bounds(corners) for _, _, corners in places])
        chip_places = ChipPlaces(edges, widths, edges, (viewport.width, viewport.height))
        for chip in taken:
            chip_places.block(chip)
        chips = []
        for index, (text, (box, colour, _)) in enumerate(zip(texts, places, strict=True)):
            place = chip_places.reserve(index, required=box.highlighted)
            if place is not None:
                chips.append((place, text, colour, RegionState.NONE))
        draw_chips(painter, chips)

    def _paint_many(
        self, painter: QPainter, viewport: Viewport, colours: CanvasColours
    ) -> Sequence[FindingBox]:
        """Paint the boxes in the view together if there are many. Returns those that are left to paint."""
        if len(self.boxes) <= _MANY:
            return self.boxes
        if self._edges is None:
            self._edges = edges_of(box.rect for box in self.boxes)
        edges = edges_to_view(self._edges, viewport)
        is_before_end = edges[:, :2] < (viewport.width, viewport.height)
        in_view = ((edges[:, 2:] > 0) & is_before_end).all(axis=1)
        seen = [self.boxes[index] for index in np.flatnonzero(in_view).tolist()]
        if len(seen) <= _MANY:
            return seen
        states = list(RegionState)
        styles = [*((colours.state_colour(state), False) for state in states), (QColor(colours.dim), False)]
        kinds = np.array([len(states) if box.read_only else states.index(box.state) for box in seen])
        order = np.argsort(kinds, kind="stable")
        paint_boxes(painter, edges[in_view][order], kinds[order], styles, 1.0, filled=False, cased=True)
        return [box for box in seen if box.highlighted]

    def reason_at(self, x: float, y: float, viewport: Viewport) -> str:
        """The reason of the smallest box at a point of the view; empty when no box there has one."""
        place, rule = QPointF(x, y), Qt.FillRule.WindingFill
        reasons = [
            (box.rect.area, box.reason)
            for box in self.boxes
            if box.reason and self._outline_polygon(box, viewport).containsPoint(place, rule)
        ]
        return min(reasons, default=(0.0, ""))[1]

    def _outline_polygon(self, box: FindingBox, viewport: Viewport) -> QPolygonF:
        corners = map_corners(box.rect, self.mapping)
        return QPolygonF([QPointF(*viewport.to_view(x, y)) for x, y in corners])

    @staticmethod
    def _draw_outline(
        painter: QPainter, corners: Sequence[tuple[float, float]], colour: QColor, width: int
    ) -> None:
        painter.setPen(QPen(colour, width))
        fill = QColor(colour)
        fill.setAlpha(26)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
