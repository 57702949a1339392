"""Declares what phones need from other domains; `service.app` provides it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from sqlmodel import Session

from service.web.security import Caller
from shared.record.geometry import Rect
from shared.wire.detection import Job
from shared.wire.files import StoredFile
from shared.wire.inspection import Photo
from shared.wire.photos import RecordPhoto


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """The facts of a record. `has_item`: the requested item exists, or no item was requested."""

    name: str | None
    is_sealed: bool
    has_item: bool


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """The facts of an item: the number of its photos, and its region (upright px) on a reference image."""

    item_id: str
    item_name: str
    photos: int
    reference: StoredFile | None
    region: Rect | None


class ItemPhotoAdder(Protocol):
    """Adds a stored file to an item as a photo, once for each key. Raises Problem."""

    async def __call__(
        self, item_id: str, file_id: str, key: str | None, caller: Caller, *, by_phone: bool
    ) -> Photo: ...


class RecordPhotoAdder(Protocol):
    """Adds a stored file to a record as a photo, once. Raises Problem."""

    async def __call__(
        self, inspection_id: str, file_id: str, caller: Caller, *, by_phone: bool
    ) -> RecordPhoto: ...


class FileReceiver(Protocol):
    """Stores a file while its pieces arrive. Raises Problem."""

    async def __call__(
        self, name: str, pieces: AsyncIterator[bytes], user_id: str | None, address: str | None
    ) -> StoredFile: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Queries and requests to other domains.

    `find_session_caller` returns the user of a session, None if it has ended; `names` the names of users.
    `record` and `items` run inside a transaction; `record` returns None for an unknown record. `ensure_room`
    raises Problem 507. `match` matches a photo of a record with its regions, `detect` runs the detection of
    an item's photo; both raise Problem. `picture` returns a JPEG of a region.
    """

    find_session_caller: Callable[[str, str], Awaitable[Caller | None]]
    names: Callable[[Session, Collection[str]], Mapping[str, str]]
    record: Callable[[Session, str, str | None], RecordFacts | None]
    items: Callable[[Session, str], list[ItemFacts]]
    ensure_room: Callable[[int], Awaitable[None]]
    store: FileReceiver
    add_item_photo: ItemPhotoAdder
    add_record_photo: RecordPhotoAdder
    match: Callable[[str, str, float, Caller], Awaitable[RecordPhoto]]
    detect: Callable[[str, Caller, float], Awaitable[Job]]
    picture: Callable[[StoredFile, Rect, int], Awaitable[bytes]]
