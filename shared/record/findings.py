"""Reads the findings of a result entry: label, author, severity and size. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Self

from shared.record.codes import Origin
from shared.record.entries import Entry, EntryBox, EntryCorners, EntryCorrection
from shared.record.geometry import Rect, rect_from_corners
from shared.record.results import entry_homography
from shared.wire.detection import Severity
from shared.wire.memory import MemoryReason

_SEVERITIES = frozenset(Severity)
_REASONS = frozenset(MemoryReason)
_NO_SEVERITIES: Mapping[str, Severity] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: `box` is in px of the upright photo, `confidence` 0..1.

    `index` counts the readable boxes of its entry from 0. `accepted`: a person confirmed it. `is_drawn`: a
    person drew it, so its confidence has no meaning. `author_id` and `author_name` name that person; they are
    empty if unknown. `size_mm`: width and height on the reference image, None if the scale is unknown.
    `memory_reason` is None if the memory of the region explains nothing of it, or there is none.
    """

    label: str
    confidence: float
    box: Rect
    index: int = 0
    accepted: bool = False
    is_drawn: bool = False
    author_id: str = ""
    author_name: str = ""
    severity: Severity | None = None
    size_mm: tuple[float, float] | None = None
    memory_reason: MemoryReason | None = None

    @classmethod
    def from_box(
        cls,
        box: EntryBox,
        index: int = 0,
        correction: EntryCorrection | None = None,
        severities: Mapping[str, Severity] = _NO_SEVERITIES,
    ) -> Self:
        """Read a finding from a box, without its size.

        A drawn box without an author gets the author of the `correction`. A box without a stored severity
        gets the present severity of its label from `severities`. Raises KeyError, TypeError, ValueError or
        OverflowError for a box without a label, a confidence or numbers as corners.
        """
        drawn = box.get("origin") == Origin.PERSON
        author: EntryBox | EntryCorrection | None = None
        if drawn and isinstance(correction, Mapping):
            author = box if box.get("by") else correction
        label = str(box["label"])
        return cls(
            label=label,
            confidence=float(box["confidence"]),
            box=rect_from_corners(*box_corners(box)),
            index=index,
            accepted=box.get("accepted") is True,
            is_drawn=drawn,
            author_id="" if author is None else _text(author.get("by")),
            author_name="" if author is None else _text(author.get("by_name")),
            severity=_stored_severity(box) or severities.get(label),
            memory_reason=_stored_reason(box),
        )

    @property
    def author(self) -> str:
        """The name of the person who drew it, else the user id; empty for a model's finding or if unknown."""
        return self.author_name or self.author_id

    def to_box(self) -> EntryBox:
        """Return the box that stands for this finding in a correction. The service adds its author."""
        return {
            "label": self.label,
            "confidence": self.confidence,
            "points": rect_to_corners(self.box),
            "origin": (Origin.PERSON if self.is_drawn else Origin.MODEL).value,
            "accepted": self.accepted,
        }


def read_findings(
    entry: Entry | None,
    severities: Mapping[str, Severity] = _NO_SEVERITIES,
    mm_per_pixel: float | None = None,
) -> list[Finding]:
    """Read the findings of a result entry in the order of its boxes, without unreadable boxes.

    `severities`: the present severities of labels. `mm_per_pixel`: the scale of the reference image.
    """
    findings = [finding for _, finding in _read_boxes(entry, severities)]
    to_photo = None if mm_per_pixel is None else entry_homography(entry)
    if to_photo is None:
        return findings
    return [
        replace(finding, size_mm=measure_size_mm(finding.box, to_photo, mm_per_pixel)) for finding in findings
    ]


def readable_boxes(entry: Entry | None) -> Iterator[EntryBox]:
    """Return the boxes of a result entry that `read_findings` can read, in their order."""
    return (box for box, _ in _read_boxes(entry, _NO_SEVERITIES))


def _read_boxes(
    entry: Entry | None, severities: Mapping[str, Severity]
) -> Iterator[tuple[EntryBox, Finding]]:
    entry = entry or {}
    correction, index = entry.get("correction"), 0
    for box in (entry.get("resultImage") or {}).get("boxes") or []:
        try:
            finding = Finding.from_box(box, index, correction, severities)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        yield box, finding
        index += 1


def box_corners(box: EntryBox) -> tuple[float, float, float, float]:
    """Return x1, y1, x2, y2 of a readable box."""
    points = box["points"]
    return float(points["x1"]), float(points["y1"]), float(points["x2"]), float(points["y2"])


def rect_to_corners(rect: Rect) -> EntryCorners:
    """Return the corners of a rectangle in the form of a box."""
    return {"x1": rect.x, "y1": rect.y, "x2": rect.right, "y2": rect.bottom}


def match_boxes(before: Sequence[EntryBox], after: Sequence[EntryBox]) -> list[int | None]:
    """For each box of a correction the index of the box that it was `before`; None if a person drew it.

    Equal boxes are matched first. A moved or relabelled one of the model is recognised by its confidence, one
    of a person by its author.
    """
    matches: list[int | None] = [None] * len(after)
    # Looked up by key: a correction of 10,000 boxes is matched within the only write transaction.
    for key_of in (_core, _recognition):
        places: dict[object, list[int]] = {}
        for place in sorted(set(range(len(before))).difference(matches), reverse=True):
            places.setdefault(key_of(before[place]), []).append(place)
        for at, box in enumerate(after):
            key = key_of(box) if matches[at] is None else None
            if key is not None and places.get(key):
                matches[at] = places[key].pop()
    return matches


def _core(box: EntryBox) -> tuple[object, ...]:
    points = box["points"]
    return box["label"], box["confidence"], points["x1"], points["y1"], points["x2"], points["y2"]


def _recognition(box: EntryBox) -> tuple[object, ...] | None:
    """What a box keeps when it is moved or given another label; None for a new box of a person."""
    if origin_of(box) is Origin.PERSON:
        return None if box.get("by") is None else (Origin.PERSON, box.get("by"))
    return Origin.MODEL, box.get("confidence")


def origin_of(box: EntryBox) -> Origin:
    """Who drew a box."""
    return Origin.PERSON if box.get("origin") == Origin.PERSON else Origin.MODEL


def _stored_severity(box: EntryBox) -> Severity | None:
    severity = box.get("severity")
    return Severity(severity) if isinstance(severity, str) and severity in _SEVERITIES else None


def _stored_reason(box: EntryBox) -> MemoryReason | None:
    reason = box.get("memory_reason")
    return MemoryReason(reason) if isinstance(reason, str) and reason in _REASONS else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def measure_size_mm(
    rect: Rect, to_photo: Sequence[Sequence[float]] | None, mm_per_pixel: float | None
) -> tuple[float, float] | None:
    """Compute width and height in mm, on the reference image, of a box in px of the photo.

    `to_photo`: 3 x 3, px of the reference image -> px of the photo. Returns None without it, without a scale,
    and if the mapping cannot be inverted.
    """
    inverse = _inverse(to_photo) if to_photo is not None else None
    if inverse is None or mm_per_pixel is None:
        return None
    photo_corners = ((rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom))
    try:
        corners = [_map_point(inverse, x, y) for x, y in photo_corners]
    except ZeroDivisionError:
        return None
    sides = [
        math.dist(corner, corners[(index + 1) % 4]) * mm_per_pixel for index, corner in enumerate(corners)
    ]
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


def _map_point(matrix: Sequence[Sequence[float]], x: float, y: float) -> tuple[float, float]:
    scaled_x, scaled_y, depth = (row[0] * x + row[1] * y + row[2] for row in matrix)
    return scaled_x / depth, scaled_y / depth
