"""Defines rectangles in upright image pixels: float, half-open, never outside the image.

A rectangle covers x <= px < x + w and y <= py < y + h. Pixel (0, 0) covers [0, 1) x [0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    """A half-open rectangle: left, top, width and height, in pixels or in fractions of the image."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The first x that is outside."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The first y that is outside."""
        return self.y + self.h

    @property
    def area(self) -> float:
        """Width times height; 0 for an empty rectangle."""
        return max(self.w, 0.0) * max(self.h, 0.0)

    @property
    def middle(self) -> tuple[float, float]:
        """The point in the middle, x and y."""
        return self.x + self.w / 2, self.y + self.h / 2

    @property
    def empty(self) -> bool:
        """True when no point is inside."""
        return self.w <= 0 or self.h <= 0

    def contains(self, x: float, y: float) -> bool:
        """True when the point is inside (left and top edge belong, right and bottom do not)."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def intersection(self, other: Rect) -> Rect:
        """The common part; an empty rectangle (w or h 0) when there is none."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Rect(left, top, max(right - left, 0.0), max(bottom - top, 0.0))

    def iou(self, other: Rect) -> float:
        """Intersection over union, 0..1; 0 when both are empty."""
        common = self.intersection(other).area
        union = self.area + other.area - common
        # Areas too small for full precision can make it a little more than the whole.
        return min(common / union, 1.0) if union > 0 else 0.0

    def clamped(self, width: float, height: float) -> Rect:
        """The part that lies inside an image of `width` x `height`."""
        return self.intersection(Rect(0.0, 0.0, width, height))


def from_corners(x1: float, y1: float, x2: float, y2: float) -> Rect:
    """The rectangle between two opposite corners, given in any order."""
    return Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))


def point_to_pixels(x: float, y: float, w: float, h: float, width: int, height: int) -> Rect:
    """Read `item_point.point` for an upright image of `width` x `height` px, clamped to the image.

    All four numbers within 0..1 are fractions of the image; any number above 1 makes all four pixels
    (the decision on what the contract leaves open).
    """
    if max(x, y, w, h) <= 1.0:
        x, w = x * width, w * width
        y, h = y * height, h * height
    return Rect(x, y, w, h).clamped(width, height)


def pixels_to_point(rect: Rect, width: int, height: int) -> Rect:
    """Fractions (0..1) of the upright image for a rectangle in pixels, clamped to the image."""
    inside = rect.clamped(width, height)
    return Rect(inside.x / width, inside.y / height, inside.w / width, inside.h / height)


Quad = list[tuple[float, float]]
"""Four corners x, y, in their order around."""


def mapped_corners(rect: Rect, homography: Sequence[Sequence[float]]) -> Quad | None:
    """The corners of `rect`, clockwise from the top left, through a 3 x 3 homography.

    None when the rectangle reaches to the horizon of the mapping: then it is no quadrilateral.
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


def is_inside(quad: Sequence[Sequence[float]], x: float, y: float) -> bool:
    """True when the point lies inside a convex quadrilateral, whichever way its corners go around."""
    turns = set()
    for (x1, y1), (x2, y2) in zip(quad, [*quad[1:], quad[0]], strict=True):
        turn = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        if turn:
            turns.add(turn > 0)
    return len(turns) == 1
