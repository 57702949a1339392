"""Defines rectangles in upright image pixels: float, half-open, never outside the image.

A rectangle covers x <= px < x + w and y <= py < y + h. Pixel (0, 0) covers [0, 1) x [0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Rect:
    """A half-open rectangle: left, top, width and height, in pixels or in fractions of the image."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The right edge: the smallest x to the right of the rectangle."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The bottom edge: the smallest y below the rectangle."""
        return self.y + self.h

    @property
    def area(self) -> float:
        """Width times height; 0 for an empty rectangle."""
        return max(self.w, 0.0) * max(self.h, 0.0)

    @property
    def centre(self) -> tuple[float, float]:
        """The centre: x, y."""
        return self.x + self.w / 2, self.y + self.h / 2

    @property
    def is_empty(self) -> bool:
        """True if it contains no point."""
        return self.w <= 0 or self.h <= 0

    def contains(self, x: float, y: float) -> bool:
        """Return True if the point is inside. The left and top edges are; the right and bottom are not."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def intersection(self, other: Rect) -> Rect:
        """Return the common part; an empty rectangle (w or h 0) if there is none."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Rect(left, top, max(right - left, 0.0), max(bottom - top, 0.0))

    def iou(self, other: Rect) -> float:
        """Return the intersection over union, 0..1; 0 if both are empty."""
        common = self.intersection(other).area
        union = self.area + other.area - common
        # Rounding of very small areas can make the ratio slightly larger than 1.
        return min(common / union, 1.0) if union > 0 else 0.0

    def clamp(self, width: float, height: float) -> Rect:
        """Return the part inside an image of `width` x `height`."""
        return self.intersection(Rect(0.0, 0.0, width, height))


def rect_from_corners(x1: float, y1: float, x2: float, y2: float) -> Rect:
    """Return the rectangle between two opposite corners, given in any order."""
    return Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))


def point_to_pixels(x: float, y: float, w: float, h: float, width: int, height: int) -> Rect:
    """Convert `item_point.point` to px of an upright image of `width` x `height` px, clamped to the image.

    If all four numbers are in 0..1, they are fractions of the image; if any is above 1, all four are pixels.
    The contract leaves this choice open.
    """
    if max(x, y, w, h) <= 1.0:
        x, w = x * width, w * width
        y, h = y * height, h * height
    return Rect(x, y, w, h).clamp(width, height)


def pixels_to_point(rect: Rect, width: int, height: int) -> Rect:
    """Convert a rectangle in pixels, clamped to the image, to fractions (0..1) of the upright image."""
    inside = rect.clamp(width, height)
    return Rect(inside.x / width, inside.y / height, inside.w / width, inside.h / height)


Quad = list[tuple[float, float]]
"""Four corners (x, y) in clockwise or counterclockwise order."""


def map_corners(rect: Rect, homography: Sequence[Sequence[float]]) -> Quad | None:
    """Map the corners of `rect`, clockwise from the top left, by a 3 x 3 homography.

    Returns None if the rectangle reaches the horizon of the mapping, because its image is no quadrilateral.
    """
    quad, sides = [], set()
    corners = ((rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom))
    for x, y in corners:
        u, v, w = (row[0] * x + row[1] * y + row[2] for row in homography)
        if abs(w) < 1e-12:
            return None
        sides.add(w > 0)
        quad.append((u / w, v / w))
    return quad if len(sides) == 1 else None


def inspected_shares(
    region: Rect,
    homography: Sequence[Sequence[float]],
    size: tuple[float, float],
    ignored: Sequence[Rect] = (),
) -> tuple[float, float]:
    """Return the share of a region that an image shows, and the share of it that is ignored, 0..1.

    homography: 3 x 3, px of `region` and of the `ignored` areas -> px of the image. size: of the image. The
    first share is of the region without its ignored areas; 0 if all of it is ignored.
    """
    areas = [area for area in (other.intersection(region) for other in ignored) if not area.is_empty]
    # The edges of the ignored areas cut the region into cells that are ignored completely or not at all.
    lefts = sorted({region.x, region.right, *(x for area in areas for x in (area.x, area.right))})
    tops = sorted({region.y, region.bottom, *(y for area in areas for y in (area.y, area.bottom))})
    shown = counted = 0.0
    for top, bottom in pairwise(tops):
        for left, right in pairwise(lefts):
            cell = Rect(left, top, right - left, bottom - top)
            if not any(area.contains(*cell.centre) for area in areas):
                counted += cell.area
                shown += _shown_area(cell, homography, size)
    if region.is_empty or counted <= 0:
        return 0.0, 0.0 if region.is_empty else 1.0
    return min(shown / counted, 1.0), max(1 - counted / region.area, 0.0)


def _shown_area(rect: Rect, homography: Sequence[Sequence[float]], size: tuple[float, float]) -> float:
    """The area of the part of `rect` that a 3 x 3 homography maps into an image of this size."""
    u, v, w = homography
    # Each edge of the image is a straight line in `rect`: where a sum of these rows is 0.
    edges = (
        w,
        u,
        v,
        [size[0] * third - first for first, third in zip(u, w, strict=True)],
        [size[1] * third - first for first, third in zip(v, w, strict=True)],
    )
    polygon = [(rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom)]
    for edge in edges:
        polygon = _clip(polygon, edge)
    pairs = zip(polygon, [*polygon[1:], *polygon[:1]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


def _clip(polygon: Sequence[tuple[float, float]], edge: Sequence[float]) -> Quad:
    """The part of a convex polygon where edge[0] x + edge[1] y + edge[2] is not negative."""
    distances = [edge[0] * x + edge[1] * y + edge[2] for x, y in polygon]
    clipped = []
    for index, (x, y) in enumerate(polygon):
        here, before = distances[index], distances[index - 1]
        if here < 0 < before or before < 0 < here:
            share, (x0, y0) = before / (before - here), polygon[index - 1]
            clipped.append((x0 + (x - x0) * share, y0 + (y - y0) * share))
        if here >= 0:
            clipped.append((x, y))
    return clipped


def is_inside_quad(quad: Sequence[Sequence[float]], x: float, y: float) -> bool:
    """Return True if the point is inside a convex quadrilateral, in either order of its corners."""
    turns = set()
    for (x1, y1), (x2, y2) in zip(quad, [*quad[1:], quad[0]], strict=True):
        turn = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        if turn:
            turns.add(turn > 0)
    return len(turns) == 1
