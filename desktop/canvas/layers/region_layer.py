"""Paints the regions with number chips where there is room, and handles of selected regions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap

from desktop.canvas.layers.boxes import Style, edges_to_view, order_by_kind, paint_boxes, rects_to_view
from desktop.canvas.layers.chips import POSITIONS, ChipPlaces, chip_font, chip_label, draw_chips
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.model.regions import KINDS, Edges, Region, RegionState, RegionStore, StoreEvent
from desktop.canvas.model.shaping import Handle
from desktop.canvas.model.viewport import Viewport
from shared.record.geometry import Rect

HANDLE = 9
"""Side of a handle in view px."""

BATCH_THRESHOLD = 200
"""Above this number of visible or selected regions, those of one colour are painted together, only large
ones get chips, and the picture of them is kept while nothing changes."""

_MAX_FILLED = 1500
"""Above this number of visible regions, only their outlines are painted."""
_MOST_FILLED = 0.25
"""A region that takes more of the view is not filled: it is what is judged, also by its colour."""
_MAX_EXTRA = 200
_MAX_CHIPS = 200
_MIN_CHIP_SIDE = 24.0


class RegionLayer:
    """Paints the regions of a store."""

    def __init__(self, store: RegionStore) -> None:
        self._store = store
        self._extra: set[str] = set()
        """Regions that were added since the picture of many regions was made. They are painted over it."""
        self._stale = True
        self._batch_version = self._version = 0
        self._batch_pixmap = _CachedPixmap()
        self._selected_pixmap = _CachedPixmap()
        store.subscribe(self._on_store_changed)
        self.show_regions = True
        self.show_labels = True
        self.chips: list[QRectF] = []
        """The places of the chips that `paint` painted last, in view px; without those of a crowd."""
        self.full_names = False
        """Show the name and the note of every region in place of its mark, not only of selected regions."""

    def paint(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        moved_rects: Mapping[str, Rect],
        font: QFont,
        *,
        handles: bool = True,
    ) -> None:
        """Paint the visible regions. `moved_rects` has the present rectangles of dragged regions by id.

        `handles`: paint the handles of selected regions, by which a user resizes them.
        """
        self.chips = []
        if not self.show_regions:
            return
        special = dict.fromkeys((*self._store.selected_ids, *moved_rects))
        count = self._store.count_intersecting(viewport.visible)
        if count > BATCH_THRESHOLD:
            self._paint_batch(painter, viewport, colours, font, frozenset(moved_rects), count <= _MAX_FILLED)
            unselected, boxes = self._paint_extra(painter, viewport, colours, special)
        else:
            rows = self._store.rows_intersecting(viewport.visible, special)
            boxes = edges_to_view(rows.edges, viewport)
            order = order_by_kind(boxes, rows.kinds)
            _paint_outlines(painter, viewport, boxes[order], rows.kinds[order], _styles(colours), 1.5)
            by_size = np.argsort(-rows.areas, kind="stable")
            unselected, boxes = [self._store[rows.ids[row]] for row in by_size.tolist()], boxes[by_size]
        selected_regions = [
            region.with_rect(moved_rects.get(region.id, region.rect)) for region in self._regions_of(special)
        ]
        paint_selected = partial(_paint_selected, selected_regions, viewport, colours)
        paint_together = len(selected_regions) > BATCH_THRESHOLD
        if paint_together:
            key = (viewport, colours, self._version, tuple(moved_rects.items()))
            self._selected_pixmap.paint(painter, viewport, key, paint_selected)
            selected_regions = []
        else:
            paint_selected(painter)
        if self.show_labels:
            selected = set() if paint_together else set(self._store.selected_ids)
            boxes = np.concatenate(
                (rects_to_view((region.rect for region in selected_regions), viewport), boxes)
            )
            labelled = [*selected_regions, *unselected]
            self.chips = self._paint_chips(painter, viewport, colours, labelled, boxes, boxes, selected, font)
        if handles:
            resizable = (region for region in selected_regions if not region.locked)
            self._paint_handles(painter, viewport, QColor(colours.accent), resizable)

    def _paint_batch(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        font: QFont,
        excluded: frozenset[str],
        filled: bool,
    ) -> None:
        """Paint all regions except `excluded` and added ones from a pixmap that is redrawn when the view or a
        region changes."""
        if self._stale or len(self._extra) > _MAX_EXTRA:
            self._stale = False
            self._extra.clear()
            self._batch_version += 1

        def draw(pixmap_painter: QPainter) -> None:
            rows = self._store.rows_intersecting(viewport.visible, excluded | self._extra)
            boxes = edges_to_view(rows.edges, viewport)
            by_kind = np.argsort(rows.kinds, kind="stable")
            kinds, width = rows.kinds[by_kind], 1.5 if filled else 1.0
            _paint_outlines(pixmap_painter, viewport, boxes[by_kind], kinds, _styles(colours), width, filled)
            if self.show_labels:
                largest = np.argsort(-rows.areas, kind="stable")[:_MAX_CHIPS]
                sides = (boxes[largest, 2:] - boxes[largest, :2]).max(axis=1)
                largest = largest[sides >= _MIN_CHIP_SIDE]
                labelled = [self._store[rows.ids[row]] for row in largest.tolist()]
                # Among more regions no chip finds a place that covers none.
                others = boxes if filled else boxes[:0]
                self._paint_chips(
                    pixmap_painter, viewport, colours, labelled, boxes[largest], others, set(), font
                )

        key = (viewport, colours, self._batch_version, self.show_labels, excluded, filled)
        self._batch_pixmap.paint(painter, viewport, key, draw)

    def _paint_extra(
        self, painter: QPainter, viewport: Viewport, colours: CanvasColours, excluded: Collection[str]
    ) -> tuple[list[Region], Edges]:
        """Paint the added regions except `excluded`. Returns those in the view and their edges in view px."""
        visible, extra = viewport.visible, self._regions_of(self._extra.difference(excluded))
        regions = [region for region in extra if not region.rect.intersection(visible).is_empty]
        regions.sort(key=lambda region: (region.z, -region.rect.area))
        boxes = rects_to_view((region.rect for region in regions), viewport)
        kinds = np.array([KINDS.index((region.state, region.locked)) for region in regions], np.int64)
        _paint_outlines(painter, viewport, boxes, kinds, _styles(colours), 1.5)
        return regions, boxes

    def _on_store_changed(self, event: StoreEvent) -> None:
        """Mark the picture of many regions as stale. Added regions are painted over it."""
        self._version += 1
        if (event.changed | event.removed) - self._extra:
            self._stale = True
        self._extra = (self._extra | event.added) - event.removed

    def _regions_of(self, ids: Iterable[str]) -> list[Region]:
        """The regions with these ids that are not hidden."""
        return [region for region in map(self._store.get, ids) if region and not region.hidden]

    def _paint_chips(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        regions: Sequence[Region],
        boxes: Edges,
        others: Edges,
        selected: Collection[str],
        font: QFont,
    ) -> list[QRectF]:
        """Paint number chips at regions in this order, and return their places.

        `boxes` (n, 4) are the edges of the regions, `others` (m, 4) those of all regions, in view px. A chip
        that would cover another one or another region takes the next free position at its region. If no
        position is free, the chip is left out unless its region is selected.
        """
        if not regions:
            return []
        strong = chip_font(font)
        painter.setFont(strong)
        font_key = strong.key()
        colour_of = {state: colours.state_colour(state) for state in RegionState}
        accent = QColor(colours.accent)
        labels = []
        for region in regions:
            is_selected = region.id in selected
            if is_selected or self.full_names:
                text, width = chip_label(font_key, region.number, region.label, region.note)
            else:
                text, width = chip_label(font_key, region.number)
            mark = RegionState.NONE if self.full_names else region.state
            width += 14 if mark is RegionState.NONE else 29
            labels.append(
                (text, width, accent if is_selected else colour_of[region.state], mark, is_selected)
            )
        widths = np.array([width for _, width, *_ in labels])
        positions = 2 if len(labels) > BATCH_THRESHOLD // 2 else POSITIONS
        places = ChipPlaces(boxes, widths, others, (viewport.width, viewport.height), positions)
        chips = []
        for index, (text, _, colour, mark, is_selected) in enumerate(labels):
            chip = places.reserve(index, required=is_selected)
            if chip is not None:
                chips.append((chip, text, colour, mark))
        draw_chips(painter, chips)
        return [chip for chip, *_ in chips]

    @staticmethod
    def _paint_handles(
        painter: QPainter, viewport: Viewport, accent: QColor, regions: Iterable[Region]
    ) -> None:
        side = HANDLE - 1
        squares: list[QRectF] = []
        for region in regions:
            box = viewport.rect_to_view(region.rect)
            has_room = min(box.w, box.h) > 3 * HANDLE
            for handle in Handle:
                if has_room or 0 not in handle.value:
                    x, y = handle.point_on(box)
                    squares.append(QRectF(round(x) - side / 2, round(y) - side / 2, side, side))
        if squares:
            painter.setPen(QPen(accent, 1.5))
            painter.setBrush(QColor("#ffffff"))
            painter.drawRects(squares)


class _CachedPixmap:
    """A pixmap of many regions that is made when they are painted again with the same key."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._key: object = None
        self._is_stale = True

    def paint(
        self, painter: QPainter, viewport: Viewport, key: object, draw: Callable[[QPainter], None]
    ) -> None:
        """Paint the pixmap over the whole view, or what `draw` paints: it gets a painter in view px."""
        ratio = painter.device().devicePixelRatio()
        if self._key != (key, ratio):
            # What changes with every frame, as while zooming, is not worth a pixmap.
            self._key, self._is_stale = (key, ratio), True
            draw(painter)
            return
        if self._is_stale:
            self._is_stale = False
            self._pixmap = QPixmap(round(viewport.width * ratio), round(viewport.height * ratio))
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(self._pixmap) as pixmap_painter:
                draw(pixmap_painter)
        painter.drawPixmap(0, 0, self._pixmap)


def _paint_selected(
    regions: Sequence[Region], viewport: Viewport, colours: CanvasColours, painter: QPainter
) -> None:
    """Paint selected regions without handles and chips."""
    filled = len(regions) <= _MAX_FILLED
    accent = QColor(colours.accent)
    styles = [(accent, False), (accent, True)]
    regions = sorted(regions, key=lambda region: region.locked)
    locked = np.array([region.locked for region in regions], np.int64)
    boxes, width = rects_to_view((region.rect for region in regions), viewport), 2.0 if filled else 1.0
    _paint_outlines(painter, viewport, boxes, locked, styles, width, filled)


def _paint_outlines(
    painter: QPainter,
    viewport: Viewport,
    boxes: Edges,
    kinds: npt.NDArray[np.intp],
    styles: Sequence[Style],
    width: float,
    filled: bool = True,
) -> None:
    """Paint regions (n, 4) in view px, without fills and casings where there are too many."""
    most = _MOST_FILLED * viewport.width * viewport.height
    paint_boxes(painter, boxes, kinds, styles, width, filled=filled, most_filled=most, cased=filled)


def _styles(colours: CanvasColours) -> list[Style]:
    """The styles of the kinds of regions."""
    return [(colours.state_colour(state), locked) for state, locked in KINDS]
