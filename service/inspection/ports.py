"""Declares what inspection needs of other domains; `service.app` provides it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import FromClause
from sqlmodel import Session

from shared.wire.catalogue import ReferenceImage
from shared.wire.files import StoredFile
from shared.wire.inspection import Point
from shared.wire.photos import PhotoMatch
from shared.wire.seal import NameChange


@dataclass(frozen=True, slots=True)
class JoinSources:
    """Where the joined fields come from: tables or subqueries with columns of these names.

    Each `id` is unique in its source; a source is only ever joined or looked up.
    """

    executors: FromClause
    """id, name (the full name, else the username), name_with_username (`shared.names.user_label`)"""
    tasks: FromClause
    """id, flight_id, aircraft_id"""
    flights: FromClause
    """id, aircraft_id"""
    aircraft: FromClause
    """id, name"""
    reference_images: FromClause
    """id, name"""
    models: FromClause
    """id, name, description"""
    counted_records: FromClause
    """id, day (an ordinal), aircraft_id, seconds: on which day a record is counted, and how long it took"""
    counted_items: FromClause
    """record_id, measure, name: what the items of a record were counted for; not unique"""
    changes: FromClause
    """number, of one row: of the last change; each transaction that changes a record raises it"""


class LoggedSeal(NamedTuple):
    """What the audit log says of a record's editions: `action` is seal, release or reopen."""

    action: str
    actor: str | None
    details: Mapping[str, Any]


NameChanges = Callable[[Session, Collection[str]], Sequence[NameChange]]
SealLog = Callable[[Session, str], Sequence[LoggedSeal]]
FileInfo = Callable[[Session, str], StoredFile | None]
StoredHash = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class MatchRegion:
    """A region that is looked for in a photo: x, y, w, h as the item keeps them, on a reference file."""

    item_id: str
    reference_file_id: str
    point: tuple[float, float, float, float]


MatchPhoto = Callable[[str, Sequence[MatchRegion]], Awaitable[tuple[str | None, list[PhotoMatch]]]]


@dataclass(frozen=True, slots=True)
class Ports:
    """Questions to other domains, asked inside the transaction of the session.

    `file_info`: what is known of a stored file by its id; None when there is no such file. `find_file`: the
    stored file that an item's fileInfo names; None when it is none of the service's. `reference_image`: the
    reference image with its template by its id; None when the catalogue has none. `waiting_items`: the items
    of a record that a batch will make detections of. `seal_log`: what the audit log says of a record's
    editions, oldest first. `usernames`: those of these users, by user ID.
    `name_changes`: every change of the full names of these users, oldest first.
    `stored_hash`, outside of transactions: the SHA-256 of the bytes that are stored
    under a SHA-256; None when there are none. `model_hash`: the same of the file of a model. `severities`:
    how severe the catalogue says findings with these labels are, without those of which it says nothing.
    `match_photo`, outside of transactions: which of the regions the photo of this file shows; gives the code
    of what was in the way, or None, and the matches.
    `same_content`: for each of these files the ids of all files with its content, itself included. `reason`:
    the sentence for such a code.
    """

    file_info: FileInfo
    find_file: Callable[[Session, Mapping[str, Any]], StoredFile | None]
    reference_image: Callable[[Session, str], ReferenceImage | None]
    waiting_items: Callable[[Session, str], Collection[str]]
    seal_log: SealLog
    usernames: Callable[[Session, Collection[str]], Mapping[str, str]]
    name_changes: NameChanges
    stored_hash: StoredHash
    model_hash: StoredHash
    severities: Callable[[Session, Collection[str]], Mapping[str, str]]
    match_photo: MatchPhoto
    same_content: Callable[[Session, Collection[str]], Mapping[str, Collection[str]]]
    reason: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class PhotoAlignment:
    """Where the reference image lies in a photo by its assignment: 3 x 3, reference px -> photo px."""

    homography: Sequence[Sequence[float]]
    by_person: bool


@dataclass(frozen=True, slots=True)
class DetectionInput:
    """What a detection of one item works on.

    `point` is the region on the reference image as the item keeps it. `reference_file_id` is the file that
    the item's fileInfo names, else that of the record's reference image; `mm_per_pixel` is known when it is
    the reference image's own file. `photo_file_id` is the newest photo's file, `photo_alignment` what is
    known of it as a photo of the record. `settings` are the item's own, as the client wrote them:
    `shared.wire.inspection.DetectionSettings` unless they make no sense.
    """

    item_id: str
    inspection_id: str
    item_name: str
    model_id: str | None
    point: Point | None
    reference_file_id: str | None
    mm_per_pixel: float | None
    photo_file_id: str | None
    photo_alignment: PhotoAlignment | None
    settings: Any
