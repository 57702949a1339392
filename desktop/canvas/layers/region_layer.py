"""Paints the regions: rectangles in bulk, number chips where there is room, handles of the selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.marks import chip_cells, chip_font, chip_places, chip_text, draw_chip
from desktop.canvas.layers.outlines import crisp_boxes, paint_outlines
from desktop.canvas.model.rect_index import Edges
from desktop.canvas.model.regions import Region, RegionState, RegionStore, StoreEvent
from desktop.canvas.model.shaping import Handle
from desktop.canvas.model.viewport import Viewport
from shared.geometry import Rect

HANDLE = 9
"""Side of a handle in view px."""

MANY = 200
"""Above this many visible regions, or selected ones, they are painted together instead of one by one."""

_FILLED = 1500
"""Above this many visible regions only their outlines are painted."""
_EXTRA = 200
_CHIPS = 400
_CHIP_CELLS = 2000
_CHIP_FROM_MANY = 24.0
_FILL_ALPHA = 34


class RegionLayer:
    """Paints a store. What is prepared for many regions is kept until the store changes."""

    def __init__(self, store: RegionStore) -> None:
        self._store = store
        self._groups: dict[tuple[RegionState, bool], tuple[list[str], Edges]] = {}
        self._large: list[Region] = []
        self._extra: set[str] = set()
        self._stale = True
        self._prepared = self._version = 0
        self._sheet = _Sheet()
        self._chosen_sheet = _Sheet()
        store.subscribe(self._store_changed)
        self.show_regions = True
        self.show_labels = True
        self.full_names = False
        """Say the name and the note of every region in place of its mark, not only of selected ones."""

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
        count = self._store.count_touching(viewport.visible)
        if count > MANY:
            self._prepare()
            self._paint_many(painter, viewport, colours, font, frozenset(moved), count <= _FILLED)
            plain = [
                region
                for region in map(self._store.get, self._extra - special)
                if region and not region.hidden
            ]
        else:
            visible = self._store.touching(viewport.visible)
            plain = [region for region in visible if region.id not in special]
            plain.sort(key=lambda region: -region.rect.area)
        self._paint_few(painter, viewport, colours, plain)
        chosen = [self._store[key] for key in special if key in self._store]
        chosen = [region for region in chosen if not region.hidden]
        together = len(chosen) > MANY
        if together:
            self._paint_chosen(painter, viewport, colours, chosen, moved)
            chosen = []
        chosen = [region.at(moved.get(region.id, region.rect)) for region in chosen]
        accent = QColor(colours.accent)
        for region in chosen:
            self._box(painter, viewport.rect_to_view(region.rect), accent, region.locked, 2.0)
        if self.show_labels:
            selected = set() if together else set(self._store.selected)
            self._chips(painter, viewport, colours, [*chosen, *plain], selected, font, 0.0)
        self._handles(painter, viewport, accent, (region for region in chosen if not region.locked))

    def _paint_few(
        self, painter: QPainter, viewport: Viewport, colours: CanvasColours, regions: Iterable[Region]
    ) -> None:
        for region in sorted(regions, key=lambda region: region.z):
            box = viewport.rect_to_view(region.rect)
            self._box(painter, box, colours.of_state(region.state), region.locked, 1.5)

    @staticmethod
    def _box(painter: QPainter, box: Rect, colour: QColor, locked: bool, width: float) -> None:
        _take_pen(painter, colour, locked, width)
        _take_fill(painter, colour)
        painter.drawRect(crisp(box))

    def _paint_many(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        font: QFont,
        away: frozenset[str],
        filled: bool,
    ) -> None:
        """Paint all but those `away` from a sheet that is redrawn when the view or a region changed."""

        def draw(sheet_painter: QPainter) -> None:
            plain: list[tuple[Edges, QColor]] = []
            for (state, locked), (ids, edges) in self._groups.items():
                colour = colours.of_state(state)
                staying = edges[[key not in away for key in ids]] if away else edges
                if not filled and not locked:
                    plain.append((staying, colour))
                    continue
                _take_pen(sheet_painter, colour, locked, 1.5 if filled else 1.0)
                if filled:
                    _take_fill(sheet_painter, colour)
                sheet_painter.drawRects(crisp_boxes(staying, viewport))
            if plain:
                paint_outlines(sheet_painter, viewport, plain)
            if self.show_labels:
                large = (region for region in self._large if region.id not in away)
                self._chips(sheet_painter, viewport, colours, large, set(), font, _CHIP_FROM_MANY)

        key = (viewport, colours, self._prepared, self.show_labels, away, filled)
        self._sheet.paint(painter, viewport, key, draw)

    def _paint_chosen(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        chosen: Sequence[Region],
        moved: Mapping[str, Rect],
    ) -> None:
        """Paint many selected regions, without what is there to get hold of a single one."""

        def draw(sheet_painter: QPainter) -> None:
            accent = QColor(colours.accent)
            filled = len(chosen) <= _FILLED
            if filled:
                _take_fill(sheet_painter, accent)
            for locked in (False, True):
                ids = [region.id for region in chosen if region.locked is locked]
                edges = self._store.edges(ids)
                for row, rect in enumerate(map(moved.get, ids)):
                    if rect is not None:
                        edges[row] = (rect.x, rect.y, rect.right, rect.bottom)
                if not filled and not locked:
                    paint_outlines(sheet_painter, viewport, [(edges, accent)])
                    continue
                _take_pen(sheet_painter, accent, locked, 2.0 if filled else 1.0)
                sheet_painter.drawRects(crisp_boxes(edges, viewport))

        key = (viewport, colours, self._version, tuple(moved.items()))
        self._chosen_sheet.paint(painter, viewport, key, draw)

    def _store_changed(self, event: StoreEvent) -> None:
        """What is new is painted over what was prepared; anything else rebuilds it."""
        self._version += 1
        if (event.changed | event.removed) - self._extra:
            self._stale = True
        self._extra = (self._extra | event.added) - event.removed

    def _prepare(self) -> None:
        if not self._stale and len(self._extra) <= _EXTRA:
            return
        self._stale = False
        self._extra.clear()
        self._prepared += 1
        shown = [region for region in self._store if not region.hidden]
        ids = [region.id for region in shown]
        edges = self._store.edges(ids)
        groups: defaultdict[tuple[RegionState, bool], list[int]] = defaultdict(list)
        for index, region in enumerate(shown):
            groups[region.state, region.locked].append(index)
        self._groups = {
            key: ([ids[index] for index in places], edges[places]) for key, places in groups.items()
        }
        areas = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
        self._large = [shown[index] for index in np.argsort(-areas, kind="stable")[:_CHIPS]]

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
        """Numbers beside regions with a side of at least `least` view px, in this order.

        A chip that would cover another one goes to the next place at its region; where none is free it is
        left out, unless its region is selected.
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
            if chosen or self.full_names:
                name = chip_text(metrics, region.label)
                text = " ".join(part for part in (text, name, region.note) if part)
            mark = RegionState.NONE if self.full_names else region.state
            width = metrics.horizontalAdvance(text) + 14 + (15 if mark is not RegionState.NONE else 0)
            chips = chip_places(box, width, (viewport.width, viewport.height))
            spots = ((place, chip_cells(place)) for place in chips)
            spot = next((spot for spot in spots if chosen or taken.isdisjoint(spot[1])), None)
            if spot is None:
                continue
            if len(taken) > _CHIP_CELLS:
                return
            chip, cells = spot
            taken.update(cells)
            colour = QColor(colours.accent) if chosen else colours.of_state(region.state)
            draw_chip(painter, chip, text, colour, mark)

    @staticmethod
    def _handles(painter: QPainter, viewport: Viewport, accent: QColor, regions: Iterable[Region]) -> None:
        painter.setPen(QPen(accent, 1.5))
        painter.setBrush(QColor("#ffffff"))
        for region in regions:
            box = viewport.rect_to_view(region.rect)
            roomy = min(box.w, box.h) > 3 * HANDLE
            for handle in Handle:
                if roomy or 0 not in handle.value:
                    x, y = handle.point_on(box)
                    side = HANDLE - 1
                    painter.drawRect(QRectF(round(x) - side / 2, round(y) - side / 2, side, side))


class _Sheet:
    """A picture of many regions, redrawn when what it shows is not what its key said."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._key: object = None

    def paint(
        self, painter: QPainter, viewport: Viewport, key: object, draw: Callable[[QPainter], None]
    ) -> None:
        """Paint it over all of the view; `draw` gets a painter on the empty sheet, in view px."""
        ratio = painter.device().devicePixelRatio()
        if self._key != (key, ratio):
            self._key = (key, ratio)
            self._pixmap = QPixmap(round(viewport.width * ratio), round(viewport.height * ratio))
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(self._pixmap) as sheet_painter:
                draw(sheet_painter)
        painter.drawPixmap(0, 0, self._pixmap)


def _take_pen(painter: QPainter, colour: QColor, locked: bool, width: float) -> None:
    pen = QPen(colour, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if locked:
        pen.setDashPattern([5, 3])
    painter.setPen(pen)


def _take_fill(painter: QPainter, colour: QColor) -> None:
    fill = QColor(colour)
    fill.setAlpha(_FILL_ALPHA)
    painter.setBrush(fill)


def crisp(box: Rect) -> QRectF:
    """The rectangle in view px with edges on whole px, where a line is not smeared over two."""
    x, y = round(box.x), round(box.y)
    return QRectF(x, y, max(round(box.right) - x, 1), max(round(box.bottom) - y, 1))
