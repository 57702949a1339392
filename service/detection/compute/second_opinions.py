"""Gives the findings of a comparison second opinions: reads the pictures and computes their features."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from service.detection.compute import pictures
from service.detection.compute.placing import with_start
from service.detection.compute.request import OpinionRequest, Request
from service.detection.failure import DetectionFailed
from service.detection.onnx.backbone import Backbone, Features
from service.detection.onnx.detector import Detectors
from service.detection.onnx.settings import DetectorSettings
from service.detection.reference_difference import AlignmentFailed, Result
from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.data import (
    Alignment,
    Bytes,
    Matrix,
    Pyramid,
    apply,
    corners,
    grey,
    inverse,
    local_scale,
    shift_scale,
)
from service.detection.second_opinion.feature_cache import FeatureCache
from service.detection.second_opinion.unusual import unusualness
from service.detection.second_opinion.windows import choose_windows, touched_cells
from shared.record.entries import EntryBox, EntryOpinion
from shared.record.geometry import Rect, rect_from_corners

SECONDS: Final = 60.0
"""After this time no further passed photo is read, and the opinion uses fewer photos."""
MIN_PHOTOS: Final = 2
"""With fewer passed photos the usual distance between pictures is not known, so there is no opinion: compared
with the reference image alone every finding is unusual."""


@dataclass(frozen=True, slots=True)
class ComparedPhoto:
    """A photo that was compared with a region. Pictures are BGR uint8 as decoded.

    region: px of the reference image. scale: of the reference image as decoded, see `pictures.load`.
    """

    reference: Bytes
    region: Rect
    scale: float
    photo: Bytes
    result: Result


class _Picture(NamedTuple):
    """The pixels of a picture, and its homography, reference px -> px of the picture."""

    pixels: Pyramid
    homography: Matrix


class SecondOpinions:
    """Gives second opinions; keeps the features of recent pictures."""

    def __init__(self, detectors: Detectors, clock: Callable[[], float] = time.monotonic) -> None:
        self._detectors = detectors
        self._clock = clock
        self.cache = FeatureCache()

    def with_opinions(
        self, request: Request, compared: ComparedPhoto, findings: Sequence[EntryBox]
    ) -> list[EntryBox]:
        """`findings`, which are the boxes of `compared.result`, each with its opinion.

        Findings have no opinion if none is requested, if too few photos passed, or if the backbone fails. A
        detection never fails because of it.
        """
        wanted = request.second_opinion
        if wanted is None or not findings or len(wanted.photos) < MIN_PHOTOS:
            return list(findings)
        try:
            opinions = self._opinions(request, wanted, compared)
        # ONNX Runtime raises classes of its own, all below Exception.
        except Exception as error:
            print(f"no second opinion: {type(error).__name__}: {str(error)!r}", file=sys.stderr, flush=True)
            opinions = []
        if not opinions:
            return list(findings)
        return [
            {**finding, "second_opinion": opinion}
            for finding, opinion in zip(findings, opinions, strict=True)
        ]

    def _opinions(
        self, request: Request, wanted: OpinionRequest, compared: ComparedPhoto
    ) -> list[EntryOpinion]:
        """The opinion on each box of `compared.result`; an empty list if too few photos can be read."""
        deadline = self._clock() + SECONDS
        reader = _Reader(self._detectors, wanted, self.cache)
        homography = compared.result.alignment.homography
        boxes = [_map_box(difference.box, inverse(homography)) for difference in compared.result.boxes]
        # The coarser of the two pictures determines the size of a window.
        finer = min(1.0, local_scale(homography, compared.region))
        windows = choose_windows(boxes, compared.region, max(reader.backbone.size) / finer)
        distinct = list(dict.fromkeys(windows))
        passed = []
        for photo in wanted.photos:
            if self._clock() > deadline:
                break
            opened = partial(_align_photo, photo, compared)
            # A photo that cannot be read or aligned is left out.
            with suppress(AlignmentFailed, DetectionFailed):
                passed.append(reader.features(_key(photo, wanted, compared), distinct, opened))
        if len(passed) < MIN_PHOTOS:
            return []
        today = reader.features(
            _key(request, wanted, compared), distinct, lambda: _Picture(Pyramid(compared.photo), homography)
        )
        reference = reader.features(
            wanted.reference_sha256, distinct, lambda: _Picture(Pyramid(compared.reference), np.eye(3))
        )
        values: dict[int, float] = {}
        for window in distinct:
            places = [place for place, other in enumerate(windows) if other == window]
            cells = [touched_cells(boxes[place], window, *today[window].shape[:2]) for place in places]
            photos = [features[window] for features in passed]
            values |= zip(places, unusualness(today[window], reference[window], photos, cells), strict=True)
        return [_entry_opinion(values[place], len(passed), wanted) for place in range(len(boxes))]


class _Reader:
    """Reads the features of pictures with the requested backbone."""

    def __init__(self, detectors: Detectors, wanted: OpinionRequest, cache: FeatureCache) -> None:
        settings = DetectorSettings.model_validate(wanted.settings)
        self.backbone = Backbone(detectors.get(Path(wanted.model), wanted.sha256), settings)
        self._model = wanted.sha256, json.dumps(wanted.settings, sort_keys=True)
        self._cache = cache

    def features(
        self, key: Hashable, windows: Sequence[Rect], opened: Callable[[], _Picture]
    ) -> Mapping[Rect, Features]:
        """The features of each window in the picture with this key.

        It is opened only when features of a window are not in the cache.
        """
        features: dict[Rect, Features] = {}
        picture: _Picture | None = None
        for window in windows:
            cached = self._cache.get((key, self._model, window))
            if cached is None:
                picture = picture or opened()
                cached = self._seen(picture, window)
                self._cache.put((key, self._model, window), cached)
            features[window] = cached
        return features

    def _seen(self, picture: _Picture, window: Rect) -> Features:
        width, height = self.backbone.size
        to_reference = inverse(shift_scale(window.x, window.y, width / window.w, height / window.h))
        image = picture.pixels.warped(picture.homography @ to_reference, (width, height))
        return self.backbone.features(image)


def _align_photo(request: Request, compared: ComparedPhoto) -> _Picture:
    """A photo that passed, laid over the region. Raises DetectionFailed and AlignmentFailed."""
    photo, photo_scale = pictures.load(Path(request.photo))
    levels = Pyramid(grey(compared.reference)), Pyramid(grey(photo))

    def align_from(start: Matrix | None) -> Alignment:
        return align(levels[0], compared.region, levels[1], start)

    alignment = with_start(request, compared.scale, photo_scale, align_from)
    return _Picture(Pyramid(photo), alignment.homography)


def _key(request: Request, wanted: OpinionRequest, compared: ComparedPhoto) -> Hashable:
    """The values that the features of a photo depend on, beside backbone and window."""
    alignment = json.dumps([request.item.get("alignment"), request.place, request.place_by_person])
    return request.photo_sha256, wanted.reference_sha256, compared.region, alignment


def _map_box(box: Rect, homography: Matrix) -> Rect:
    """The bounds of `box` in the picture that `homography` leads to."""
    points = apply(homography, corners(box))
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _entry_opinion(value: float, photos: int, wanted: OpinionRequest) -> EntryOpinion:
    return {
        "value": round(value, 4),
        "photos": photos,
        "model_id": wanted.model_id,
        "model_name": wanted.name,
        "model_version": wanted.version,
        "model_sha256": wanted.sha256,
    }
