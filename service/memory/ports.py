"""Declares what memories need from other domains; `service.app` provides it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlmodel import Session

from shared.record.entries import Entry
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind


class Place(NamedTuple):
    """The region of an item (x, y, w, h as the item stores them) on a reference image.

    `reference_file_id`, `reference_sha256` and `content_id` are of the file that the region is drawn on;
    `size` is its size in upright px, if known.
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
    """All inputs of the comparison of a photo with its region, except the findings that a person judged.

    `model_settings` and `settings` are of the model, and of the item for this photo. `place` is the
    homography (3 x 3) from reference pixels to photo pixels of its assignment; `place_by_person`: a person
    set it.
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
    """A photo of an item; `added_at` is in UTC without a time zone, `taken_at` in UTC, if known."""

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


class ComparisonResult(NamedTuple):
    """The contribution of a photo to a memory and its number of differences, or the error."""

    content: bytes | None
    differences: int | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Ports:
    """Queries and requests to other domains; those that take a Session run inside its transaction.

    `place` returns the place of an item, None for an item without a region on a reference image; it raises
    Problem 404 for an unknown item. `at_place` returns the items with a verdict at the place whose model
    compares with the reference image, the newest first; with times (UTC) only those that may have been
    decided after the first and before the second. `overlap` returns the overlap of a region with the place,
    0..1; 0 for another place. `items` returns the facts of the items that exist. `decided` returns those of
    these items, and of these records' items, that have a verdict and such a model. `names` returns the names
    of users by id. `is_busy` returns whether detections are pending. `compare` compares a photo (key, order,
    kind, judged and kept findings in px of the photo as in `Computer.photo_memory`); `disagreements` returns
    where photos disagree with the reference image; both raise StoreUnavailableError. `rest` ends the process
    that compares. `version` is the version of the comparison; a memory keeps the `oldest` and `newest` photos
    of each kind, as many as these say.
    """

    place: Callable[[Session, str], Place | None]
    at_place: Callable[[Session, Place, dt.datetime | None, dt.datetime | None], list[str]]
    overlap: Callable[[Place, tuple[float, float, float, float]], float]
    items: Callable[[Session, Sequence[str]], list[ItemFacts]]
    decided: Callable[[Session, Collection[str], Collection[str]], list[str]]
    names: Callable[[Session, Collection[str]], Mapping[str, str]]
    is_busy: Callable[[Session], bool]
    compare: Callable[
        [Question, str, float, MemoryKind, Sequence[Rect], Sequence[Rect]], Awaitable[ComparisonResult]
    ]
    disagreements: Callable[[Question, Sequence[bytes]], Awaitable[list[list[float]]]]
    rest: Callable[[], Awaitable[None]]
    version: int
    oldest: int
    newest: int
