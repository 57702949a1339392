"""Creates the request for second opinions: the backbone and the photos that passed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.detection.compute.request import OpinionRequest, Request
from service.detection.dispatch.work import ComparisonContext
from shared.wire.detection import ModelKind
from shared.wire.files import StoredFile

_LOG = logging.getLogger(__name__)

MAX_PHOTOS: Final = 8
"""The most photos. Each is decoded, aligned and processed by the backbone once, for seconds without a GPU."""


def opinion_request(
    context: ComparisonContext,
    reference: StoredFile,
    model_path: Callable[[str], Path],
    file_path: Callable[[str], Path],
) -> OpinionRequest | None:
    """The request for opinions on differences from `reference`; None without a backbone.

    A photo whose file is lost is left out. If the file of the backbone is lost, there is no opinion: a
    detection does not fail because of it. Raises StoreUnavailableError.
    """
    if context.backbone is None:
        return None
    model_id, backbone = context.backbone
    try:
        model = model_path(str(backbone.sha256))
    except FileNotFoundError:
        _LOG.warning("the file of backbone %s is lost: findings get no second opinion", model_id)
        return None
    photos = []
    for photo in [photo for photo in reversed(context.memory_photos) if photo.passed][:MAX_PHOTOS]:
        with suppress(FileNotFoundError):
            photos.append(
                Request(
                    kind=ModelKind.REFERENCE_DIFFERENCE,
                    photo=str(file_path(photo.file_id)),
                    item=photo.settings,
                    place=photo.place,
                    place_by_person=photo.place_by_person,
                    photo_sha256=photo.sha256,
                )
            )
    return OpinionRequest(
        model=str(model),
        sha256=str(backbone.sha256),
        model_id=model_id,
        name=backbone.name,
        version=backbone.version,
        settings=backbone.settings,
        reference_sha256=reference.sha256,
        photos=tuple(photos),
    )
