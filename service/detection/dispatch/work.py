"""Defines the data of a job that the dispatcher processes, and makes its request to the compute process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from sqlmodel import Session

from service.detection import rules
from service.detection.failure import DetectionFailed
from service.detection.messages import Answer, Request
from service.files.service import FilesService
from service.inspection.records.detection_input import PhotoAlignment
from shared.record.entries import Entry
from shared.wire.detection import ModelKind
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


def with_backbone(
    request: Request, backbone: rules.BackboneFacts | None, model_path: Callable[[str], Path]
) -> Request:
    """The request with a backbone that a user added, or as it is. Raises DetectionFailed."""
    if backbone is None:
        return request
    try:
        path = str(model_path(backbone.sha256))
    except FileNotFoundError as error:
        raise DetectionFailed("model_lost") from error
    return replace(request, backbone=path, backbone_settings=backbone.settings)


class RequestBuilder:
    """Builds requests with the paths of local files, which may first be fetched from the store.

    All methods raise DetectionFailed and StoreUnavailableError.
    """

    def __init__(self, files: FilesService, model_path: Callable[[str], Path]) -> None:
        self._files = files
        self._model_path = model_path

    def for_work(self, work: Work, model: rules.ModelFacts, photo: StoredFile, rendered: Path) -> Request:
        """The request for a job; rendered: the file for the picture with the boxes."""
        settings = rules.for_photo(work.settings, photo.file_id)
        request = Request(
            kind=model.kind,
            photo=self._image(photo),
            settings=model.settings,
            item=settings.model_dump(mode="json"),
            labels=tuple(model.labels),
            photo_sha256=photo.sha256,
            rendered=str(rendered),
        )
        if work.place is not None:
            place = work.place
            request = replace(request, place=place.homography, place_by_person=place.by_person)
        if model.kind == ModelKind.REFERENCE_DIFFERENCE or work.settings.ignored:
            if work.reference is None:
                raise DetectionFailed("file_lost")
            reference = self._image(work.reference)
            request = replace(request, reference=reference, point=work.point, mm_per_pixel=work.mm_per_pixel)
        if model.kind == ModelKind.REFERENCE_DIFFERENCE:
            return request
        try:
            path = str(self._model_path(str(model.sha256)))
        except FileNotFoundError as error:
            raise DetectionFailed("model_lost") from error
        within = rules.region_in_photo(work.point, work.reference, work.place, settings)
        return replace(request, model=path, sha256=model.sha256, within=within)

    def with_backbone(self, request: Request, backbone: rules.BackboneFacts | None) -> Request:
        """The request with the backbone that a user added, if there is one."""
        return with_backbone(request, backbone, self._model_path)

    def _image(self, stored: StoredFile) -> str:
        try:
            return str(self._files.path_of_file(stored))
        except FileNotFoundError as error:
            raise DetectionFailed("file_lost") from error
