"""Paints the regions: rectangles in bulk, number chips where there is room, handles of the selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from heapq import nlargest

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from desktop.canvas.colours import CanvasColours
from desktop.canvas.marks import CHIP_HEIGHT, chip_font, draw_chip
from desktop.canvas.regions import Region, RegionStore, State, StoreEvent
from desktop.canvas.shaping import Handle
from desktop.canvas.viewport import Viewport
from shared.geometry import Rect

HANDLE = 9
"""Side of a handle in view px."""

MANY = 1500
"""Above this many visible regions all are painted from a prepared list instead of one by one."""

_EXTRA = 200
_CHIPS = 400
_CHIP_CELLS = 2000
_CHIP_FROM = 10.0
_CHIP_FROM_MANY = 24.0
_FILL_ALPHA = 34


class RegionLayer:
    """Paints a store. What is prepared for many regions is kept until the store changes."""

    def __init__(self, store: RegionStore) -> None:
        self._store = store
        self._boxes: dict[str, tuple[Rect, QRectF]] = {}
        self._groups: dict[State, list[QRectF]] = {}
        self._large: list[Region] = []
        self._extra: set[str] = set()
        self._stale = True
        self._prepared = 0
        self._sheet = QPixmap()
        self._sheet_for: object = None
        store.subscribe(self._store_changed)
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
        if not self.show_regions:
            return
        special = {*self._store.selected, *moved}
        many = self._store.count_touching(viewport.visible) > MANY
        if many:
            self._prepare()
            self._paint_many(painter, viewport, colours, font, frozenset(moved))
            plain = [
                region
                for region in map(self._store.get, self._extra - special)
                if region and not region.hidden
            ]
        else:
            seen = self._store.touching(viewport.visible)
            plain = [region for region in seen if region.id not in special]
            plain.sort(key=lambda region: -region.rect.area)
        self._paint_few(painter, viewport, colours, plain)
        chosen = [self._store[key] for key in special if key in self._store]
        chosen = [region.at(moved.get(region.id, region.rect)) for region in chosen if not region.hidden]
        accent = QColor(colours.accent)
        for region in chosen:
            self._box(painter, viewport.rect_to_view(region.rect), accent, region.locked, 2.0)
        if self.show_labels:
            selected = set(self._store.selected)
            self._chips(painter, viewport, colours, [*chosen, *plain], selected, font, _CHIP_FROM)
        self._handles(painter, viewport, accent, (region for region in chosen if not region.locked))

    def _paint_few(
        self, painter: QPainter, viewport: Viewport, colours: CanvasColours, regions: Iterable[Region]
    ) -> None:
        for region in sorted(regions, key=lambda one: one.z):
            box = viewport.rect_to_view(region.rect)
            self._box(painter, box, colours.of_state(region.state), region.locked, 1.5)

    @staticmethod
    def _box(painter: QPainter, box: Rect, colour: QColor, locked: bool, width: float) -> None:
        pen = QPen(colour, width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if locked:
            pen.setDashPattern([5, 3])
        painter.setPen(pen)
        fill = QColor(colour)
        fill.setAlpha(_FILL_ALPHA)
        painter.setBrush(fill)
        painter.drawRect(crisp(box))

    def _paint_many(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        font: QFont,
        away: frozenset[str],
    ) -> None:
        """Paint all but those `away` from a sheet that is drawn anew when the view or a region changed."""
        ratio = painter.device().devicePixelRatio()
        key = (viewport, colours, ratio, self._prepared, self.show_labels, away)
        if self._sheet_for != key:
            self._sheet_for = key
            self._sheet = QPixmap(round(viewport.width * ratio), round(viewport.height * ratio))
            self._sheet.setDevicePixelRatio(ratio)
            self._sheet.fill(Qt.GlobalColor.transparent)
            with QPainter(self._sheet) as sheet_painter:
                self._draw_many(sheet_painter, viewport, colours, ratio, away)
                if self.show_labels:
                    sheet_painter.resetTransform()
                    least = _CHIP_FROM_MANY
                    staying = (region for region in self._large if region.id not in away)
                    self._chips(sheet_painter, viewport, colours, staying, set(), font, least)
        painter.drawPixmap(0, 0, self._sheet)

    def _draw_many(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        ratio: float,
        away: frozenset[str],
    ) -> None:
        gone = {id(self._boxes[key][1]) for key in away if key in self._boxes}
        painter.translate(viewport.left, viewport.top)
        painter.scale(viewport.scale, viewport.scale)
        for state, boxes in self._groups.items():
            colour = colours.of_state(state)
            pen = QPen(colour, ratio)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRects([box for box in boxes if id(box) not in gone] if gone else boxes)

    def _store_changed(self, event: StoreEvent) -> None:
        """What is new is painted over what was prepared; for anything else that is prepared anew."""
        if (event.changed | event.removed) - self._extra:
            self._stale = True
        self._extra = (self._extra | event.added) - event.removed

    def _prepare(self) -> None:
        if not self._stale and len(self._extra) <= _EXTRA:
            return
        self._stale = False
        self._extra.clear()
        self._prepared += 1
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
        shown = (region for region in self._store if not region.hidden)
        self._large = nlargest(_CHIPS, shown, key=lambda region: region.rect.area)

    def _chips(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        regions: Iterable[Region],
        selected: set[str],
        font: QFont,
        least: float,
    ) -> None:
        """Numbers at the upper left of regions with a side of at least `least` view px, in this order.

        A chip that would cover another one is left out, unless its region is selected.
        """
        strong = chip_font(font)
        metrics = QFontMetricsF(strong)
        painter.setFont(strong)
        taken: set[tuple[int, int]] = set()
        for region in regions:
            box = viewport.rect_to_view(region.rect)
            chosen = region.id in selected
            if not chosen and max(box.w, box.h) < least:
                continue
            text = str(region.number)
            if chosen:
                text = " ".join(part for part in (text, region.label, region.note) if part)
            width = metrics.horizontalAdvance(text) + 14 + (15 if region.state is not State.NONE else 0)
            x = min(max(box.x - 1, 0.0), max(viewport.width - width, 0.0))
            y = box.y - CHIP_HEIGHT if box.y >= CHIP_HEIGHT else max(box.y, 0.0)
            chip = QRectF(round(x), round(y), round(width), CHIP_HEIGHT)
            cells = _cells(chip)
            if not chosen and not taken.isdisjoint(cells):
                continue
            if len(taken) > _CHIP_CELLS:
                return
            taken.update(cells)
            colour = QColor(colours.accent) if chosen else colours.of_state(region.state)
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


def _cells(chip: QRectF) -> list[tuple[int, int]]:
    """The squares of half a chip's height that a chip lies on: what it takes from others."""
    side = CHIP_HEIGHT / 2
    columns = range(int(chip.left() // side), int(chip.right() // side) + 1)
    rows = range(int(chip.top() // side), int((chip.bottom() - 1) // side) + 1)
    return [(column, row) for column in columns for row in rows]
