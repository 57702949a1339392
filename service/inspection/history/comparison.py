"""Decides whether two regions are the same place, and matches the findings of two times."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.record.entries import Entry
from shared.record.findings import Finding, read_findings
from shared.record.geometry import Rect, point_to_pixels, rect_from_corners
from shared.record.results import entry_homography
from shared.wire.history import FindingChange

SAME_PLACE = 0.5
"""Two regions are the same place from this intersection over union on."""
SAME_FINDING = 0.1
"""Two findings are the same one from this intersection over union on: one may have grown a lot since."""
GROWTH = 1.2
"""A finding has grown when its area in reference px is more than this many times the earlier one."""
MAX_FINDINGS = 200
"""How many findings of one time are listed and compared at most, the most confident ones."""
_FARTHEST_PX = 1e9
"""No picture is this large; a number beyond it is no place."""

Matrix = Sequence[Sequence[float]]
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ComparedFinding:
    """A finding of one time, and its place in px of the upright reference image, None where not known."""

    finding: Finding
    reference: Rect | None


@dataclass(frozen=True, slots=True)
class RegionPlace:
    """The region of an item as it is stored, and the file it was drawn on where the item names one."""

    point: tuple[float, float, float, float]
    content_id: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes of the earlier findings with their growth, and which of the present ones are new, by index.

    An earlier finding whose place on the reference image is unknown has no change.
    """

    changes: tuple[tuple[FindingChange | None, float | None], ...]
    appeared: tuple[int, ...]


def region_place(item_point: str | None) -> RegionPlace | None:
    """The place that an item's stored `item_point` says; None without a usable region."""
    if item_point is None:
        return None
    stored = json.loads(item_point)
    point = stored.get("point")
    if not point:
        return None
    try:
        x, y, w, h = (float(point[name]) for name in ("x", "y", "w", "h"))
    except OverflowError:
        return None
    content_id = (stored.get("fileInfo") or {}).get("ipfs_cid")
    return RegionPlace((x, y, w, h), content_id)


def overlap(place: RegionPlace, other: RegionPlace, size: Size | None) -> float:
    """Intersection over union of two regions, 0..1.

    `size` is the reference image's, upright, in px. Without it, fractions and pixels cannot be compared, and
    two of different kind give 0; so do regions that were drawn on different files.
    """
    if place.content_id and other.content_id and place.content_id != other.content_id:
        return 0.0
    if size is not None:
        return point_to_pixels(*place.point, *size).iou(point_to_pixels(*other.point, *size))
    if (max(place.point) <= 1.0) is not (max(other.point) <= 1.0):
        return 0.0
    return Rect(*place.point).iou(Rect(*other.point))


def invert(matrix: Matrix) -> Matrix | None:
    """The inverse of a homography, up to the scale that a homography leaves open; None for a singular one."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    adjugate = [
        [e * i - f * h, c * h - b * i, b * f - c * e],
        [f * g - d * i, a * i - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ]
    determinant = a * adjugate[0][0] + b * adjugate[1][0] + c * adjugate[2][0]
    return adjugate if math.isfinite(determinant) and determinant != 0 else None


def map_rect(box: Rect, matrix: Matrix, size: Size | None) -> Rect | None:
    """The upright rectangle around `box` after the mapping, inside an image of `size` where it is known.

    None when the box reaches beyond the horizon of the mapping, or nothing of it lies inside.
    """
    corners = ((box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom))
    points = []
    depths = []
    for x, y in corners:
        u, v, w = (row[0] * x + row[1] * y + row[2] for row in matrix)
        if w == 0:
            return None
        depths.append(w > 0)
        points.append((u / w, v / w))
    if len(set(depths)) > 1 or not all(abs(value) < _FARTHEST_PX for point in points for value in point):
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    around = rect_from_corners(min(xs), min(ys), max(xs), max(ys))
    if size is not None:
        around = around.clamp(*size)
    return None if around.is_empty else around


def findings(entry: Entry | None, size: Size | None) -> list[ComparedFinding]:
    """The findings of a result entry, the surest first, with their places on a reference image of `size`.

    At most `MAX_FINDINGS`: a document of a client may hold ten thousands.
    """
    if entry is None:
        return []
    matrix = entry_homography(entry)
    back = None if matrix is None else invert(matrix)
    present = [finding for finding in read_findings(entry) if _is_near(finding.box)]
    present.sort(key=lambda finding: -finding.confidence)
    return [
        ComparedFinding(finding, None if back is None else map_rect(finding.box, back, size))
        for finding in present[:MAX_FINDINGS]
    ]


def _is_near(box: Rect) -> bool:
    return max(map(abs, (box.x, box.y, box.right, box.bottom))) < _FARTHEST_PX


def match_places(then: Sequence[Rect | None], now: Sequence[Rect | None]) -> dict[int, int]:
    """Which place of then and which of now are of the same finding, by index: those that overlap most."""
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for shared, earlier, present in sorted(
        _overlapping_pairs(then, now), key=lambda pair: (-pair[0], *pair[1:])
    ):
        if shared >= SAME_FINDING and earlier not in partner and present not in taken:
            partner[earlier] = present
            taken.add(present)
    return partner


def compare(then: Sequence[ComparedFinding], now: Sequence[ComparedFinding]) -> Comparison:
    """Compare the findings of two times on the reference image: the pairs that overlap most match."""
    partner = match_places([finding.reference for finding in then], [finding.reference for finding in now])
    taken = set(partner.values())
    changes: list[tuple[FindingChange | None, float | None]] = []
    for earlier, before in enumerate(then):
        if before.reference is None:
            changes.append((None, None))
        elif earlier not in partner:
            changes.append((FindingChange.GONE, None))
        else:
            after = now[partner[earlier]].reference
            growth = after.area / before.reference.area if after is not None else 1.0
            grown = growth > GROWTH
            changes.append((FindingChange.GROWN if grown else FindingChange.UNCHANGED, growth))
    new = (n for n, after in enumerate(now) if after.reference is not None and n not in taken)
    return Comparison(tuple(changes), tuple(new))


def _overlapping_pairs(
    then: Sequence[Rect | None], now: Sequence[Rect | None]
) -> Iterator[tuple[float, int, int]]:
    """Overlap, index then and index now of every two places that touch on the reference image."""
    present = [(index, place) for index, place in enumerate(now) if place is not None]
    present.sort(key=lambda pair: pair[1].x)
    lefts = [rect.x for _, rect in present]
    for earlier, before in enumerate(then):
        if before is None:
            continue
        for index, after in present[: bisect_left(lefts, before.right)]:
            if after.right > before.x and after.y < before.bottom and after.bottom > before.y:
                yield before.iou(after), earlier, index


def has_reference_places(entry: Entry | None) -> bool:
    """True when the findings of a detection have places on the reference image."""
    matrix = None if entry is None else entry_homography(entry)
    return matrix is not None and invert(matrix) is not None
