"""Reads a finding's author, severity and size. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shared.codes import Origin
from shared.geometry import Rect
from shared.wire.detection import Severity


def is_drawn(box: Mapping[str, Any]) -> bool:
    """True for a finding that a person drew: its confidence says nothing."""
    return box.get("origin") == Origin.PERSON


def author(entry: Mapping[str, Any], box: Mapping[str, Any]) -> tuple[str, str]:
    """The user id and the name of who drew a finding of `entry`; empty for a model's, or when not known.

    A box that does not say so itself was drawn by who made the correction.
    """
    said = entry.get("correction")
    if not is_drawn(box) or not isinstance(said, Mapping):
        return "", ""
    source = box if box.get("by") else said
    return _text(source.get("by")), _text(source.get("by_name"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def severity(box: Mapping[str, Any], catalogue: Mapping[str, Severity] | None = None) -> Severity | None:
    """How severe a finding was when it was found; without that, what `catalogue` says of its label now."""
    given = box.get("severity")
    if isinstance(given, str) and given in set(Severity):
        return Severity(given)
    return (catalogue or {}).get(str(box.get("label")))


def homography(entry: Mapping[str, Any] | None) -> list[list[float]] | None:
    """The 3 x 3 mapping from reference px to photo px that a detection found; None without one."""
    said = ((entry or {}).get("provenance") or {}).get("alignment")
    matrix = said.get("homography") if isinstance(said, Mapping) else None
    good = isinstance(matrix, list) and len(matrix) == 3 and all(len(row) == 3 for row in matrix)
    return matrix if good else None


def size_mm(
    rect: Rect, to_photo: Sequence[Sequence[float]] | None, mm_per_pixel: float | None
) -> tuple[float, float] | None:
    """Width and height in mm of a box in px of the photo, measured on the reference image.

    `to_photo`: 3 x 3, px of the reference image -> px of the photo. None without it, without a scale, and
    where the mapping cannot be taken back.
    """
    inverse = _inverse(to_photo) if to_photo is not None else None
    if inverse is None or mm_per_pixel is None:
        return None
    places = ((rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom))
    try:
        corners = [_mapped(inverse, x, y) for x, y in places]
    except ZeroDivisionError:
        return None
    sides = [math.dist(one, corners[(at + 1) % 4]) * mm_per_pixel for at, one in enumerate(corners)]
    size = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    return size if all(map(math.isfinite, size)) else None


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]] | None:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if not math.isfinite(determinant) or abs(determinant) < 1e-12:
        return None
    rows = (
        (e * i - f * h, c * h - b * i, b * f - c * e),
        (f * g - d * i, a * i - c * g, c * d - a * f),
        (d * h - e * g, b * g - a * h, a * e - b * d),
    )
    return [[value / determinant for value in row] for row in rows]


def _mapped(matrix: Sequence[Sequence[float]], x: float, y: float) -> tuple[float, float]:
    across, down, depth = (row[0] * x + row[1] * y + row[2] for row in matrix)
    return across / depth, down / depth
