"""Paints the regions: rectangles in bulk, number chips where there is room, handles of the selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from desktop.canvas.colours import CanvasColours
from desktop.canvas.marks import CHIP_HEIGHT, chip_font, draw_chip
from desktop.canvas.regions import Region, RegionStore, State
from desktop.canvas.shaping import Handle
from desktop.canvas.viewport import Viewport
from shared.geometry import Rect

HANDLE = 9
"""Side of a handle in view px."""

MANY = 1500
"""Above this many visible regions all are painted from a prepared list instead of one by one."""

_CHIPS = 300
_CHIP_FROM = 10.0
_FILL_ALPHA = 34


class RegionLayer:
    """Paints a store. What is prepared for many regions is kept until the store changes."""

    def __init__(self, store: RegionStore) -> None:
        self._store = store
        self._boxes: dict[str, tuple[Rect, QRectF]] = {}
        self._groups: dict[State, list[QRectF]] = {}
        self._prepared_for = -1
        self.show_regions = True
        self.show_labels = True

    def paint(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        moved: Mapping[str, Rect],
        font: QFont,
    ) -> None:
        """Paint the regions that are seen; those in `moved` where they are being dragged to."""
        selected = self._store.selected
        if not self.show_regions:
            return
        visible = viewport.visible
        shown = self._store.touching(visible)
        special = {*selected, *moved}
        if len(shown) > MANY:
            self._paint_many(painter, viewport, colours)
        else:
            plain = [region for region in shown if region.id not in special]
            self._paint_few(painter, viewport, colours, plain)
        chosen = [self._store[key] for key in special if key in self._store]
        chosen = [region.at(moved.get(region.id, region.rect)) for region in chosen if not region.hidden]
        accent = QColor(colours.accent)
        for region in chosen:
            self._box(painter, viewport.rect_to_view(region.rect), accent, region.locked, 2.0)
        if self.show_labels:
            others = sorted(
                (region for region in shown if region.id not in special), key=lambda region: -region.rect.area
            )
            self._chips(painter, viewport, colours, [*chosen, *others], set(selected), font)
        self._handles(painter, viewport, accent, (region for region in chosen if not region.locked))

    def _paint_few(
        self, painter: QPainter, viewport: Viewport, colours: CanvasColours, regions: Iterable[Region]
    ) -> None:
        for region in sorted(regions, key=lambda one: (one.z, -one.rect.area)):
            box = viewport.rect_to_view(region.rect)
            self._box(painter, box, colours.of_state(region.state), region.locked, 1.5)

    @staticmethod
    def _box(painter: QPainter, box: Rect, colour: QColor, locked: bool, width: float) -> None:
        pen = QPen(colour, width)
        pen.setCosmetic(True)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if locked:
            pen.setDashPattern([5, 3])
        painter.setPen(pen)
        fill = QColor(colour)
        fill.setAlpha(_FILL_ALPHA)
        painter.setBrush(fill)
        painter.drawRect(crisp(box))

    def _paint_many(self, painter: QPainter, viewport: Viewport, colours: CanvasColours) -> None:
        self._prepare()
        painter.save()
        painter.translate(viewport.left, viewport.top)
        painter.scale(viewport.scale, viewport.scale)
        for state, boxes in self._groups.items():
            colour = colours.of_state(state)
            pen = QPen(colour, 1)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRects(boxes)
        painter.restore()

    def _prepare(self) -> None:
        if self._prepared_for == self._store.revision:
            return
        self._prepared_for = self._store.revision
        before, self._boxes = self._boxes, {}
        groups: defaultdict[State, list[QRectF]] = defaultdict(list)
        for region in self._store:
            if region.hidden:
                continue
            known = before.get(region.id)
            if known is None or known[0] is not region.rect:
                rect = region.rect
                known = (rect, QRectF(rect.x, rect.y, rect.w, rect.h))
            self._boxes[region.id] = known
            groups[region.state].append(known[1])
        self._groups = dict(groups)

    def _chips(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        regions: Iterable[Region],
        selected: set[str],
        font: QFont,
    ) -> None:
        """Numbers at the upper left corners, those of the selected and of large regions first. A chip that
        would cover another one is left out."""
        strong = chip_font(font)
        metrics = QFontMetricsF(strong)
        painter.setFont(strong)
        taken: list[QRectF] = []
        for region in regions:
            if len(taken) == _CHIPS:
                return
            box = viewport.rect_to_view(region.rect)
            chosen = region.id in selected
            if not chosen and max(box.w, box.h) < _CHIP_FROM:
                return
            text = str(region.number)
            if chosen:
                text = " ".join(part for part in (text, region.label, region.note) if part)
            colour = QColor(colours.accent) if chosen else colours.of_state(region.state)
            width = metrics.horizontalAdvance(text) + 14 + (15 if region.state is not State.NONE else 0)
            x = min(max(box.x - 1, 0.0), max(viewport.width - width, 0.0))
            y = box.y - CHIP_HEIGHT if box.y >= CHIP_HEIGHT else max(box.y, 0.0)
            chip = QRectF(round(x), round(y), round(width), CHIP_HEIGHT)
            if any(chip.intersects(other) for other in taken):
                continue
            taken.append(chip)
            draw_chip(painter, chip, text, colour, region.state)

    @staticmethod
    def _handles(painter: QPainter, viewport: Viewport, accent: QColor, regions: Iterable[Region]) -> None:
        painter.setPen(QPen(accent, 1.5))
        painter.setBrush(QColor("#ffffff"))
        for region in regions:
            box = viewport.rect_to_view(region.rect)
            roomy = min(box.w, box.h) > 3 * HANDLE
            for handle in Handle:
                if roomy or 0 not in handle.value:
                    x, y = handle.place(box)
                    side = HANDLE - 1
                    painter.drawRect(QRectF(round(x) - side / 2, round(y) - side / 2, side, side))


def crisp(box: Rect) -> QRectF:
    """The rectangle in view px with edges on whole px, where a line is not smeared over two."""
    x, y = round(box.x), round(box.y)
    return QRectF(x, y, max(round(box.right) - x, 1), max(round(box.bottom) - y, 1))
