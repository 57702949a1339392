"""Declares what detection needs of other domains; `service.app` provides it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sqlmodel import Session

from shared.entries import Entry
from shared.wire.files import StoredFile
from shared.wire.inspection import Point


class PhotoAlignment(Protocol):
    """Where the reference image lies in a photo by its assignment to the item."""

    @property
    def homography(self) -> Sequence[Sequence[float]]:
        """3 x 3, reference px -> photo px."""

    @property
    def by_person(self) -> bool:
        """Whether a person said so."""


class MatchRegion(Protocol):
    """A region that is looked for in a photo."""

    @property
    def item_id(self) -> str:
        """Its item."""

    @property
    def reference_file_id(self) -> str:
        """The file that it is marked on."""

    @property
    def point(self) -> tuple[float, float, float, float]:
        """x, y, w, h as the item keeps them."""


class KnownPhoto(Protocol):
    """A photo of the memory of a region."""

    @property
    def file_id(self) -> str:
        """Its file."""

    @property
    def sha256(self) -> str:
        """Of its content: its key in the memory."""

    @property
    def content(self) -> bytes:
        """What it adds to the memory, in the format of `reference_difference.variation.serial`."""

    @property
    def passed(self) -> bool:
        """Whether a person passed it and kept no finding in it: all of it is usual."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of its item for this photo."""

    @property
    def place(self) -> Sequence[Sequence[float]] | None:
        """Where the reference image lies in it by its assignment; 3 x 3, reference px -> photo px."""

    @property
    def place_by_person(self) -> bool:
        """Whether a person said so."""


class DetectionInput(Protocol):
    """What a detection of one item works on."""

    @property
    def item_id(self) -> str:
        """The item."""

    @property
    def inspection_id(self) -> str:
        """Its record."""

    @property
    def model_id(self) -> str | None:
        """The model that the item names."""

    @property
    def point(self) -> Point | None:
        """The region on the reference image as the item keeps it."""

    @property
    def reference_file_id(self) -> str | None:
        """The file of the reference image."""

    @property
    def mm_per_pixel(self) -> float | None:
        """Scale of the reference image where it is known."""

    @property
    def photo_file_id(self) -> str | None:
        """The file of the newest photo."""

    @property
    def photo_alignment(self) -> PhotoAlignment | None:
        """What is known of it as a photo of the record."""

    @property
    def settings(self) -> Any:
        """The item's own settings, as a client wrote them; None without any."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Questions to other domains; those that take a Session are asked inside its transaction.

    `load_item` and `open_items` (of a record; True: without a current result) raise Problem 404.
    `pending_items`, of some records or all, gives ids of items by those of their records. `changeable` gives
    those of some records that are not sealed. These four raise Problem 409 when nothing but what is sealed is
    left. `file_info` gives None for a file that is not there, `path` raises FileNotFoundError, and
    like `keep` StoreUnavailableError. `keep` brings
    bytes to the disk and gives what makes a file of them in a transaction to come. `put_result` writes a step
    of a job's entry and gives its version, None when the entry has ended; `is_under_way` tells whether the
    item has an entry of the job that has not. Both raise Problem 404, and 409 when the record is sealed, and
    lock the record of the item: a job is locked before. `names` gives the names of people by their ids.
    `memory` gives the photos of the memory of an item's region for a detection in the photo of a file; none
    where there is no memory that counts. Of each kind the oldest photos come first.
    """

    load_item: Callable[[Session, str], DetectionInput]
    open_items: Callable[[Session, str, bool], list[str]]
    pending_items: Callable[[Session, Sequence[str] | None], dict[str, list[str]]]
    changeable: Callable[[Session, Collection[str]], Collection[str]]
    file_info: Callable[[Session, str], StoredFile | None]
    path: Callable[[str], Path]
    keep: Callable[[str, bytes, str | None], Callable[[Session], StoredFile]]
    put_result: Callable[[Session, str, Entry, str | None], int | None]
    is_under_way: Callable[[Session, str, str], bool]
    names: Callable[[Session, Collection[str]], Mapping[str, str]]
    memory: Callable[[Session, str, str], Sequence[KnownPhoto]]


class DetectionEnd(NamedTuple):
    """How an attempt at a job ended.

    `outcome`: "done", "failed", "canceled" (nothing was left to do), or "again" when its process died and the
    job went back to the queue. `kind` is that of the model, None when it is unknown.
    """

    kind: str | None
    outcome: str
    seconds: float


DetectionObserver = Callable[[DetectionEnd], None]
