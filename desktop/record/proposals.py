"""Proposes photos of the record for items. Pure: no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shared.wire.photos import Assigned, PhotoMatch, RecordPhoto

_CHOSEN = (math.inf,)
"""The quality of a photo that the user chose, which exceeds that of all others."""


def in_tray(photo: RecordPhoto) -> bool:
    """True while the photo is assigned to no item."""
    return not photo.items


def covered_matches(photo: RecordPhoto) -> list[PhotoMatch]:
    """The matches whose region the photo shows, in the order of the items."""
    return [match for match in photo.matches or () if match.covered]


def proposals(photos: Sequence[RecordPhoto]) -> dict[str, list[str]]:
    """The item ids that each photo of the tray is offered to, by photo id; photos without any are left out.

    An item that several photos show is offered the one that shows it best: all of the region, then with the
    most detail. A photo that another record has already is not offered. An item is offered none where the
    photo that it has is as good, or was chosen by a person.
    """
    best: dict[str, tuple[float, ...]] = {}
    winner: dict[str, str] = {}
    waiting = [photo for photo in photos if in_tray(photo) and photo.used_in is None]
    for photo in photos:
        for item in photo.items:
            quality = _CHOSEN if item.assigned is Assigned.PERSON else _quality_for(photo, item.item_id)
            best[item.item_id] = max(quality, best.get(item.item_id, ()))
    for photo in waiting:
        for match in covered_matches(photo):
            quality = _quality(match)
            if quality > best.get(match.item_id, ()):
                best[match.item_id], winner[match.item_id] = quality, photo.photo_id
    offered = {
        photo.photo_id: [
            match.item_id for match in covered_matches(photo) if winner.get(match.item_id) == photo.photo_id
        ]
        for photo in waiting
    }
    return {photo_id: items for photo_id, items in offered.items() if items}


def _quality_for(photo: RecordPhoto, item_id: str) -> tuple[float, ...]:
    return next((_quality(match) for match in photo.matches or () if match.item_id == item_id), ())


def _quality(match: PhotoMatch) -> tuple[float, ...]:
    return round(match.visible, 1), _area(match.corners), match.score


def _area(corners: Sequence[Sequence[float]]) -> float:
    """The area of a polygon, px²."""
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2
