"""Defines which part of a picture is visible, and how large. Pure: no Qt. View coordinates are logical px."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from shared.geometry import Rect

MAX_SCALE = 64.0
"""One pixel of the picture is then a square of 64 px."""
ZOOM_STEP = 1.25
"""Factor of one press of + and of one notch of the wheel."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """`scale` view px per picture px; the picture's corner (0, 0) is at (`left`, `top`) of a view of
    `width` x `height`."""

    image_width: int
    image_height: int
    width: float
    height: float
    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def to_view(self, x: float, y: float) -> tuple[float, float]:
        """A point of the picture in the view."""
        return self.left + x * self.scale, self.top + y * self.scale

    def to_image(self, x: float, y: float) -> tuple[float, float]:
        """A point of the view in the picture; may lie outside it."""
        return (x - self.left) / self.scale, (y - self.top) / self.scale

    def rect_to_view(self, rect: Rect) -> Rect:
        """A rectangle of the picture in the view."""
        x, y = self.to_view(rect.x, rect.y)
        return Rect(x, y, rect.w * self.scale, rect.h * self.scale)

    @property
    def visible(self) -> Rect:
        """The part of the picture that is seen; empty when there is no picture."""
        x, y = self.to_image(0, 0)
        return Rect(x, y, self.width / self.scale, self.height / self.scale).clamped(
            self.image_width, self.image_height
        )

    @property
    def fit_scale(self) -> float:
        """The scale at which all of the picture is just seen."""
        if not self.image_width or not self.image_height:
            return 1.0
        return max(min(self.width / self.image_width, self.height / self.image_height), 1e-6)

    @property
    def fitted(self) -> bool:
        """True when the scale is the one of `fit`."""
        return math.isclose(self.scale, min(self.fit_scale, MAX_SCALE), rel_tol=1e-9)

    def fit(self) -> Viewport:
        """All of the picture, centred."""
        return replace(self, scale=min(self.fit_scale, MAX_SCALE)).bounded()

    def resized(self, width: float, height: float) -> Viewport:
        """In a view of another size: still fitted when it was, else the same point stays in the middle."""
        if self.fitted:
            return replace(self, width=width, height=height).fit()
        moved_x, moved_y = (width - self.width) / 2, (height - self.height) / 2
        sized = replace(self, width=width, height=height)
        return replace(sized, left=self.left + moved_x, top=self.top + moved_y).bounded()

    def zoomed(self, scale: float, x: float, y: float) -> Viewport:
        """At another scale; the point of the picture below view point (x, y) stays there."""
        scale = min(max(scale, min(self.fit_scale, 1.0) / 2), MAX_SCALE)
        image_x, image_y = self.to_image(x, y)
        return replace(self, scale=scale, left=x - image_x * scale, top=y - image_y * scale).bounded()

    def panned(self, dx: float, dy: float) -> Viewport:
        """Moved by view px."""
        return replace(self, left=self.left + dx, top=self.top + dy).bounded()

    def centred(self, x: float, y: float) -> Viewport:
        """With the point (x, y) of the picture in the middle, as far as the edges allow."""
        left, top = self.width / 2 - x * self.scale, self.height / 2 - y * self.scale
        return replace(self, left=left, top=top).bounded()

    def showing(self, rect: Rect, share: float = 0.5) -> Viewport:
        """With `rect` in the middle, as large as `share` of the view but at most 8 view px per px."""
        wanted = share * min(self.width / max(rect.w, 1e-9), self.height / max(rect.h, 1e-9))
        scale = min(max(wanted, min(self.fit_scale, MAX_SCALE)), 8.0)
        return replace(self, scale=scale).centred(rect.x + rect.w / 2, rect.y + rect.h / 2)

    def bounded(self) -> Viewport:
        """Centred where the picture is smaller than the view, else with at most a third of the view empty
        beyond an edge; the corner on a whole view px, so that edges stay crisp."""
        left = _bounded(self.left, self.image_width * self.scale, self.width)
        top = _bounded(self.top, self.image_height * self.scale, self.height)
        return replace(self, left=left, top=top)


def _bounded(start: float, length: float, view: float) -> float:
    if length <= view:
        return float(round((view - length) / 2))
    return float(round(min(max(start, view - length - view / 3), view / 3)))
