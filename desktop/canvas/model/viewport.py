"""Defines the visible part of a picture and its scale, without Qt. View coordinates are logical px."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from shared.record.geometry import Rect

MAX_SCALE = 64.0
"""The maximum number of view px per picture px."""
ZOOM_STEP = 1.25
"""The factor of one zoom step and of one notch of the mouse wheel."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """A view of `width` x `height` with a picture at `scale` view px per picture px.

    The corner (0, 0) of the picture is at (`left`, `top`) of the view. A picture that is fitted stays below
    the upper `covered` view px, where something lies over the view.
    """

    image_width: int
    image_height: int
    width: float
    height: float
    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0
    covered: float = 0.0

    def to_view(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point of the picture to the view."""
        return self.left + x * self.scale, self.top + y * self.scale

    def to_image(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point of the view to the picture. The result may be outside the picture."""
        return (x - self.left) / self.scale, (y - self.top) / self.scale

    def rect_to_view(self, rect: Rect) -> Rect:
        """Convert a rectangle of the picture to the view."""
        x, y = self.to_view(rect.x, rect.y)
        return Rect(x, y, rect.w * self.scale, rect.h * self.scale)

    @property
    def visible(self) -> Rect:
        """The visible part of the picture; empty when there is no picture."""
        x, y = self.to_image(0, 0)
        return Rect(x, y, self.width / self.scale, self.height / self.scale).clamp(
            self.image_width, self.image_height
        )

    @property
    def fit_scale(self) -> float:
        """The scale at which the whole picture fills the view."""
        if not self.image_width or not self.image_height:
            return 1.0
        height = max(self.height - self.covered, self.height / 2)
        return max(min(self.width / self.image_width, height / self.image_height), 1e-6)

    @property
    def is_fitted(self) -> bool:
        """True when the scale is that of `fit`."""
        return math.isclose(self.scale, min(self.fit_scale, MAX_SCALE), rel_tol=1e-9)

    def fit(self) -> Viewport:
        """The viewport that shows the whole picture, centred."""
        return replace(self, scale=min(self.fit_scale, MAX_SCALE)).bounded()

    def resized(self, width: float, height: float) -> Viewport:
        """The viewport for another size of the view. It stays fitted, or keeps the point in the middle."""
        if self.is_fitted:
            return replace(self, width=width, height=height).fit()
        moved_x, moved_y = (width - self.width) / 2, (height - self.height) / 2
        sized = replace(self, width=width, height=height)
        return replace(sized, left=self.left + moved_x, top=self.top + moved_y).bounded()

    def zoomed(self, scale: float, x: float, y: float) -> Viewport:
        """The viewport at another scale. The picture stays in place below the view point (x, y)."""
        scale = min(max(scale, min(self.fit_scale, 1.0) / 2), MAX_SCALE)
        image_x, image_y = self.to_image(x, y)
        return replace(self, scale=scale, left=x - image_x * scale, top=y - image_y * scale).bounded()

    def panned(self, dx: float, dy: float) -> Viewport:
        """The viewport with the picture moved by (dx, dy) view px."""
        return replace(self, left=self.left + dx, top=self.top + dy).bounded()

    def centred(self, x: float, y: float) -> Viewport:
        """The viewport with the point (x, y) of the picture in the middle, as far as the edges allow."""
        left, top = self.width / 2 - x * self.scale, self.height / 2 - y * self.scale
        return replace(self, left=left, top=top).bounded()

    def zoomed_to(self, rect: Rect, share: float = 0.5, room: Rect | None = None) -> Viewport:
        """The viewport with `rect` in the middle, filling `share` of the view at up to 8 view px per px.

        `room` is the part of the view to use (view px), such as the part that nothing covers.
        """
        room = room or Rect(0, 0, self.width, self.height)
        scale_for_share = share * min(room.w / max(rect.w, 1e-9), room.h / max(rect.h, 1e-9))
        scale = min(max(scale_for_share, min(self.fit_scale, MAX_SCALE)), 8.0)
        left = room.x + room.w / 2 - (rect.x + rect.w / 2) * scale
        top = room.y + room.h / 2 - (rect.y + rect.h / 2) * scale
        return replace(self, scale=scale, left=left, top=top).bounded()

    def bounded(self) -> Viewport:
        """The viewport moved into its bounds.

        A picture that is smaller than the view is centred, below what covers the view if it has room there.
        Otherwise at most a third of the view is empty beyond an edge. The corner is on a whole view px, so
        that edges stay sharp.
        """
        left = _bounded_start(self.left, self.image_width * self.scale, self.width)
        top = _bounded_start(self.top, self.image_height * self.scale, self.height, self.covered)
        return replace(self, left=left, top=top)


def _bounded_start(start: float, length: float, view: float, covered: float = 0.0) -> float:
    # A picture that is exactly as long as the view may be longer by rounding.
    if length < view + 1e-6:
        return float(round(min((view + covered - length) / 2, view - length)))
    return float(round(min(max(start, view - length - view / 3), view / 3)))
