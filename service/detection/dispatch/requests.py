"""Builds the requests of jobs to the compute process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from service.detection import rules
from service.detection.compute.request import Request
from service.detection.dispatch.work import Work
from service.detection.failure import DetectionFailed
from service.files.service import FilesService
from shared.wire.detection import ModelKind
from shared.wire.files import StoredFile
from shared.wire.inspection import DetectionSettings


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

    def for_photo(self, model: rules.ModelFacts, photo: StoredFile, settings: DetectionSettings) -> Request:
        """The part of a request that determines how its photo is decoded; `settings` are the item's."""
        item = rules.for_photo(settings, photo.file_id).model_dump(mode="json")
        return Request(kind=model.kind, photo=self._image(photo), settings=model.settings, item=item)

    def for_work(self, work: Work, model: rules.ModelFacts, photo: StoredFile, rendered: Path) -> Request:
        """The request for a job; rendered: the file for the picture with the boxes."""
        request = replace(
            self.for_photo(model, photo, work.settings),
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
        settings = rules.for_photo(work.settings, photo.file_id)
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
