"""Paints the regions with number chips where there is room, and handles of selected regions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPixmap

from desktop.canvas.layers.chips import POSITIONS, ChipPlaces
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.marks import chip_font, chip_text, draw_chips
from desktop.canvas.model.rect_index import Edges
from desktop.canvas.model.regions import Region, RegionState, RegionStore, StoreEvent
from desktop.canvas.model.shaping import Handle
from desktop.canvas.model.viewport import Viewport
from shared.images.cv import cv2
from shared.record.geometry import Rect

_MARGIN = 8
"""Edges are clipped this many px outside the view, so that coordinates stay small."""


def paint_outlines(
    painter: QPainter, viewport: Viewport, groups: Iterable[tuple[Edges, QColor]], line_width: float = 1.0
) -> None:
    """Paint lines of 1 or 1.5 px around rectangles (px of the picture), each group in its opaque colour.

    The result equals that of a pen of this width without antialiasing around `pixel_aligned_rects`, which
    takes several times as long.
    """
    ratio = painter.device().devicePixelRatio()
    width, height = round(viewport.width * ratio), round(viewport.height * ratio)
    pixels = np.zeros((height, width, 4), np.uint8)
    farthest = max(width, height) + _MARGIN
    # A pen covers the px whose centres are less than half its width away.
    thick = max(math.ceil(line_width * ratio - 0.25), 1)
    insets = np.arange(thick)[:, None, None]
    low, high = insets - thick // 2, (thick - 1) // 2 - insets
    lines = np.concatenate((low, low, high, high), axis=2)
    for edges, colour in groups:
        corners = np.rint(pixel_aligned_edges(edges, viewport) * ratio)
        outlines = np.clip(corners + lines, -_MARGIN, farthest).astype(np.int32)
        polygons: Any = outlines[..., [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
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
    view = np.rint(_to_view(edges, viewport))
    view = view[_are_visible(view, (viewport.width, viewport.height))]
    view[:, 2:] = np.maximum(view[:, 2:], view[:, :2] + 1)
    return view


HANDLE = 9
"""Side of a handle in view px."""

BATCH_THRESHOLD = 200
"""Above this number of visible or selected regions, they are painted in one batch instead of one by one."""

_MAX_FILLED = 1500
"""Above this number of visible regions, only their outlines are painted."""
_MAX_EXTRA = 200
_MAX_CHIPS = 200
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
        *,
        handles: bool = True,
    ) -> None:
        """Paint the visible regions. `moved_rects` has the present rectangles of dragged regions by id.

        `handles`: paint the handles of selected regions, by which a user resizes them.
        """
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
        if handles:
            resizable = (region for region in selected_regions if not region.locked)
            self._paint_handles(painter, viewport, accent, resizable)

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
            width = 1.5 if filled else 1.0
            for (state, locked), (ids, edges) in self._groups.items():
                colour = colours.state_colour(state)
                remaining = edges[[key not in excluded for key in ids]] if excluded else edges
                if locked:
                    _set_pen(pixmap_painter, colour, locked, width)
                else:
                    outlined_groups.append((remaining, colour))
                    pixmap_painter.setPen(Qt.PenStyle.NoPen)
                if filled:
                    _set_fill(pixmap_painter, colour)
                if filled or locked:
                    pixmap_painter.drawRects(pixel_aligned_rects(remaining, viewport))
            if outlined_groups:
                paint_outlines(pixmap_painter, viewport, outlined_groups, width)
            if self.show_labels:
                large = [region for region in self._large if region.id not in excluded]
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
        regions: Sequence[Region],
        selected: set[str],
        font: QFont,
        min_side: float,
        edges: Edges,
    ) -> None:
        """Paint number chips at regions with a side of at least `min_side` view px, in this order.

        `edges` (n, 4) are all regions, px of the picture. A chip that would cover another one or another
        region takes the next free position at its region. If no position is free, the chip is left out
        unless its region is selected.
        """
        view = (viewport.width, viewport.height)
        boxes = _to_view(_edges_of(regions), viewport)
        is_shown = _are_visible(boxes, view) & ((boxes[:, 2:] - boxes[:, :2]).max(axis=1) >= min_side)
        is_shown |= np.array([region.id in selected for region in regions], bool)
        labelled = [regions[index] for index in np.flatnonzero(is_shown).tolist()]
        if not labelled:
            return
        strong = chip_font(font)
        metrics = QFontMetricsF(strong)
        painter.setFont(strong)
        texts = [self._chip_text(metrics, region, region.id in selected) for region in labelled]
        marks = [RegionState.NONE if self.full_names else region.state for region in labelled]
        widths = np.array([metrics.horizontalAdvance(text) + 14 for text in texts])
        widths += np.array([0 if mark is RegionState.NONE else 15 for mark in marks])
        others = _to_view(edges, viewport)
        positions = 2 if len(labelled) > BATCH_THRESHOLD // 2 else POSITIONS
        others = others[_are_visible(others, view)]
        places = ChipPlaces(boxes[is_shown], widths, others, view, positions)
        chips = []
        for index, region in enumerate(labelled):
            is_selected = region.id in selected
            chip = places.reserve(index, required=is_selected)
            if chip is not None:
                colour = QColor(colours.accent) if is_selected else colours.state_colour(region.state)
                chips.append((chip, texts[index], colour, marks[index]))
        draw_chips(painter, chips)

    def _chip_text(self, metrics: QFontMetricsF, region: Region, is_selected: bool) -> str:
        if not is_selected and not self.full_names:
            return str(region.number)
        name = chip_text(metrics, region.label)
        return " ".join(part for part in (str(region.number), name, region.note) if part)

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


def _to_view(edges: Edges, viewport: Viewport) -> Edges:
    """Edges in px of the picture as view px."""
    return edges * viewport.scale + (viewport.left, viewport.top, viewport.left, viewport.top)


def _are_visible(boxes: Edges, view: tuple[float, float]) -> npt.NDArray[np.bool_]:
    """Which boxes (n, 4), view px, have a point in a view of this size."""
    return np.asarray((boxes[:, :2] <= view).all(axis=1) & (boxes[:, 2:] >= 0).all(axis=1))


def _edges_of(regions: Sequence[Region]) -> Edges:
    """Left, top, right and bottom of regions, px of the picture, shape (n, 4)."""
    rects = (region.rect for region in regions)
    edges = np.array([(rect.x, rect.y, rect.w, rect.h) for rect in rects], np.float64).reshape(-1, 4)
    edges[:, 2:] += edges[:, :2]
    return edges


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
