"""Defines the data of a job that the dispatcher processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session

from service.detection import rules
from service.detection.messages import Answer
from service.inspection.records.detection_input import PhotoAlignment
from shared.record.entries import Entry
from shared.wire.files import StoredFile
from shared.wire.inspection import DetectionSettings


@dataclass(frozen=True, slots=True)
class KnownPhoto:
    """A photo of the memory of a region.

    `sha256` is of its content, which is its key in the memory. `content` is the memory of this photo in the
    format of `reference_difference.variation.serial`.
    """

    file_id: str
    sha256: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Work:
    """A taken job with all its data, which is read once and used outside the transaction.

    entry: its result entry as taken. place: the place of the reference in the photo by its assignment.
    settings: the item's own. error: the reason why it cannot run, or None.
    """

    job_id: str
    attempt: int
    item_id: str
    actor: str | None
    entry: Entry
    model: rules.ModelFacts | None
    photo: StoredFile | None
    place: PhotoAlignment | None
    reference: StoredFile | None
    point: tuple[float, float, float, float] | None
    mm_per_pixel: float | None
    settings: DetectionSettings
    error: str | None


@dataclass(frozen=True, slots=True)
class ComputedResult:
    """The result of a job.

    keep_rendered: creates a file of the picture with the boxes; None without a picture. memory_photos: the
    photos of the memory that was used.
    """

    answer: Answer
    keep_rendered: Callable[[Session], StoredFile] | None = None
    memory_photos: Sequence[KnownPhoto] = ()


@dataclass(eq=False, slots=True)
class Run:
    """A taken job that is being computed.

    is_abandoned: it was cancelled or taken by another worker, so its result is not needed.
    """

    work: Work
    percent: int = 0
    is_abandoned: bool = False

    def set_percent(self, percent: int) -> None:
        """Store the progress of the computation. The computing thread calls it."""
        self.percent = percent


class DetectionEnd(NamedTuple):
    """How an attempt at a job ended.

    `outcome`: "done", "failed", "canceled" (nothing was left to do), or "again" when its process died and the
    job went back to the queue. `kind` is that of the model, None when it is unknown.
    """

    kind: str | None
    outcome: str
    seconds: float


DetectionObserver = Callable[[DetectionEnd], None]
