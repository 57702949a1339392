"""Paints the regions with number chips where there is room, and handles of selected regions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPixmap

from desktop.canvas.layers.chips import ChipPlaces
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.marks import chip_font, chip_text, draw_chip
from desktop.canvas.model.rect_index import Edges
from desktop.canvas.model.regions import Region, RegionState, RegionStore, StoreEvent
from desktop.canvas.model.shaping import Handle
from desktop.canvas.model.viewport import Viewport
from shared.images.cv import cv2
from shared.record.geometry import Rect

_MARGIN = 8
"""Edges are clipped this many px outside the view, so that coordinates stay small."""


def paint_outlines(painter: QPainter, viewport: Viewport, groups: Iterable[tuple[Edges, QColor]]) -> None:
    """Paint lines of one px around rectangles (px of the picture), each group in its opaque colour.

    The result equals that of a pen of width 1 without antialiasing around `pixel_aligned_rects`.
    """
    ratio = painter.device().devicePixelRatio()
    width, height = round(viewport.width * ratio), round(viewport.height * ratio)
    pixels = np.zeros((height, width, 4), np.uint8)
    farthest = max(width, height) + _MARGIN
    thick = max(round(ratio), 1)
    for edges, colour in groups:
        corners = np.rint(pixel_aligned_edges(edges, viewport) * ratio).astype(np.int32)
        for inset in range(thick):
            low, high = inset - thick // 2, (thick - 1) // 2 - inset
            lines = np.clip(corners + np.array((low, low, high, high)), -_MARGIN, farthest)
            polygons = lines[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
            # The order of the bytes of a pixel in Qt: blue, green, red, alpha.
            paint = (colour.blue(), colour.green(), colour.red(), 255)
            cv2.polylines(pixels, polygons, True, paint)
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    painter.drawImage(QRectF(0, 0, width / ratio, height / ratio), image)


def pixel_aligned_rects(edges: Edges, viewport: Viewport) -> list[QRectF]:
    """The results of `pixel_aligned` for the visible rectangles. `edges` are px of the picture."""
    corners = pixel_aligned_edges(edges, viewport)
    corners[:, 2:] -= corners[:, :2]
    return [QRectF(*box) for box in corners.tolist()]


def pixel_aligned_edges(edges: Edges, viewport: Viewport) -> Edges:
    """Left, top, right and bottom of the visible rectangles in view px: whole px, at least one apart."""
    corner = (viewport.left, viewport.top)
    view = np.rint(edges * viewport.scale + (*corner, *corner))
    visible = (view[:, :2] <= (viewport.width, viewport.height)).all(axis=1) & (view[:, 2:] >= 0).all(axis=1)
    view = view[visible]
    view[:, 2:] = np.maximum(view[:, 2:], view[:, :2] + 1)
    return view


HANDLE = 9
"""Side of a handle in view px."""

BATCH_THRESHOLD = 200
"""Above this number of visible or selected regions, they are painted in one batch instead of one by one."""

_MAX_FILLED = 1500
"""Above this number of visible regions, only their outlines are painted."""
_MAX_EXTRA = 200
_MAX_CHIPS = 400
_MAX_CHIP_CELLS = 2000
_MIN_CHIP_SIDE = 24.0
_FILL_ALPHA = 34


class RegionLayer:
    """Paints the regions of a store. Groups for the batch painting are kept until the store changes."""

    def __init__(self, store: RegionStore) -> None:
        self._store = store
        self._groups: dict[tuple[RegionState, bool], tuple[list[str], Edges]] = {}
        self._large: list[Region] = []
        self._extra: set[str] = set()
        self._stale = True
        self._groups_version = self._version = 0
        self._batch_pixmap = _CachedPixmap()
        self._selected_pixmap = _CachedPixmap()
        store.subscribe(self._on_store_changed)
        self.show_regions = True
        self.show_labels = True
        self.full_names = False
        """Show the name and the note of every region in place of its mark, not only of selected regions."""

    def paint(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        moved_rects: Mapping[str, Rect],
        font: QFont,
    ) -> None:
        """Paint the visible regions. `moved_rects` has the present rectangles of dragged regions by id."""
        if not self.show_regions:
            return
        special = {*self._store.selected_ids, *moved_rects}
        count = self._store.count_intersecting(viewport.visible)
        if count > BATCH_THRESHOLD:
            self._rebuild_groups()
            self._paint_batch(painter, viewport, colours, font, frozenset(moved_rects), count <= _MAX_FILLED)
            unselected = [
                region
                for region in map(self._store.get, self._extra - special)
                if region and not region.hidden
            ]
        else:
            visible = self._store.find_intersecting(viewport.visible)
            unselected = [region for region in visible if region.id not in special]
            unselected.sort(key=lambda region: -region.rect.area)
        self._paint_one_by_one(painter, viewport, colours, unselected)
        selected_regions = [self._store[key] for key in special if key in self._store]
        selected_regions = [region for region in selected_regions if not region.hidden]
        paint_together = len(selected_regions) > BATCH_THRESHOLD
        if paint_together:
            self._paint_selected_batch(painter, viewport, colours, selected_regions, moved_rects)
            selected_regions = []
        selected_regions = [
            region.with_rect(moved_rects.get(region.id, region.rect)) for region in selected_regions
        ]
        accent = QColor(colours.accent)
        for region in selected_regions:
            self._paint_box(painter, viewport.rect_to_view(region.rect), accent, region.locked, 2.0)
        if self.show_labels:
            selected = set() if paint_together else set(self._store.selected_ids)
            labelled = [*selected_regions, *unselected]
            self._paint_chips(painter, viewport, colours, labelled, selected, font, 0.0, _edges_of(labelled))
        self._paint_handles(
            painter, viewport, accent, (region for region in selected_regions if not region.locked)
        )

    def _paint_one_by_one(
        self, painter: QPainter, viewport: Viewport, colours: CanvasColours, regions: Iterable[Region]
    ) -> None:
        for region in sorted(regions, key=lambda region: region.z):
            box = viewport.rect_to_view(region.rect)
            self._paint_box(painter, box, colours.state_colour(region.state), region.locked, 1.5)

    @staticmethod
    def _paint_box(painter: QPainter, box: Rect, colour: QColor, locked: bool, width: float) -> None:
        _set_pen(painter, colour, locked, width)
        _set_fill(painter, colour)
        painter.drawRect(pixel_aligned(box))

    def _paint_batch(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        font: QFont,
        excluded: frozenset[str],
        filled: bool,
    ) -> None:
        """Paint all regions except `excluded` from a pixmap that is redrawn when the view or a region
        changes."""

        def draw(pixmap_painter: QPainter) -> None:
            outlined_groups: list[tuple[Edges, QColor]] = []
            for (state, locked), (ids, edges) in self._groups.items():
                colour = colours.state_colour(state)
                remaining = edges[[key not in excluded for key in ids]] if excluded else edges
                if not filled and not locked:
                    outlined_groups.append((remaining, colour))
                    continue
                _set_pen(pixmap_painter, colour, locked, 1.5 if filled else 1.0)
                if filled:
                    _set_fill(pixmap_painter, colour)
                pixmap_painter.drawRects(pixel_aligned_rects(remaining, viewport))
            if outlined_groups:
                paint_outlines(pixmap_painter, viewport, outlined_groups)
            if self.show_labels:
                large = (region for region in self._large if region.id not in excluded)
                # Among more regions no chip finds a place that covers none.
                near = [edges for _, edges in self._groups.values()] if filled else []
                self._paint_chips(
                    pixmap_painter,
                    viewport,
                    colours,
                    large,
                    set(),
                    font,
                    _MIN_CHIP_SIDE,
                    np.concatenate([np.empty((0, 4)), *near]),
                )

        key = (viewport, colours, self._groups_version, self.show_labels, excluded, filled)
        self._batch_pixmap.paint(painter, viewport, key, draw)

    def _paint_selected_batch(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        selected_regions: Sequence[Region],
        moved_rects: Mapping[str, Rect],
    ) -> None:
        """Paint many selected regions without handles and chips."""

        def draw(pixmap_painter: QPainter) -> None:
            accent = QColor(colours.accent)
            filled = len(selected_regions) <= _MAX_FILLED
            if filled:
                _set_fill(pixmap_painter, accent)
            for locked in (False, True):
                ids = [region.id for region in selected_regions if region.locked is locked]
                edges = self._store.edges(ids)
                for row, rect in enumerate(map(moved_rects.get, ids)):
                    if rect is not None:
                        edges[row] = (rect.x, rect.y, rect.right, rect.bottom)
                if not filled and not locked:
                    paint_outlines(pixmap_painter, viewport, [(edges, accent)])
                    continue
                _set_pen(pixmap_painter, accent, locked, 2.0 if filled else 1.0)
                pixmap_painter.drawRects(pixel_aligned_rects(edges, viewport))

        key = (viewport, colours, self._version, tuple(moved_rects.items()))
        self._selected_pixmap.paint(painter, viewport, key, draw)

    def _on_store_changed(self, event: StoreEvent) -> None:
        """Mark the groups as stale. Added regions are painted over the groups and do not make them stale."""
        self._version += 1
        if (event.changed | event.removed) - self._extra:
            self._stale = True
        self._extra = (self._extra | event.added) - event.removed

    def _rebuild_groups(self) -> None:
        if not self._stale and len(self._extra) <= _MAX_EXTRA:
            return
        self._stale = False
        self._extra.clear()
        self._groups_version += 1
        visible_regions = [region for region in self._store if not region.hidden]
        ids = [region.id for region in visible_regions]
        edges = self._store.edges(ids)
        groups: defaultdict[tuple[RegionState, bool], list[int]] = defaultdict(list)
        for index, region in enumerate(visible_regions):
            groups[region.state, region.locked].append(index)
        self._groups = {
            key: ([ids[index] for index in places], edges[places]) for key, places in groups.items()
        }
        areas = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
        self._large = [visible_regions[index] for index in np.argsort(-areas, kind="stable")[:_MAX_CHIPS]]

    def _paint_chips(
        self,
        painter: QPainter,
        viewport: Viewport,
        colours: CanvasColours,
        regions: Iterable[Region],
        selected: set[str],
        font: QFont,
        min_side: float,
        edges: Edges,
    ) -> None:
        """Paint number chips at regions with a side of at least `min_side` view px, in this order.

        `edges` (n, 4) are all regions, px of the picture.

        A chip that would cover another one or another region takes the next free position at its region. If
        no position is free, the chip is left out unless its region is selected.
        """
        strong = chip_font(font)
        metrics = QFontMetricsF(strong)
        painter.setFont(strong)
        corner = (viewport.left, viewport.top)
        boxes = edges * viewport.scale + (*corner, *corner)
        view = viewport.width, viewport.height
        visible = (boxes[:, :2] <= view).all(axis=1) & (boxes[:, 2:] >= 0).all(axis=1)
        places = ChipPlaces(boxes[visible], view)
        for region in regions:
            box = viewport.rect_to_view(region.rect)
            is_selected = region.id in selected
            if not is_selected and max(box.w, box.h) < min_side:
                continue
            text = str(region.number)
            if is_selected or self.full_names:
                name = chip_text(metrics, region.label)
                text = " ".join(part for part in (text, name, region.note) if part)
            mark = RegionState.NONE if self.full_names else region.state
            width = metrics.horizontalAdvance(text) + 14 + (15 if mark is not RegionState.NONE else 0)
            if places.cells > _MAX_CHIP_CELLS:
                return
            chip = places.take(box, width, required=is_selected)
            if chip is None:
                continue
            colour = QColor(colours.accent) if is_selected else colours.state_colour(region.state)
            draw_chip(painter, chip, text, colour, mark)

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
    """A pixmap of many regions that is redrawn when its key changes."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._key: object = None

    def paint(
        self, painter: QPainter, viewport: Viewport, key: object, draw: Callable[[QPainter], None]
    ) -> None:
        """Paint the pixmap over the whole view. `draw` gets a painter on the empty pixmap, in view px."""
        ratio = painter.device().devicePixelRatio()
        if self._key != (key, ratio):
            self._key = (key, ratio)
            self._pixmap = QPixmap(round(viewport.width * ratio), round(viewport.height * ratio))
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(self._pixmap) as pixmap_painter:
                draw(pixmap_painter)
        painter.drawPixmap(0, 0, self._pixmap)


def _edges_of(regions: Sequence[Region]) -> Edges:
    """Left, top, right and bottom of regions, px of the picture, shape (n, 4)."""
    rects = (region.rect for region in regions)
    return np.array([(rect.x, rect.y, rect.right, rect.bottom) for rect in rects]).reshape(-1, 4)


def _set_pen(painter: QPainter, colour: QColor, locked: bool, width: float) -> None:
    pen = QPen(colour, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if locked:
        pen.setDashPattern([5, 3])
    painter.setPen(pen)


def _set_fill(painter: QPainter, colour: QColor) -> None:
    fill = QColor(colour)
    fill.setAlpha(_FILL_ALPHA)
    painter.setBrush(fill)


def pixel_aligned(box: Rect) -> QRectF:
    """The rectangle in view px with edges on whole px, so that lines are sharp."""
    x, y = round(box.x), round(box.y)
    return QRectF(x, y, max(round(box.right) - x, 1), max(round(box.bottom) - y, 1))
