"""Converts sizes and rectangles between stored and upright pixels (EXIF orientation, tag 0x0112, 1..8)."""

from __future__ import annotations

from shared.record.geometry import Rect

_SIDEWAYS = (5, 6, 7, 8)


def upright_size(width: int, height: int, orientation: int) -> tuple[int, int]:
    """Return width and height after applying the EXIF `orientation` (1..8)."""
    return (height, width) if orientation in _SIDEWAYS else (width, height)


def stored_rect(rect: Rect, width: int, height: int, orientation: int) -> Rect:
    """Return the place of an upright rectangle in the stored picture of `width` x `height` px."""
    x, y, w, h = rect.x, rect.y, rect.w, rect.h
    if orientation in _SIDEWAYS:
        stored_x, stored_y = {
            5: (y, x),
            6: (y, height - rect.right),
            7: (width - rect.bottom, height - rect.right),
            8: (width - rect.bottom, x),
        }[orientation]
        return Rect(stored_x, stored_y, h, w)
    return Rect(
        width - rect.right if orientation in (2, 3) else x,
        height - rect.bottom if orientation in (3, 4) else y,
        w,
        h,
    )
