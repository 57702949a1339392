"""Defines what the dispatcher knows of a job on its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from service.detection import rules
from service.detection.messages import Answer
from service.detection.ports import KnownPhoto, PhotoAlignment
from shared.entries import Entry
from shared.wire.files import StoredFile
from shared.wire.inspection import DetectionSettings


@dataclass(frozen=True, slots=True)
class Work:
    """A taken job with all it needs: read once, used outside the transaction.

    entry: its result entry as taken. place: where the reference lies in the photo by its assignment.
    settings: the item's own. error: why it cannot run.
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
    reference_file_id: str | None
    point: tuple[float, float, float, float] | None
    mm_per_pixel: float | None
    settings: DetectionSettings
    error: str | None


@dataclass(frozen=True, slots=True)
class ComparisonContext:
    """What a comparison uses beside photo and reference image: photos of the memory, the enabled backbone.

    backbone: its id and facts; None while none is enabled.
    """

    memory_photos: Sequence[KnownPhoto] = ()
    backbone: tuple[str, rules.ModelFacts] | None = None


@dataclass(frozen=True, slots=True)
class Computed:
    """What came of a job; `keep_rendered` makes a file of the picture with the boxes, where there is one.

    memory_photos: the photos of the memory that was used.
    """

    answer: Answer
    keep_rendered: Callable[[Session], StoredFile] | None = None
    memory_photos: Sequence[KnownPhoto] = ()


@dataclass(eq=False, slots=True)
class Run:
    """A taken job on its way. lost: it was cancelled, or taken by another: nothing is left to do."""

    work: Work
    percent: int = 0
    lost: bool = False

    def hear(self, percent: int) -> None:
        """How far the computing is; from its thread."""
        self.percent = percent
