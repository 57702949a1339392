"""Computes the places of the two pictures of a compared pair in their view, without Qt."""

from __future__ import annotations

from shared.record.geometry import Rect

GAP = 2
"""View px between two pictures."""


def pane_rects(
    width: float, height: float, picture: tuple[int, int], *, may_stack: bool
) -> tuple[Rect, Rect]:
    """The places (view px) of reference and photo: side by side, or one above the other.

    They are stacked if `may_stack` is True and pictures of this size (px) are larger then.
    """
    half_width, half_height = max((width - GAP) // 2, 1), max((height - GAP) // 2, 1)
    picture_width, picture_height = picture
    if (
        may_stack
        and picture_width > 0
        and picture_height > 0
        and min(width / picture_width, half_height / picture_height)
        > min(half_width / picture_width, height / picture_height)
    ):
        return Rect(0, 0, width, half_height), Rect(0, half_height + GAP, width, height - half_height - GAP)
    return Rect(0, 0, half_width, height), Rect(half_width + GAP, 0, half_width, height)


def useful_height(width: float, picture: tuple[int, int], *, two: bool) -> float:
    """The height of a view of this width in which one picture, or two stacked ones, fill it."""
    height = width * picture[1] / max(picture[0], 1)
    return 2 * height + GAP if two else height
