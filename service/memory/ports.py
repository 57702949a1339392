"""Declares what memories need of other domains; `service.app` provides it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlmodel import Session

from shared.entries import Entry
from shared.geometry import Rect
from shared.wire.memory import MemoryKind


class Place(NamedTuple):
    """Where an item looks: x, y, w, h of its region as the item keeps them, on a reference image.

    `reference_file_id`, `reference_sha256` and `content_id` are of the file that it is marked on, `size` its
    upright px where known.
    """

    item_id: str
    inspection_id: str
    reference_image_id: str
    reference_file_id: str
    reference_sha256: str
    content_id: str
    size: tuple[int, int] | None
    region: tuple[float, float, float, float]


class Question(NamedTuple):
    """All that a comparison of a photo with its region depends on, besides the findings that a person judged.

    `model_settings`, `settings`: of the model and of the item for this photo. `place`: where the reference
    image lies in the photo by its assignment (3 x 3), `place_by_person`: a person said so.
    """

    photo_file_id: str
    photo_sha256: str
    reference_file_id: str
    reference_sha256: str
    point: tuple[float, float, float, float]
    mm_per_pixel: float | None
    model_settings: dict[str, Any]
    settings: dict[str, Any]
    place: list[list[float]] | None
    place_by_person: bool


class PhotoFacts(NamedTuple):
    """A photo of an item: when it was added (UTC, without a zone), and taken (UTC), where that is known."""

    added_at: dt.datetime
    taken_at: dt.datetime | None
    question: Question


class ItemFacts(NamedTuple):
    """An item with a region, its result entries and its photos, the newest first."""

    item_id: str
    inspection_id: str
    record_name: str | None
    region: tuple[float, float, float, float]
    entries: Sequence[Entry]
    photos: Sequence[PhotoFacts]


class Compared(NamedTuple):
    """What a photo adds to a memory, and in how many places it differs; else why there is nothing."""

    content: bytes | None
    differences: int | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Ports:
    """The sides of other domains that memories use; those that take a Session inside its transaction.

    `place`: where an item looks; None for one without a region on a reference image, raises Problem 404 for
    one that is not there. `at_place`: the items with a verdict at the place, whose model compares with the
    reference image, the newest first; with times (UTC) only those that may have been decided since the first
    and before the second. `overlap`: of a region with the place, 0..1; 0 where that is another place.
    `items`: those of these items that are there. `decided`: those of these items, and of the items of these
    records, that have a verdict and such a model.
    `names`: of people by their ids.
    `is_busy`: whether detections wait. `compare`: what a photo adds (key, order, kind, judged findings and
    kept ones in px of the photo as in `Computer.photo_memory`), `disagreements`: where photos disagree with
    the reference image; both raise StoreUnavailableError. `rest` lets the process go that compares.
    `version`, `oldest`, `newest`: of the way of comparing, and how many photos of each a memory keeps.
    """

    place: Callable[[Session, str], Place | None]
    at_place: Callable[[Session, Place, dt.datetime | None, dt.datetime | None], list[str]]
    overlap: Callable[[Place, tuple[float, float, float, float]], float]
    items: Callable[[Session, Sequence[str]], list[ItemFacts]]
    decided: Callable[[Session, Collection[str], Collection[str]], list[str]]
    names: Callable[[Session, Collection[str]], Mapping[str, str]]
    is_busy: Callable[[Session], bool]
    compare: Callable[[Question, str, float, MemoryKind, Sequence[Rect], Sequence[Rect]], Awaitable[Compared]]
    disagreements: Callable[[Question, Sequence[bytes]], Awaitable[list[list[float]]]]
    rest: Callable[[], Awaitable[None]]
    version: int
    oldest: int
    newest: int
