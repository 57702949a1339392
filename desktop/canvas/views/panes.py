"""Computes where the two pictures of a compared pair lie in their view. Pure: no Qt."""

from __future__ import annotations

from shared.geometry import Rect

GAP = 2
"""View px between two pictures."""


def panes(width: float, height: float, picture: tuple[int, int], *, may_stack: bool) -> tuple[Rect, Rect]:
    """The places (view px) of reference and photo: beside each other, or one above the other.

    They are stacked, where they may be, when pictures of this size (px) are seen larger so.
    """
    across, down = max((width - GAP) // 2, 1), max((height - GAP) // 2, 1)
    wide, high = picture
    if (
        may_stack
        and wide > 0
        and high > 0
        and min(width / wide, down / high) > min(across / wide, height / high)
    ):
        return Rect(0, 0, width, down), Rect(0, down + GAP, width, height - down - GAP)
    return Rect(0, 0, across, height), Rect(across + GAP, 0, across, height)


def useful_height(width: float, picture: tuple[int, int], *, two: bool) -> float:
    """The height of a view of this width in which one picture, or two stacked ones, fill it."""
    height = width * picture[1] / max(picture[0], 1)
    return 2 * height + GAP if two else height
