"""Declares the functions of other domains that detection needs; `service.app` provides them."""

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
    """The place of the reference image in a photo, from the photo's assignment to the item."""

    @property
    def homography(self) -> Sequence[Sequence[float]]:
        """3 x 3, reference px -> photo px."""

    @property
    def by_person(self) -> bool:
        """Whether a person said so."""


class MatchRegion(Protocol):
    """A region that is searched in a photo."""

    @property
    def item_id(self) -> str:
        """Its item."""

    @property
    def reference_file_id(self) -> str:
        """The reference file on which it is marked."""

    @property
    def point(self) -> tuple[float, float, float, float]:
        """x, y, w, h as the item stores them."""


class KnownPhoto(Protocol):
    """A photo of the memory of a region."""

    @property
    def file_id(self) -> str:
        """Its file."""

    @property
    def sha256(self) -> str:
        """SHA-256 of its content, which is its key in the memory."""

    @property
    def content(self) -> bytes:
        """The memory of this photo, in the format of `reference_difference.variation.serial`."""


class DetectionInput(Protocol):
    """The data of an item that a detection needs."""

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
        """The region on the reference image as the item stores it."""

    @property
    def reference_file_id(self) -> str | None:
        """The file of the reference image."""

    @property
    def mm_per_pixel(self) -> float | None:
        """Scale of the reference image, if it is known."""

    @property
    def photo_file_id(self) -> str | None:
        """The file of the newest photo."""

    @property
    def photo_alignment(self) -> PhotoAlignment | None:
        """The alignment of the photo, if it is assigned to the item."""

    @property
    def settings(self) -> Any:
        """The item's own settings, as a client wrote them; None without any."""


class LockedItem(Protocol):
    """An item that no other transaction changes now; valid until it changes."""

    def input(self) -> DetectionInput:
        """The data of the item."""

    def is_under_way(self, job_id: str) -> bool:
        """Whether the item has an entry of the job that has not ended."""

    def put_result(self, entry: Entry, actor: str | None = None) -> int | None:
        """Write a step of a job's entry and return its version, None if the entry has ended."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Functions of other domains. Those that take a Session run inside its transaction.

    - `lock_item`: locks the item and its record, so the job must be locked before. Raises Problem 404.
    - `put_result`: does the same and writes a step of a job's entry, as `LockedItem.put_result`. Raises
      Problem 404.
    - `open_items`: ids of the items of a record that no person has decided; with True only those without a
      current result. Raises Problem 404.
    - `pending_items`: ids of items by the ids of their records, of some records or of all.
    - `changeable`: the records, of some, that are not sealed.
    - These five raise Problem 409 if all that is left is sealed.
    - `file_info`: None for a file that does not exist.
    - `path`, `path_of_file`: a local file with the content of a stored file, by its id or its facts. They
      raise FileNotFoundError and StoreUnavailableError.
    - `keep`: stores bytes and returns a function that creates their file in a later transaction. Raises
      StoreUnavailableError.
    - `names`: the names of users by their ids.
    - `required_coverage`: the least share of a region that a photo must show for a pass to count, 0..1.
    - `memory`: the photos of the memory of an item's region, for a detection in the photo of a file, of each
      kind the oldest first; empty if no memory counts.
    """

    lock_item: Callable[[Session, str], LockedItem]
    put_result: Callable[[Session, str, Entry, str | None], int | None]
    open_items: Callable[[Session, str, bool], list[str]]
    pending_items: Callable[[Session, Sequence[str] | None], dict[str, list[str]]]
    changeable: Callable[[Session, Collection[str]], Collection[str]]
    file_info: Callable[[Session, str], StoredFile | None]
    path: Callable[[str], Path]
    path_of_file: Callable[[StoredFile], Path]
    keep: Callable[[str, bytes, str | None], Callable[[Session], StoredFile]]
    names: Callable[[Session, Collection[str]], Mapping[str, str]]
    required_coverage: Callable[[Session], float]
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
