"""Declares what phones need of other domains; `service.app` provides it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from sqlmodel import Session

from service.web.security import Caller
from shared.geometry import Rect
from shared.wire.detection import Job
from shared.wire.files import StoredFile
from shared.wire.inspection import Photo
from shared.wire.photos import RecordPhoto


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """A record as a code sees it. `has_item`: the item that was asked for is there, or none was asked for."""

    name: str | None
    sealed: bool
    has_item: bool


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """An item with the number of its photos, and its region (upright px) on a reference image."""

    item_id: str
    item_name: str
    photos: int
    reference: StoredFile | None
    region: Rect | None


class ItemPhotoAdder(Protocol):
    """Makes a stored file a photo of an item, once for a key. Raises Problem."""

    async def __call__(
        self, item_id: str, file_id: str, key: str | None, caller: Caller, *, by_phone: bool
    ) -> Photo: ...


class RecordPhotoAdder(Protocol):
    """Makes a stored file a photo of a record, once. Raises Problem."""

    async def __call__(
        self, inspection_id: str, file_id: str, caller: Caller, *, by_phone: bool
    ) -> RecordPhoto: ...


class FileReceiver(Protocol):
    """Stores a file while its pieces come. Raises Problem."""

    async def __call__(
        self, name: str, pieces: AsyncIterator[bytes], by: str | None, address: str | None
    ) -> StoredFile: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Questions and requests to other domains.

    `find_session_caller`: the user of a session, None once it ended. `names`: of users. `record` and `items`
    are asked inside a transaction; `record` gives None when there is no such record. `ensure_room` raises
    Problem 507. `match` has a photo of a record matched with its regions, `detect` has the photo of an item
    detected; both raise Problem. `picture`: a JPEG of a region.
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
